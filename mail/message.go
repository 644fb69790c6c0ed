package mail

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of a message.
const (
	MaxRecipients        = 50
	MaxSubjectCharacters = 200
	MaxBodyBytes         = 256 << 10 // text and HTML together
)

// Message is one email as its author writes it. The sender's address is configured for the installation.
//
// Each entry of To, and ReplyTo if set, is an address, or a name and an address as in "Anna
// <anna@example.org>". A name with other characters than letters, digits and spaces must be quoted or
// encoded, as net/mail's Address.String does. An address has at most 254 characters, all ASCII, because RFC
// 6531 is not supported. Quoted local parts and address literals are refused. A name has at most 200
// characters. An address may occur twice. Every recipient can read the whole list.
//
// Subject must not be blank. At least one of Text and HTML must be set; with both, the recipient's mail
// program chooses. Line ends may be LF or CR LF. Every field must be valid UTF-8. Control characters (C0,
// DEL, C1, U+2028, U+2029) are refused everywhere except in Text and HTML.
type Message struct {
	To      []string // 1 to MaxRecipients
	Subject string
	Text    string
	HTML    string
	ReplyTo string // "" for none
	// Language is the language of the text, such as "de" (BCP 47). "" if it is not known.
	Language string
}

// isHeaderText reports whether text may be used in a header: it is valid UTF-8 and has no character that some
// programs treat as the end of a line.
func isHeaderText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	})
}

func isSubject(text string) bool {
	return isHeaderText(text) && strings.TrimSpace(text) != "" &&
		utf8.RuneCountInString(text) <= MaxSubjectCharacters
}

// isLanguage accepts "" and what looks like a language tag.
func isLanguage(tag string) bool {
	return len(tag) <= 35 && !strings.ContainsFunc(tag, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

func (m Message) hasBody() bool {
	length := len(m.Text) + len(m.HTML)
	return length > 0 && length <= MaxBodyBytes && utf8.ValidString(m.Text) && utf8.ValidString(m.HTML)
}
