package modulelogs

import (
	"io"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Escaper writes text to a terminal so that it can neither move the cursor nor hide anything. Of the
// unprintable characters only line ends and tabs are written; the others become \x1b, \u202e and so on.
type Escaper struct {
	To   io.Writer
	rest []byte // the beginning of an incomplete character
}

// Write escapes text. An incomplete character is kept until the rest is written.
func (e *Escaper) Write(text []byte) (int, error) {
	pending := append(e.rest, text...)
	var out []byte
	for len(pending) > 0 {
		char, size := utf8.DecodeRune(pending)
		if char == utf8.RuneError && size == 1 && !utf8.FullRune(pending) {
			break
		}
		switch {
		case char == utf8.RuneError && size == 1:
			out = append(out, '\\', 'x', "0123456789abcdef"[pending[0]>>4], "0123456789abcdef"[pending[0]&15])
		case char == '\n', char == '\t', unicode.IsPrint(char):
			out = append(out, pending[:size]...)
		default:
			quoted := strconv.QuoteRuneToASCII(char)
			out = append(out, quoted[1:len(quoted)-1]...)
		}
		pending = pending[size:]
	}
	e.rest = append([]byte(nil), pending...)
	_, err := e.To.Write(out)
	return len(text), err
}
