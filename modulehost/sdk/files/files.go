// Package files reads files as people have them: texts in the encodings that spreadsheets and older programs
// write, tables with any separator, and dates as people write them. It returns what it has guessed, so that a
// person can confirm it, and has no state.
package files

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// Encoding is how a text was stored.
type Encoding string

// The encodings that Text reads.
const (
	UTF8        Encoding = "UTF-8"
	UTF16       Encoding = "UTF-16"
	Windows1252 Encoding = "Windows-1252" // contains all letters of Latin-1
)

// Text decodes a file. UTF-16 is known by its mark or by the zero bytes of its letters. What is neither
// UTF-16 nor UTF-8 is Windows-1252, whose every byte is a character: the encoding is a guess then.
// The letters are composed (NFC), as PostgreSQL compares them, and U+0000 is dropped, which it cannot store.
func Text(content []byte) (string, Encoding) {
	text, encoding := decode(content)
	text = strings.ReplaceAll(text, "\x00", "")
	return norm.NFC.String(text), encoding
}

func decode(content []byte) (string, Encoding) {
	if order := utf16Order(content); order != nil {
		return fromUTF16(content, order), UTF16
	}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if utf8.Valid(content) {
		return string(content), UTF8
	}
	text, err := charmap.Windows1252.NewDecoder().Bytes(content)
	if err != nil { // it never fails; the replacement keeps the text valid all the same
		return strings.ToValidUTF8(string(content), "\ufffd"), Windows1252
	}
	return string(text), Windows1252
}

// utf16Order returns the byte order of UTF-16, or nil for another encoding. Without a mark every second byte
// of the beginning must be zero, as in each text that begins with a Latin word.
func utf16Order(content []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(content, []byte{0xff, 0xfe}):
		return binary.LittleEndian
	case bytes.HasPrefix(content, []byte{0xfe, 0xff}):
		return binary.BigEndian
	case len(content) < 8:
		return nil
	}
	var zero [2]int
	for at, c := range content[:8] {
		if c == 0 {
			zero[at%2]++
		}
	}
	switch zero {
	case [2]int{0, 4}:
		return binary.LittleEndian
	case [2]int{4, 0}:
		return binary.BigEndian
	}
	return nil
}

func fromUTF16(content []byte, order binary.ByteOrder) string {
	units := make([]uint16, 0, len(content)/2)
	for ; len(content) >= 2; content = content[2:] {
		units = append(units, order.Uint16(content))
	}
	return strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff")
}
