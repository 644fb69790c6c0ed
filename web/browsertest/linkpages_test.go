package browsertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/links"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

// linkPage is a state of the page for people without an account, and a text of it in both languages.
type linkPage struct{ name, address, english, german string }

// TestLinkPages opens the page of a link in each of its states, in English and German, light and dark, on the
// narrowest phone, where everything fits and can be read.
func TestLinkPages(t *testing.T) {
	leaveToProof(t, "it opens a page in seven states and four looks; TestSignUps opens some")
	t.Parallel()
	d := startHouse(t)
	pages := d.linkPages(t)
	for _, language := range []string{"en", "de"} {
		for _, dark := range []bool{false, true} {
			p := openPage(t, "about:blank", view{narrow.width, narrow.height, dark, true})
			p.onNewDocument(fmt.Sprintf(
				`Object.defineProperty(navigator, "languages", { get: () => [%q] })`, language))
			for _, page := range pages {
				what := page.name + "-" + language + map[bool]string{true: "-dark"}[dark]
				p.do(chromedp.Navigate("about:blank"))
				p.do(chromedp.Navigate(page.address))
				p.waitForText(map[string]string{"en": page.english, "de": page.german}[language])
				p.assertFits()
				p.assertAccessible("the page of a link, " + what)
				p.screenshot("linkpage-" + what)
			}
		}
	}
}

// linkPages makes the states: fewer than a client may open in a minute, in all looks together.
func (d *devServer) linkPages(t *testing.T) []linkPage {
	t.Helper()
	event := func(title, sheet string, guests ...string) (address string) {
		t.Helper()
		day := time.Now().UTC().AddDate(0, 0, 5).Format(time.DateOnly)
		made := d.call(t, "POST", calendarRoot+"/events", object{"title": title,
			"text": "Bring a tent and a cup.", "start": day + "T10:00", "end": day + "T18:00"})
		id := made["id"].(string)
		d.exec(t, `
			INSERT INTO module_calendar.sheets (id, event_id, places, closes, queue, questions)
			VALUES ('`+id+`', '`+id+`', `+sheet+`)`)
		for _, name := range guests {
			d.exec(t, fmt.Sprintf(`
				INSERT INTO module_calendar.participants (id, sheet_id, name, email, language, answers, waits)
				VALUES (gen_random_uuid(), '%[1]s', '%[2]s', '%[2]s@example.org', 'en', '{}', false)`, id, name))
		}
		return d.call(t, "POST", calendarRoot+"/events/"+id+"/signups/link", object{})["address"].(string)
	}
	const questions = `[
		{"id":"1","kind":"choice","text":"Which meal?","required":true,"choices":["Soup","Bread"]},
		{"id":"2","kind":"yesno","text":"Do you need a lift?","required":false}]`
	open := event("Summer camp with everybody from the Gemeindehaus", `5, NULL, true, '`+questions+`'`, "Anna")
	own := d.query(t, `
		INSERT INTO module_calendar.participants (id, sheet_id, name, email, language, answers, waits)
		SELECT gen_random_uuid(), id, 'Clara Guest', 'clara@example.org', 'en', '{"1":"Soup"}', false
		FROM module_calendar.sheets WHERE questions <> '[]' RETURNING id::text`)
	volunteer := d.query(t, `
		SELECT volunteer_id::text FROM module_rota.assignments WHERE status = 'open' AND NOT settled LIMIT 1`)
	return []linkPage{
		{"rota", d.linkFor(t, "rota", "rota.link.respond", volunteer), "Can you?", "Können Sie?"},
		{"free", open, "3 places are free.", "3 Plätze sind frei."},
		{"waiting", event("Market", `1, NULL, true, '[]'`, "Ben"), "All places are taken.",
			"Alle Plätze sind vergeben."},
		{"full", event("Concert", `1, NULL, false, '[]'`, "Dan"), "All places are taken.",
			"Alle Plätze sind vergeben."},
		{"closed", event("Walk", `0, now() - interval '2 days', false, '[]'`), "Sign-up has closed.",
			"Die Anmeldung ist geschlossen."},
		{"own", d.linkFor(t, "calendar", "calendar.signups.guest", "signup:"+own), "You have a place.",
			"Sie haben einen Platz."},
		{"unknown", d.address + "/link/calendar#" + strings.Repeat("A", 43), "This link does not work any more.",
			"Dieser Link funktioniert nicht mehr."},
	}
}

// linkFor makes a link as the module does for a mail.
func (d *devServer) linkFor(t *testing.T, module, permission, subject string) (address string) {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), d.database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	service, err := links.New(links.Config{Store: links.NewStore(pool), Limiter: ratelimit.New(),
		Origin: environment.Origin(d.address)})
	if err != nil {
		t.Fatal(err)
	}
	if address, err = service.Create(t.Context(), "", "", module, permission, subject, time.Time{}); err != nil {
		t.Fatal(err)
	}
	return address
}
