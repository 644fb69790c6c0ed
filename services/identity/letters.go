package identity

import (
	"embed"
	htmltemplate "html/template"
	"strings"
	texttemplate "text/template"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/environment"
)

//go:embed letters
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
		text:      texttemplate.Must(texttemplate.ParseFS(letterFiles, "letters/letter.txt")),
		html:      htmltemplate.Must(htmltemplate.ParseFS(letterFiles, "letters/letter.html")),
	}
}

// letter is what varies. It holds nothing that its reader could not expect: a name from sign-up could be anybody's words.
type letter struct {
	Title  string
	Ask    string
	Button string
	Link   string
	Note   string
	Ignore string
	Site   environment.Origin
}

func (l *letters) verification(address, token string) mail.Message {
	return l.write(address, letter{
		Title:  "Confirm your e-mail",
		Ask:    "Please confirm that this is your e-mail address. The page that opens asks for one press of a button.",
		Button: "Confirm my e-mail",
		Link:   l.link("verify-email", token),
		Note:   "The link works for one hour.",
		Ignore: "If you did not ask for this mail, you can ignore it: nothing happens without you.",
	})
}

func (l *letters) reset(address, token string) mail.Message {
	return l.write(address, letter{
		Title:  "Choose a new password",
		Ask:    "Somebody asked for a new password for the account with this e-mail address. If that was you, choose it now.",
		Button: "Choose a new password",
		Link:   l.link("reset-password", token),
		Note:   "The link works once, and for one hour. If you asked more than once, only the newest link works.",
		Ignore: "If it was not you, you can ignore this mail: your password stays as it is.",
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
