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
var emailFiles embed.FS

// emails writes the emails of this package. Links lead to the configured Dashboard, never to something that
// a request contained.
type emails struct {
	dashboard environment.Origin
	text      *texttemplate.Template
	html      *htmltemplate.Template
}

func newEmails(dashboard environment.Origin) *emails {
	return &emails{
		dashboard: dashboard,
		text:      texttemplate.Must(texttemplate.ParseFS(emailFiles, "emails/email.txt")),
		html:      htmltemplate.Must(htmltemplate.ParseFS(emailFiles, "emails/email.html")),
	}
}

// emailContent is what differs from email to email. It contains no name: names come from sign-up, where
// anybody could have written anything.
type emailContent struct {
	Title       string
	Text        string
	Button      string
	Link        string
	Note        string
	Unrequested string
	Site        environment.Origin
}

func (l *emails) verification(address, token string) mail.Message {
	return l.write(address, emailContent{
		Title: "Confirm your e-mail",
		Text: "Please confirm that this is your e-mail address. The page that opens asks for one press " +
			"of a button.",
		Button:      "Confirm my e-mail",
		Link:        l.link("verify-email", token),
		Note:        "The link works for one hour.",
		Unrequested: "If you did not ask for this mail, you can ignore it: nothing happens without you.",
	})
}

func (l *emails) reset(address, token string) mail.Message {
	return l.write(address, emailContent{
		Title: "Choose a new password",
		Text: "Somebody asked for a new password for the account with this e-mail address. If that was " +
			"you, choose it now.",
		Button:      "Choose a new password",
		Link:        l.link("reset-password", token),
		Note:        "The link works for one hour, until a new password has been chosen with this or another link.",
		Unrequested: "If it was not you, you can ignore this mail: your password stays as it is.",
	})
}

// changed contains no link that does anything by itself. A person who did not change the password starts at
// the sign-in page.
func (l *emails) changed(address string) mail.Message {
	return l.write(address, emailContent{
		Title: "Your password was changed",
		Text: "The password of the account with this e-mail address was changed, and every device was signed " +
			"out.",
		Button: "Open the sign-in page",
		Link:   string(l.dashboard) + "/",
		Note:   "If that was you, there is nothing to do.",
		Unrequested: "If it was not you, somebody can read your e-mail: change the password of your mailbox, " +
			"then choose a new one here with \u201cForgot password?\u201d, and tell the people who run this site.",
	})
}

func (l *emails) link(screen, token string) string {
	return string(l.dashboard) + "/?service_auth=" + screen + "&token=" + token
}

func (l *emails) write(address string, content emailContent) mail.Message {
	content.Site = l.dashboard
	var text, html strings.Builder
	// Writing these templates into memory cannot fail; the tests execute both.
	_ = l.text.Execute(&text, content)
	_ = l.html.Execute(&html, content)
	return mail.Message{
		To:      []string{address},
		Subject: content.Title,
		Text:    text.String(),
		HTML:    html.String(),
	}
}
