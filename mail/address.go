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

// address is a mailbox, checked: mailbox is plain ASCII that needs no quoting in a header or in a command.
type address struct{ name, mailbox string }

// parseAddress reads "a@b" or "Name <a@b>". The name is checked after parsing too, for it may have come encoded, with control
// characters inside.
func parseAddress(text string) (address, bool) {
	if !isLine(text) {
		return address{}, false
	}
	parsed, err := mail.ParseAddress(text)
	if err != nil || !IsMailbox(parsed.Address) || !isLine(parsed.Name) || utf8.RuneCountInString(parsed.Name) > maxName {
		return address{}, false
	}
	return address{parsed.Name, parsed.Address}, true
}

// IsMailbox tells whether text is an address without a name that mail can be sent to.
func IsMailbox(text string) bool {
	local, domain, _ := strings.Cut(text, "@")
	return len(text) <= maxAddress && len(local) <= maxLocal && isVisible(text) && isDomain(domain) &&
		(&mail.Address{Address: text}).String() == "<"+text+">" // no quotes needed
}

func isDomain(text string) bool {
	return text != "" && strings.TrimLeft(text, "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == ""
}

// isVisible tells whether text has visible ASCII characters only.
func isVisible(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

func (a address) domain() string { return a.mailbox[strings.LastIndexByte(a.mailbox, '@')+1:] }

// header is the address as a header has it.
func (a address) header() string {
	switch {
	case a.name == "":
		return "<" + a.mailbox + ">"
	case isPlain(a.name) && !strings.ContainsAny(a.name, `"\`):
		return `"` + a.name + `" <` + a.mailbox + ">"
	}
	return encodedWords(a.name) + fold + "<" + a.mailbox + ">"
}
