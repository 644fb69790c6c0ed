// Package emails composes the platform's own emails: their text in each language, and their layout. An email
// is written in the language of the house, and has its name and its colour. Each language has one file:
// english.go, german.go.
//
// Package mail sends them. Other services decide when.
package emails

import (
	_ "embed"
	"html"
	"strings"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/environment"
)

// The two templates of an email, with a word in double braces for each part. They are filled by text
// replacement, because with package template the linker would keep every method of every type, which makes a
// quarter of the program.
var (
	//go:embed email.txt
	textForm string
	//go:embed email.html
	htmlForm string
)

// House is read for each email, so that a change of the language applies to the next one.
type House interface {
	// Letterhead returns the name of the house ("" if it has none), the language of its emails, and the name of
	// its accent colour.
	Letterhead() (name, language, accent string)
}

// Writer composes emails. Links lead to the configured Dashboard, never to an address from a request. It is
// safe for concurrent use.
type Writer struct {
	dashboard environment.Origin
	house     House
}

// New makes a Writer. dashboard is the origin of all links.
func New(dashboard environment.Origin, house House) *Writer {
	return &Writer{dashboard: dashboard, house: house}
}

// ConfirmAddress returns the email with the link that confirms an address.
func (w *Writer) ConfirmAddress(to, token string) mail.Message {
	return w.write(to, w.link("verify-email", token), func(all *words) message { return all.ConfirmAddress })
}

// ResetPassword returns the email with the link to set a new password.
func (w *Writer) ResetPassword(to, token string) mail.Message {
	return w.write(to, w.link("reset-password", token), func(all *words) message { return all.ResetPassword })
}

// PasswordChanged returns the email about a changed password. Its link only opens the Dashboard, where a
// person who did not change the password can reset it.
func (w *Writer) PasswordChanged(to string) mail.Message {
	return w.write(to, w.home(), func(all *words) message { return all.PasswordChanged })
}

// PasskeyAdded returns the email about an added passkey. Like PasswordChanged it leads to the Dashboard.
func (w *Writer) PasskeyAdded(to string) mail.Message {
	return w.write(to, w.home(), func(all *words) message { return all.PasskeyAdded })
}

// PasskeyRemoved returns the email about a removed passkey.
func (w *Writer) PasskeyRemoved(to string) mail.Message {
	return w.write(to, w.home(), func(all *words) message { return all.PasskeyRemoved })
}

// PasskeyReminder returns the email that asks somebody to add a passkey.
func (w *Writer) PasskeyReminder(to string) mail.Message {
	return w.write(to, w.home(), func(all *words) message { return all.PasskeyReminder })
}

// RecoveryCodeUsed returns the email about a sign-in with a recovery code.
func (w *Writer) RecoveryCodeUsed(to string) mail.Message {
	return w.write(to, w.home(), func(all *words) message { return all.RecoveryCodeUsed })
}

// Invited returns the email with the link of an invitation.
func (w *Writer) Invited(to, token string) mail.Message {
	return w.write(to, w.InvitationLink(token), func(all *words) message { return all.Invited })
}

// InvitationLink returns the link of Invited, for operators who pass it on themselves.
func (w *Writer) InvitationLink(token string) string { return w.link("accept-invitation", token) }

// ResetLink returns the link of ResetPassword, for operators who pass it on themselves.
func (w *Writer) ResetLink(token string) string { return w.link("reset-password", token) }

// Test returns an email that tests whether emails arrive.
func (w *Writer) Test(to string) mail.Message {
	return w.write(to, w.home(), func(all *words) message { return all.Test })
}

func (w *Writer) home() string { return string(w.dashboard) + "/" }

func (w *Writer) link(screen, token string) string {
	return w.home() + "?service_auth=" + screen + "&token=" + token
}

func (w *Writer) write(to, link string, choose func(*words) message) mail.Message {
	name, language, accent := w.house.Letterhead()
	all, colours := wordsOf(language), coloursOf(accent)
	m := choose(all)
	// There is no name of a person among them, because at sign-up anybody can enter any text as a name. The
	// name of the house is only in the body, never in a header.
	parts := map[string]string{
		"Title": m.Title, "Text": m.Text, "Button": m.Button, "Note": m.Note, "Unrequested": m.Unrequested,
		"Language": all.Language, "Greeting": all.Greeting, "Copy": all.Copy,
		"Link": link, "House": name, "Site": string(w.dashboard),
		"Accent": colours.accent, "DarkFill": colours.darkFill, "DarkAccent": colours.darkAccent,
	}
	return mail.Message{
		To:      []string{to},
		Subject: m.Title,
		Text:    fill(textForm, name != "", parts, func(part string) string { return part }),
		HTML:    fill(htmlForm, name != "", parts, html.EscapeString),
	}
}

// fill replaces each {{Name}} in a template with that part, escaped. The text between {{named}} and {{end}}
// is kept only if the house has a name. Placeholders inside a part are not replaced.
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
