package emails_test

import (
	"html"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/emails"
	"github.com/narthex-platform/narthex/services/house"
)

const (
	dashboard = "https://dashboard.church.test"
	anna      = "anna@example.org"
)

// fakeHouse is a house with a name, a language and an accent.
type fakeHouse struct{ name, language, accent string }

func (l fakeHouse) Letterhead() (name, language, accent string) { return l.name, l.language, l.accent }

// all returns every email.
func all(w *emails.Writer) map[string]mail.Message {
	return map[string]mail.Message{
		"verify-email":     w.ConfirmAddress(anna, "TOKEN"),
		"reset-password":   w.ResetPassword(anna, "TOKEN"),
		"password-changed": w.PasswordChanged(anna),
		"passkey-added":    w.PasskeyAdded(anna),
		"passkey-removed":  w.PasskeyRemoved(anna),
		"passkey-reminder": w.PasskeyReminder(anna),
		"code-used":        w.RecoveryCodeUsed(anna),
		"invited":          w.Invited(anna, "TOKEN"),
		"test":             w.Test(anna),
	}
}

var links = map[string]string{
	"verify-email":     dashboard + "/?service_auth=verify-email&token=TOKEN",
	"reset-password":   dashboard + "/?service_auth=reset-password&token=TOKEN",
	"password-changed": dashboard + "/",
	"passkey-added":    dashboard + "/",
	"passkey-removed":  dashboard + "/",
	"passkey-reminder": dashboard + "/",
	"code-used":        dashboard + "/",
	"invited":          dashboard + "/?service_auth=accept-invitation&token=TOKEN",
	"test":             dashboard + "/",
}

var subjects = map[string]map[string]string{
	"en": {
		"verify-email": "Confirm your e-mail", "reset-password": "Choose a new password",
		"password-changed": "Your password was changed", "test": "Mail works",
		"passkey-added": "A passkey was added", "passkey-removed": "A passkey was removed",
		"passkey-reminder": "Please add a passkey",
		"code-used":        "A recovery code was used",
		"invited":          "You are invited",
	},
	"de": {
		"verify-email": "Bestätigen Sie Ihre E-Mail-Adresse", "reset-password": "Wählen Sie ein neues Passwort",
		"password-changed": "Ihr Passwort wurde geändert", "test": "Der Mailversand funktioniert",
		"passkey-added": "Ein Passkey wurde hinzugefügt", "passkey-removed": "Ein Passkey wurde entfernt",
		"passkey-reminder": "Bitte fügen Sie einen Passkey hinzu",
		"code-used":        "Ein Notfallcode wurde benutzt",
		"invited":          "Sie sind eingeladen",
	},
}

// Text and HTML have the same words and the same link and are signed with the house's name, and the HTML
// loads no external resources.
func TestEmails(t *testing.T) {
	t.Parallel()
	for language, subjects := range subjects {
		for name, m := range all(emails.New(dashboard, fakeHouse{"St Anne & All", language, "green"})) {
			link := links[name]
			if m.Subject != subjects[name] || m.ReplyTo != "" || len(m.To) != 1 || m.To[0] != anna {
				t.Errorf("%s %s: subject %q, want %q; to %q", language, name, m.Subject, subjects[name], m.To)
			}
			if !strings.Contains(m.Text, "\n"+link+"\n") || strings.Contains(m.Text, "<") ||
				!strings.HasSuffix(m.Text, "\n-- \nSt Anne & All\n"+dashboard+"\n") {
				t.Errorf("%s %s: text %q, want the link on a line of its own and the house's signature",
					language, name, m.Text)
			}
			if strings.Count(m.HTML, `href="`+html.EscapeString(link)+`"`) != 2 ||
				!strings.Contains(m.HTML, ">"+html.EscapeString(link)+"<") ||
				!strings.Contains(m.HTML, "<bdi>St Anne &amp; All</bdi>") ||
				!strings.Contains(m.HTML, `<html lang="`+language+`">`) {
				t.Errorf("%s %s: HTML %s, want the link twice, the house's name and the language", language,
					name, m.HTML)
			}
			assertSameWords(t, language+" "+name, "St Anne & All", m)
			assertFetchesNothing(t, language+" "+name, m.HTML)
		}
	}
}

// assertSameWords compares the parts of an email. The HTML has the house's name and the subject above the
// text.
func assertSameWords(t *testing.T, name, house string, m mail.Message) {
	t.Helper()
	// Marks of items, of the signature, and the colon before a button are drawn instead.
	text := regexp.MustCompile(`(?m)^(- |-- $)`).ReplaceAllString(m.Text, "")
	text = regexp.MustCompile(`:\n(https?://)`).ReplaceAllString(text, "\n$1")
	_, page, _ := strings.Cut(m.HTML, "<body")
	shown := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString("<body"+page, " "))
	got, want := strings.Fields(shown), strings.Fields(house+" "+m.Subject+" "+text)
	if !slices.Equal(got, want) {
		t.Errorf("%s: the HTML part says\n%q, want the words of the text\n%q", name, got, want)
	}
}

