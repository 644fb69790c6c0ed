package mail

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of a message (contract.md §8).
const (
	MaxRecipients        = 50
	MaxSubjectCharacters = 200
	MaxBodyBytes         = 256 << 10 // text and HTML together
)

// Message is what a caller says; the sender is the installation's (spec.md § Outbound email).
//
// Each of To, and ReplyTo where set, is an address or a name and an address, as in "Anna <anna@example.org>"; a name with other signs
// than letters, digits and spaces is written in quotes or encoded, as net/mail's Address.String does. An address has at most 254
// characters, all ASCII: the extension for other ones (RFC 6531) is not spoken, so those are refused, as are quoted local parts and
// address literals. A name has at most 200 characters. The same address may occur twice. All recipients can read the whole list.
//
// Subject is not blank. At least one of Text and HTML is set; with both the reader's program chooses. Line ends in them may be LF or
// CR LF. All of it is valid UTF-8. Control characters (C0, DEL, C1, U+2028, U+2029) are refused everywhere but in the bodies.
type Message struct {
	To      []string // 1 to MaxRecipients
	Subject string
	Text    string
	HTML    string
	ReplyTo string // "" for none
}

// isLine tells whether text can stand in a header: valid, and without anything that some program takes for the end of a line.
func isLine(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	})
}

func isSubject(text string) bool {
	return isLine(text) && strings.TrimSpace(text) != "" && utf8.RuneCountInString(text) <= MaxSubjectCharacters
}

func (m Message) hasBody() bool {
	length := len(m.Text) + len(m.HTML)
	return length > 0 && length <= MaxBodyBytes && utf8.ValidString(m.Text) && utf8.ValidString(m.HTML)
}
