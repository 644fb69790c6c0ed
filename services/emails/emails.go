// Package emails writes the platform's own mails: what they say in each language, and how they look. A mail
// is written in the language of the house and signed with its name. Each language is one file: english.go,
// german.go.
//
// Sending is the work of package mail. When a mail is due is decided by the services that send it.
package emails

import (
	_ "embed"
	"html"
	"strings"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/environment"
)

// The two forms of a mail, with a word in double braces for each part. They are filled by replacing: with
// package template the linker keeps every method of every type, a quarter of the program.
var (
	//go:embed email.txt
	textForm string
	//go:embed email.html
	htmlForm string
)

// House is asked again for each mail, so that a change of the language applies to the next one.
type House interface {
	// Letterhead returns the name of the house, "" without one, and the language of its mails.
	Letterhead() (name, language string)
}

// Writer writes mails. Links lead to the configured Dashboard, never to something that a request contained.
// Safe for concurrent use.
type Writer struct {
	dashboard environment.Origin
	house     House
}

// New needs the origin that links lead to.
func New(dashboard environment.Origin, house House) *Writer {
	return &Writer{dashboard: dashboard, house: house}
}

// ConfirmAddress asks a person to confirm an address.
func (w *Writer) ConfirmAddress(to, token string) mail.Message {
	return w.write(to, w.link("verify-email", token), func(all *words) message { return all.ConfirmAddress })
}

// ResetPassword brings the link to a new password.
func (w *Writer) ResetPassword(to, token string) mail.Message {
	return w.write(to, w.link("reset-password", token), func(all *words) message { return all.ResetPassword })
}

// PasswordChanged contains no link that does anything by itself. A person who did not change the password
// starts at the sign-in page.
func (w *Writer) PasswordChanged(to string) mail.Message {
	return w.write(to, w.home(), func(all *words) message { return all.PasswordChanged })
}

// Invited brings the link with which somebody joins.
func (w *Writer) Invited(to, token string) mail.Message {
	return w.write(to, w.InvitationLink(token), func(all *words) message { return all.Invited })
}

// InvitationLink is the link of Invited, for operators who pass it on themselves.
func (w *Writer) InvitationLink(token string) string { return w.link("accept-invitation", token) }

// ResetLink is the link of ResetPassword, for operators who pass it on themselves.
func (w *Writer) ResetLink(token string) string { return w.link("reset-password", token) }

// Test shows whether mail arrives.
func (w *Writer) Test(to string) mail.Message {
	return w.write(to, w.home(), func(all *words) message { return all.Test })
}

func (w *Writer) home() string { return string(w.dashboard) + "/" }

func (w *Writer) link(screen, token string) string {
	return w.home() + "?service_auth=" + screen + "&token=" + token
}

func (w *Writer) write(to, link string, choose func(*words) message) mail.Message {
	name, language := w.house.Letterhead()
	all := wordsOf(language)
	m := choose(all)
	// No name of a person is among them: names come from sign-up, where anybody could have written anything.
	// The name of the house stands in the body alone, never in a header.
	parts := map[string]string{
		"Title": m.Title, "Text": m.Text, "Button": m.Button, "Note": m.Note, "Unrequested": m.Unrequested,
		"Language": all.Language, "Greeting": all.Greeting, "Copy": all.Copy,
		"Link": link, "House": name, "Site": string(w.dashboard),
	}
	return mail.Message{
		To:      []string{to},
		Subject: m.Title,
		Text:    fill(textForm, name != "", parts, func(part string) string { return part }),
		HTML:    fill(htmlForm, name != "", parts, html.EscapeString),
	}
}

// fill replaces each {{Name}} of a form with that part, escaped. What is between {{named}} and {{end}} stays
// for a house with a name alone. A part is never searched for further ones.
func fill(form string, named bool, parts map[string]string, escape func(string) string) string {
	before, rest, _ := strings.Cut(form, "{{named}}")
	signature, after, _ := strings.Cut(rest, "{{end}}")
	if !named {
		signature = ""
	}
	var replaced []string
	for name, part := range parts {
		replaced = append(replaced, "{{"+name+"}}", escape(part))
	}
	return strings.NewReplacer(replaced...).Replace(before + signature + after)
}
