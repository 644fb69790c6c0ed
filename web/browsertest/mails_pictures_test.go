package browsertest

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/chromedp/chromedp"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/emails"
)

// letterhead is a house with a name, a language and a colour.
type letterhead struct{ language string }

func (l letterhead) Letterhead() (name, language, accent string) {
	return "Hill Street Church", l.language, "copper"
}

// lastMail is a Sender that keeps the message.
type lastMail struct{ mail.Message }

func (l *lastMail) Send(_ context.Context, m mail.Message) mail.SendResult {
	l.Message = m
	return mail.Sent
}

// mailPages returns the HTML of every email of the platform and of the sample modules, in every language.
func mailPages(t *testing.T) fstest.MapFS {
	t.Helper()
	pages := fstest.MapFS{}
	add := func(name string, m mail.Message) { pages[name+".html"] = &fstest.MapFile{Data: []byte(m.HTML)} }
	for _, language := range []string{"en", "de"} {
		const to, token = "anna@example.org", "Zq3vR8kXw1Lm5Nt7Yb2Hc9Df4Gj6Ks0P"
		w := emails.New("https://church.example.org", letterhead{language})
		for name, m := range map[string]mail.Message{
			"verify-email": w.ConfirmAddress(to, token), "reset-password": w.ResetPassword(to, token),
			"password-changed": w.PasswordChanged(to), "passkey-added": w.PasskeyAdded(to),
			"passkey-removed": w.PasskeyRemoved(to), "passkey-reminder": w.PasskeyReminder(to),
			"code-used": w.RecoveryCodeUsed(to), "invited": w.Invited(to, token), "test": w.Test(to),
		} {
			add("platform-"+language+"-"+name, m)
		}
	}
	files, err := filepath.Glob("../../modules/*/testdata/mails/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d mails of modules, error %v; want some", len(files), err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		language, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txt"), "-")
		module, _, _ := strings.Cut(strings.TrimPrefix(file, "../../modules/"), "/")
		subject, text, _ := strings.Cut(string(content), "\n\n")
		var sent lastMail
		emails.New("https://church.example.org", letterhead{language}).ForModules(&sent).Send(t.Context(),
			mail.Message{Subject: subject, Text: text})
		add(module+"-"+language+"-"+name, sent.Message)
	}
	return pages
}

// picturedMails are compared with their pictures: a button with a long address, a list, lists with headings,
// and the words of a guest.
var picturedMails = []string{"platform-en-reset-password", "rota-de-request", "rota-en-digest",
	"calendar-de-placed"}

// TestMailPictures opens every email as wide as on a desktop and on a small phone, light and dark, as a mail
// program that knows styles and one that drops the style sheet shows it. Some are compared with pictures.
func TestMailPictures(t *testing.T) {
	leaveToProof(t, "it compares pictures")
	t.Parallel()
	pages := mailPages(t)
	server := httptest.NewServer(withFonts(pages))
	t.Cleanup(server.Close)
	for name, v := range map[string]view{
		"600-light": {width: 600, height: 800}, "600-dark": {width: 600, height: 800, dark: true},
		"320-light": {width: 320, height: 640}, "320-dark": {width: 320, height: 640, dark: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openPage(t, server.URL+"/platform-en-test.html", v)
			for page := range pages {
				p.assertMail(server.URL+"/"+page, strings.TrimSuffix(page, ".html")+"-"+name)
			}
			for _, page := range picturedMails {
				p.do(chromedp.Navigate(server.URL + "/" + page + ".html"))
				p.unifyRendering()
				p.assertLooks("mail-"+page+"-"+name, "body")
			}
		})
	}
}

// assertMail opens an email: nothing is cut off, words stand out from their ground, and this holds without
// the style sheet, too.
func (p *tab) assertMail(address, name string) {
	p.t.Helper()
	const rules = `runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]`
	p.do(chromedp.Navigate(address))
	p.assertFits()
	p.assertRules(name, rules)
	ground := eval[string](p, `getComputedStyle(document.body).backgroundColor`)
	if dark := strings.HasSuffix(name, "dark"); dark != (ground == "rgb(20, 19, 17)") {
		p.t.Errorf("%s: the ground is %s, want that of its theme", name, ground)
	}
	p.screenshot(name)
	p.runScript(`document.querySelector("style").remove()`)
	p.assertFits()
	p.assertRules(name+" without a style sheet", rules)
}
