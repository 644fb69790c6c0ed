// Package emails writes the platform's own mails: what they say in each language, and how they look. A mail
// is written in the language of the house and signed with its name. Each language is one file: english.go,
// german.go.
//
// Sending is the work of package mail. When a mail is due is decided by the services that send it.
package emails

import (
	"embed"
	htmltemplate "html/template"
	"strings"
	texttemplate "text/template"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/environment"
)

//go:embed email.html email.txt
var files embed.FS

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
	text      *texttemplate.Template
	html      *htmltemplate.Template
}

// New needs the origin that links lead to.
func New(dashboard environment.Origin, house House) *Writer {
	return &Writer{
		dashboard: dashboard,
		house:     house,
		text:      texttemplate.Must(texttemplate.ParseFS(files, "email.txt")),
		html:      htmltemplate.Must(htmltemplate.ParseFS(files, "email.html")),
	}
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

// content is what the templates show. It contains no name of a person: names come from sign-up, where
// anybody could have written anything. The name of the house stands in the body alone, never in a header.
type content struct {
	message
	Language string
	Greeting string
	Copy     string
	Link     string
	House    string
	Site     environment.Origin
}

func (w *Writer) write(to, link string, choose func(*words) message) mail.Message {
	name, language := w.house.Letterhead()
	all := wordsOf(language)
	filled := content{
		message: choose(all), Language: all.Language, Greeting: all.Greeting, Copy: all.Copy,
		Link: link, House: name, Site: w.dashboard,
	}
	var text, html strings.Builder
	// Writing these templates into memory cannot fail; the tests execute both.
	_ = w.text.Execute(&text, filled)
	_ = w.html.Execute(&html, filled)
	return mail.Message{
		To:      []string{to},
		Subject: filled.Title,
		Text:    text.String(),
		HTML:    html.String(),
	}
}
