// Package emails composes emails: the texts of the platform's own ones in each language, and how all of them
// look, also those of modules. An email is written in the language of the house, and has its name and its
// colour. Each language has one file: english.go, german.go.
//
// Every email is written as text. Its HTML part is made of the text, so both have the same words.
//
// Package mail sends them. Other services decide when.
package emails

import (
	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/environment"
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
	head := w.letterhead()
	all := wordsOf(head.language)
	m := choose(all)
	// There is no name of a person among them, because at sign-up anybody can enter any text as a name. The
	// name of the house is only in the body, never in a header.
	text := all.Greeting + "\n\n" + m.Text + "\n\n" + m.Button + ":\n" + link + "\n\n" + m.Note + "\n\n" +
		m.Unrequested + "\n" + signatureMark
	if head.name != "" {
		text += head.name + "\n"
	}
	return head.dress(mail.Message{
		To:       []string{to},
		Subject:  m.Title,
		Text:     text + string(w.dashboard) + "\n",
		Language: all.Language,
	})
}
