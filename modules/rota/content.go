package main

import (
	"html"
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
	button   string
	link     string // "": none
	note     string // "": none
}

// message returns the mail as text and as HTML with the same content. The settings contain the address for
// replies.
func (m *rota) message(to []mail.Address, language string, c content) sdk.Message {
	team := plain(m.host.Config.String("teamName"))
	return sdk.Message{To: to, Subject: c.subject, Text: c.asText(team), HTML: c.asHTML(language, team),
		ReplyTo: m.replyTo}
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
	if c.link != "" {
		paragraph(c.button + ":\n" + c.link)
	}
	paragraph(c.note)
	return text.String() + "-- \n" + team + "\n"
}

// darkMail are the colours of a mail in a program with a dark theme.
const darkMail = `<style>@media (prefers-color-scheme: dark) {
.page { background: #141311 !important; }
.card { background: #1c1b18 !important; border-color: #33302a !important; color: #edeae4 !important; }
.quiet { color: #b3ada2 !important; }
.press { background: #386fc6 !important; }
}</style>`

// asHTML returns a page that loads nothing. It escapes all text.
func (c content) asHTML(language, team string) string {
	var page strings.Builder
	paragraph := func(words string) {
		if words != "" {
			page.WriteString("<p>" + html.EscapeString(words) + "</p>\n")
		}
	}
	page.WriteString(`<!DOCTYPE html><html lang="` + html.EscapeString(language) + `"><head>` +
		`<meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
		`<meta name="color-scheme" content="light dark"><title>` + html.EscapeString(c.subject) + `</title>` +
		darkMail + `</head><body class="page" style="margin:0;padding:24px 12px;background:#f7f6f3">` +
		`<div class="card" style="max-width:32em;margin:0 auto;padding:12px 28px;background:#ffffff;` +
		`border:1px solid #e3e0d8;border-radius:12px;color:#1e1c18;font:16px/1.5 sans-serif">` + "\n")
	paragraph(c.greeting)
	paragraph(c.text)
	if len(c.lines) > 0 {
		page.WriteString("<ul>\n")
		for _, line := range c.lines {
			page.WriteString("<li>" + html.EscapeString(line) + "</li>\n")
		}
		page.WriteString("</ul>\n")
	}
	if c.link != "" {
		page.WriteString(`<p><a class="press" href="` + html.EscapeString(c.link) +
			`" style="display:inline-block;padding:11px 20px;border-radius:8px;background:#2b5fb0;` +
			`color:#ffffff;font-weight:600;text-decoration:none">` +
			html.EscapeString(c.button) + "</a></p>\n")
	}
	paragraph(c.note)
	page.WriteString(`<p class="quiet" style="color:#5b574e">` + html.EscapeString(team) +
		"</p>\n</div></body></html>\n")
	return page.String()
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
