package main

import (
	"net/mail"
	"strings"
	"unicode"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// content is the subject and the text of a mail. The subject is the module's own text, so nothing that a
// person typed is sent in a header.
type content struct {
	subject  string
	greeting string // "": none
	text     string
	lines    []string
	services []listing // of an overview
	button   string
	link     string // "": none
	note     string // "": none
}

// listing is a heading with lines below it.
type listing struct {
	heading string
	lines   []string
}

func (l listing) asText() string {
	return strings.Join(append([]string{l.heading}, l.lines...), "\n- ")
}

// message returns the mail. The platform makes an HTML part with the same words of it. The settings contain
// the address for replies.
func (m *rota) message(to []mail.Address, language string, c content) sdk.Message {
	return sdk.Message{To: to, Subject: c.subject, Text: c.asText(plain(m.host.Config.String("teamName"))),
		ReplyTo: m.replyTo, Language: language}
}

func (c content) asText(team string) string {
	var text strings.Builder
	paragraph := func(words string) {
		if words != "" {
			text.WriteString(words + "\n\n")
		}
	}
	paragraph(c.greeting)
	paragraph(c.text)
	if len(c.lines) > 0 {
		paragraph("- " + strings.Join(c.lines, "\n- "))
	}
	for _, s := range c.services {
		paragraph(s.asText())
	}
	if c.link != "" {
		paragraph(c.button + ":\n" + c.link)
	}
	paragraph(c.note)
	return text.String() + "-- \n" + team + "\n"
}

// plain converts a typed text to one line, without characters that hide or reorder others.
func plain(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), turns(r):
			return -1
		}
		return r
	}, text)), " ")
}