func assertFetchesNothing(t *testing.T, name, page string) {
	t.Helper()
	for _, fetched := range []string{"<img", "src=", "url(", "<link", "<script", "@import", "<table", "<svg"} {
		if strings.Contains(page, fetched) {
			t.Errorf("%s: the page has %s, want nothing that is fetched or that mail programs remove", name, fetched)
		}
	}
}

// The colours of each accent are those of the kit, and an accent of another version has blue's.
func TestColours(t *testing.T) {
	t.Parallel()
	var kit string
	for _, name := range []string{"tokens.css", "accents.css"} {
		text, err := os.ReadFile("../../web/kit/styles/" + name)
		if err != nil {
			t.Fatal(err)
		}
		kit += string(text)
	}
	for accent, colours := range emails.Colours("violet", "plum", "ruby", "copper", "olive", "green", "teal") {
		rules := regexp.MustCompile(`\[data-accent="`+accent+`"\] \{[^}]*\}`).FindAllString(kit, -1)
		if len(rules) != 2 {
			t.Fatalf("%s: %d rules in the kit, want one a theme", accent, len(rules))
		}
		for n, colour := range colours {
			want := []string{"--d-accent: ", "--d-fill: ", "--d-accent: "}[n] + colour
			if !strings.Contains(rules[min(n, 1)], want+";") {
				t.Errorf("%s: %s is not in %s", accent, want, rules[min(n, 1)])
			}
		}
		html := emails.New(dashboard, fakeHouse{"", "en", accent}).Test(anna).HTML
		if strings.Count(html, colours[0]) != 3 || strings.Count(html, colours[1]) != 1 {
			t.Errorf("%s: HTML %s, want its colours", accent, html)
		}
	}
	for _, colour := range emails.SharedColours() {
		if colour != "#ffffff" && !strings.Contains(kit, colour) { // the kit writes #fff
			t.Errorf("%s is no colour of the kit", colour)
		}
	}
	for _, colour := range emails.Colours("sky")["sky"] {
		if !strings.Contains(kit, colour) || !strings.Contains(emails.New(dashboard,
			fakeHouse{"", "en", "sky"}).Test(anna).HTML, colour) {
			t.Errorf("%s is not the kit's blue", colour)
		}
	}
}

// The emails of a house without a name are signed only with its address.
func TestHouseWithoutName(t *testing.T) {
	t.Parallel()
	for name, m := range all(emails.New(dashboard, fakeHouse{"", "de", ""})) {
		if !strings.HasSuffix(m.Text, "\n\n-- \n"+dashboard+"\n") || strings.Contains(m.HTML, "<bdi>") {
			t.Errorf("%s: text %q, HTML %s; want the address alone as signature", name, m.Text, m.HTML)
		}
	}
}

// No name that is stored for the house can change a header or the markup.
func TestHostileName(t *testing.T) {
	t.Parallel()
	for _, hostile := range []string{
		"A\r\nBcc: eve@example.com", "A\nSubject: Another\n\nBody", "<script>alert(1)</script>", "{{.Link}}",
		`" onclick="x`, "A\x00B",
	} {
		plain := all(emails.New(dashboard, fakeHouse{"", "en", ""}))
		for name, m := range all(emails.New(dashboard, fakeHouse{hostile, "en", hostile})) {
			if m.Subject != plain[name].Subject || m.ReplyTo != "" || !reflect.DeepEqual(m.To, plain[name].To) {
				t.Errorf("name %q, mail %s: %+v, want the header of a house without a name", hostile, name, m)
			}
			if strings.Contains(m.HTML, "<script") || strings.Contains(m.HTML, `" onclick`) ||
				strings.Count(m.HTML, "href=") != 2 || strings.Count(m.Text, links[name]) != 1 {
				t.Errorf("name %q, mail %s: text %q, HTML %s; want no markup of the name's", hostile, name,
					m.Text, m.HTML)
			}
		}
	}
}

// Every language of a house has all texts.
func TestEveryLanguageHasEveryWord(t *testing.T) {
	t.Parallel()
	for _, language := range house.Languages() {
		words := reflect.ValueOf(emails.Words(language))
		if got := words.FieldByName("Language").String(); got != language {
			t.Errorf("the words of %q are those of %q", language, got)
		}
		assertFilled(t, language, words)
	}
}

func assertFilled(t *testing.T, name string, value reflect.Value) {
	t.Helper()
	for i := range value.NumField() {
		field := name + "." + value.Type().Field(i).Name
		switch part := value.Field(i); {
		case part.Kind() == reflect.Struct:
			assertFilled(t, field, part)
		case strings.TrimSpace(part.String()) == "":
			t.Errorf("%s is empty, want a text", field)
		}
	}
}
