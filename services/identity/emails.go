package identity

import (
	"embed"
	htmltemplate "html/template"
	"strings"
	texttemplate "text/template"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/environment"
)

//go:embed emails
var letterFiles embed.FS

// letters writes the mails of this package. What they link to is the configured Dashboard and nothing that a request brought along.
type letters struct {
	dashboard environment.Origin
	text      *texttemplate.Template
	html      *htmltemplate.Template
}

func newLetters(dashboard environment.Origin) *letters {
	return &letters{
		dashboard: dashboard,
		text:      texttemplate.Must(texttemplate.ParseFS(letterFiles, "emails/email.txt")),
		html:      htmltemplate.Must(htmltemplate.ParseFS(letterFiles, "emails/email.html")),
	}
}

// letter is what varies. It holds nothing that its reader could not expect: a name from sign-up could be anybody's words.
type letter struct {
	Title  string
	Say    string
	Button string
	Link   string
	Note   string
	Else   string
	Site   environment.Origin
}

func (l *letters) verification(address, token string) mail.Message {
	return l.write(address, letter{
		Title:  "Confirm your e-mail",
		Say:    "Please confirm that this is your e-mail address. The page that opens asks for one press of a button.",
		Button: "Confirm my e-mail",
		Link:   l.link("verify-email", token),
		Note:   "The link works for one hour.",
		Else:   "If you did not ask for this mail, you can ignore it: nothing happens without you.",
	})
}

func (l *letters) reset(address, token string) mail.Message {
	return l.write(address, letter{
		Title:  "Choose a new password",
		Say:    "Somebody asked for a new password for the account with this e-mail address. If that was you, choose it now.",
		Button: "Choose a new password",
		Link:   l.link("reset-password", token),
		Note:   "The link works for one hour, until a new password has been chosen with this or another link.",
		Else:   "If it was not you, you can ignore this mail: your password stays as it is.",
	})
}

// changed has no link that does anything by itself: who did not change the password starts where everybody does.
func (l *letters) changed(address string) mail.Message {
	return l.write(address, letter{
		Title:  "Your password was changed",
		Say:    "The password of the account with this e-mail address was changed, and every device was signed out.",
		Button: "Open the sign-in page",
		Link:   string(l.dashboard) + "/",
		Note:   "If that was you, there is nothing to do.",
		Else: "If it was not you, somebody can read your e-mail: change the password of your mailbox, then choose a new one " +
			"here with \u201cForgot password?\u201d, and tell the people who run this site.",
	})
}

func (l *letters) link(screen, token string) string {
	return string(l.dashboard) + "/?service_auth=" + screen + "&token=" + token
}

func (l *letters) write(address string, content letter) mail.Message {
	content.Site = l.dashboard
	var text, html strings.Builder
	// A template of constant fields into memory cannot fail; the tests write both.
	_ = l.text.Execute(&text, content)
	_ = l.html.Execute(&html, content)
	return mail.Message{To: []string{address}, Subject: content.Title, Text: text.String(), HTML: html.String()}
}
