package mail

import (
	"net/mail"
	"strings"
	"unicode/utf8"
)

const (
	maxAddress = 254 // RFC 5321 § 4.5.3.1.3: a path of 256, without its brackets
	maxLocal   = 64  // before the @: RFC 5321 § 4.5.3.1.1
	maxName    = 200 // characters
)

// address is a checked address. mailbox is ASCII and needs no quoting in a header or in an SMTP command.
type address struct{ name, mailbox string }

// parseAddress reads "a@b" or "Name <a@b>". The name is checked again after parsing, because an encoded name
// can hold control characters that the encoded text does not show.
func parseAddress(text string) (address, bool) {
	if !isHeaderText(text) {
		return address{}, false
	}
	parsed, err := mail.ParseAddress(text)
	if err != nil || !IsMailbox(parsed.Address) || !isHeaderText(parsed.Name) ||
		utf8.RuneCountInString(parsed.Name) > maxName {
		return address{}, false
	}
	return address{parsed.Name, parsed.Address}, true
}

// IsMailbox reports whether text is an address, without a name, that email can be sent to.
func IsMailbox(text string) bool {
	local, domain, _ := strings.Cut(text, "@")
	return len(text) <= maxAddress && len(local) <= maxLocal && isVisibleASCII(text) && isDomain(domain) &&
		(&mail.Address{Address: text}).String() == "<"+text+">" // no quotes needed
}

func isDomain(text string) bool {
	const allowed = "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	return text != "" && strings.TrimLeft(text, allowed) == ""
}

// isVisibleASCII reports whether text consists of visible ASCII characters only.
func isVisibleASCII(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

func (a address) domain() string { return a.mailbox[strings.LastIndexByte(a.mailbox, '@')+1:] }

// header returns the address as it is written in a header.
func (a address) header() string {
	switch {
	case a.name == "":
		return "<" + a.mailbox + ">"
	case isPlain(a.name) && !strings.ContainsAny(a.name, `"\`):
		return `"` + a.name + `" <` + a.mailbox + ">"
	}
	return encodedWords(a.name) + fold + "<" + a.mailbox + ">"
}
