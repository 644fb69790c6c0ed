package emails_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/emails"
)

// kept is a Sender that keeps the last message.
type kept struct{ last mail.Message }

func (k *kept) Send(_ context.Context, m mail.Message) mail.SendResult {
	k.last = m
	return mail.Sent
}

// dressed returns what is sent of a message of a module.
func dressed(t *testing.T, house fakeHouse, m mail.Message) mail.Message {
	t.Helper()
	var sender kept
	if got := emails.New(dashboard, house).ForModules(&sender).Send(t.Context(), m); got != mail.Sent {
		t.Errorf("the result is %s, want that of the Sender below", got)
	}
	return sender.last
}

var stAnne = fakeHouse{"St Anne & All", "de", "green"}

// TestModulesMails: the emails of the sample modules have the house's name in both parts, and the same words.
func TestModulesMails(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../modules/*/testdata/mails/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d mails of modules, error %v; want some", len(files), err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		subject, text, _ := strings.Cut(string(content), "\n\n")
		m := dressed(t, stAnne, mail.Message{Subject: subject, Text: text})
		if signature := m.Text[strings.LastIndex(m.Text, "\n-- \n"):]; !strings.HasPrefix(m.Text,
			strings.TrimRight(text, "\n")) || strings.Count(signature, "St Anne & All") != 1 {
			t.Errorf("%s: text %q, want the module's and the house's name once below", file, m.Text)
		}
		assertSameWords(t, file, "St Anne & All", m)
		assertFetchesNothing(t, file, m.HTML)
	}
}

// TestBody: what each form of a text becomes.
func TestBody(t *testing.T) {
	t.Parallel()
	const house = "St Anne & All"
	const item, button = `<li style="margin:0 0 6px;">`, `<a class="press" href="https://a.test/x"`
	for _, c := range []struct {
		name, text    string
		has, hasNot   string
		times         int
		signatureThen string
	}{
		{"paragraphs", "One\n\n\nTwo\nthree", "Two<br>\nthree</p>", "<ul", 1, house},
		{"a list", "- One\n- Two", item, "<br>", 2, house},
		{"a list with a heading", "Sunday\n- One", `font-weight:600;">Sunday</p>`, "Sunday<br>", 1, house},
		{"a button", "See it:\nhttps://a.test/x", button, "See it:", 1, house},
		{"a button after words", "Well.\nSee it:\nhttps://a.test/x", button, "Well.<br>", 1, house},
		{"an address alone", "https://a.test/x", `<a class="link" href="https://a.test/x"`, "press\"", 1,
			house},
		{"an address in words", "See https://a.test/x", "See https://a.test/x</p>", "<a", 1, house},
		{"another scheme", "See it:\njavascript:alert(1)", "alert(1)</p>", "<a", 1, house},
		{"quotes in an address", "See it:\nhttps://a.test/\"onclick=x", "onclick", "<a", 1, house},
		{"markup", "<b>Bold</b>", "&lt;b&gt;Bold", "<b>", 1, house},
		{"line ends of the net", "One\r\n\r\n- Two\r\n", item, "\r", 1, house},
		{"a signature", "One\n\n-- \nThe choir\n", "The choir<br>\nSt Anne &amp; All</p>", "-- ", 1,
			"The choir\nSt Anne & All"},
		{"the house's own signature", "One\n\n-- \nSt Anne & All\n", "<p class=\"foot\"", "All<br>", 1,
			house},
		{"two signatures", "One\n-- \nTwo\n-- \nThree\n", "--<br>", "Three<br>\nThree", 0, "Three\nSt Anne & All"},
	} {
		m := dressed(t, stAnne, mail.Message{Subject: "Choir", Text: c.text})
		_, body, _ := strings.Cut(m.HTML, "</h1>")
		if strings.Count(body, c.has) != c.times || strings.Contains(body, c.hasNot) {
			t.Errorf("%s: %s, want %d times %q, and not %q", c.name, body, c.times, c.has, c.hasNot)
		}
		if !strings.HasSuffix(m.Text, "\n-- \n"+c.signatureThen+"\n") {
			t.Errorf("%s: text %q, want the signature %q", c.name, m.Text, c.signatureThen)
		}
	}
}

// TestLanguageOfMail: a module may say in which language it writes; else it is the house's.
func TestLanguageOfMail(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]string{"": "de", "en": "en"} {
		m := dressed(t, stAnne, mail.Message{Subject: "Choir", Text: "Thursday", Language: language})
		if m.Language != want || !strings.Contains(m.HTML, `<html lang="`+want+`">`) {
			t.Errorf("language %q: sent as %q with %.60q, want %q", language, m.Language, m.HTML, want)
		}
	}
}

// TestAuthorsOwnHTML: an email that has HTML stays as it is, and so does one that would become too long.
func TestAuthorsOwnHTML(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]mail.Message{
		"HTML":      {Subject: "Choir", HTML: "<p>Thursday"},
		"both":      {Subject: "Choir", HTML: "<p>Thursday", Text: "Thursday"},
		"neither":   {Subject: "Choir"},
		"too long":  {Subject: "Choir", Text: strings.Repeat("x", mail.MaxBodyBytes/2)},
		"too long ": {Subject: "Choir", Text: strings.Repeat("\n- x", mail.MaxBodyBytes/20)},
	} {
		if got := dressed(t, stAnne, m); got.Text != m.Text || got.HTML != m.HTML {
			t.Errorf("%s: %.80q and %.80q, want it as it was", name, got.Text, got.HTML)
		}
	}
	long := mail.Message{Subject: "Choir", Text: strings.Repeat("x", mail.MaxBodyBytes/3)}
	if got := dressed(t, stAnne, long); got.HTML == "" {
		t.Error("a third of the longest text has no HTML part, want one")
	}
}

// TestNoHouseName: the house's name is in neither part of an email of a house that has none.
func TestNoHouseName(t *testing.T) {
	t.Parallel()
	m := dressed(t, fakeHouse{"", "en", ""}, mail.Message{Subject: "Choir", Text: "Thursday"})
	if m.Text != "Thursday" || !strings.Contains(m.HTML, "Thursday</p>") || strings.Contains(m.HTML, "<bdi>") {
		t.Errorf("text %q, HTML %s; want no signature", m.Text, m.HTML)
	}
}
