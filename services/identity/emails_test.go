package identity_test

import (
	"html"
	"os"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/identity"
)

// Text and HTML say the same and carry the same link, and the HTML loads nothing from outside. With
// LETTERS_DIR set, the test writes the emails there, so that people can look at them.
func TestEmails(t *testing.T) {
	t.Parallel()
	emails := identity.NewEmails(dashboard)
	for name, email := range map[string]struct {
		m             mail.Message
		subject, link string
	}{
		"verify-email": {emails.Verification("anna@example.org", "TOKEN"), "Confirm your e-mail",
			dashboard + "/?service_auth=verify-email&token=TOKEN"},
		"reset-password": {emails.Reset("anna@example.org", "TOKEN"), "Choose a new password",
			dashboard + "/?service_auth=reset-password&token=TOKEN"},
		"password-changed": {emails.Changed("anna@example.org"), "Your password was changed", dashboard + "/"},
	} {
		m := email.m
		if m.Subject != email.subject || m.ReplyTo != "" || len(m.To) != 1 {
			t.Errorf("%s: %+v", name, m)
		}
		if !strings.Contains(m.Text, "\n"+email.link+"\n") || strings.Contains(m.Text, "<") {
			t.Errorf("%s: the text is %q", name, m.Text)
		}
		if strings.Count(m.HTML, `href="`+html.EscapeString(email.link)+`"`) != 2 ||
			!strings.Contains(m.HTML, ">"+html.EscapeString(email.link)+"<") {
			t.Errorf("%s: the page is %s", name, m.HTML)
		}
		for _, fetched := range []string{"<img", "src=", "url(", "<link", "<script", "@import"} {
			if strings.Contains(m.HTML, fetched) {
				t.Errorf("%s: the page fetches something: %s", name, fetched)
			}
		}
		if dir := os.Getenv("LETTERS_DIR"); dir != "" {
			if err := os.WriteFile(dir+"/"+name+".html", []byte(m.HTML), 0o600); err != nil {
				t.Error(err)
			}
		}
	}
}
