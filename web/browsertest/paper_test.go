package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// onlyOnScreens are words of the navigation and of controls, which no paper has.
var onlyOnScreens = []string{"Account", "Skip to", "Announcements", "Permissions", "Print", "Undo", "More"}

// printed prints the page as a PDF and returns the text of each sheet, with its lines as they stand on it.
// The PDF is kept if NARTHEX_SCREENSHOTS is set.
func (p *tab) printed(name string) (sheets []string) {
	p.t.Helper()
	p.waitForFrames()
	own := true
	pdf, err := chromedp.Run(p.ctx, func(ctx context.Context, t *chromedp.Target) ([]byte, error) {
		made, err := cdp.Call(ctx, t, page.PrintToPDF, page.PrintToPDFParams{
			PaperWidth: 8.27, PaperHeight: 11.69, PreferCSSPageSize: &own})
		return made.Data, err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	folder := os.Getenv("NARTHEX_SCREENSHOTS")
	if folder == "" {
		folder = p.t.TempDir()
	}
	file := filepath.Join(folder, name+".pdf")
	if err := os.WriteFile(file, pdf, 0o600); err != nil {
		p.t.Fatal(err)
	}
	text, err := exec.CommandContext(p.t.Context(), "pdftotext", "-layout", file, "-").Output()
	if err != nil {
		p.t.Fatalf("pdftotext is needed (apt-get install poppler-utils): %v", err)
	}
	sheets = strings.Split(strings.TrimSuffix(string(text), "\f"), "\f")
	for n, sheet := range sheets {
		for _, words := range onlyOnScreens {
			if strings.Contains(sheet, words) {
				p.t.Errorf("%s: sheet %d has %q, which is only for a screen:\n%s", name, n+1, words, sheet)
			}
		}
	}
	return sheets
}

// wantOnPaper fails the test unless a sheet has all these words, in this order.
func (p *tab) wantOnPaper(name, sheet string, words ...string) {
	p.t.Helper()
	rest := sheet
	for _, one := range words {
		at := strings.Index(rest, one)
		if at < 0 {
			p.t.Errorf("%s: the sheet has no %q there:\n%s", name, one, sheet)
			return
		}
		rest = rest[at+len(one):]
	}
}

// wantSheets fails the test unless there are this many sheets.
func (p *tab) wantSheets(name string, sheets []string, want int) {
	p.t.Helper()
	if len(sheets) != want {
		p.t.Fatalf("%s: %d sheets, want %d:\n%s", name, len(sheets), want, strings.Join(sheets, "\n---\n"))
	}
}

// printedToday is how the page writes the day in the head of a sheet.
func (p *tab) printedToday() string {
	return eval[string](p, `new Intl.DateTimeFormat(navigator.language, { dateStyle: "medium",
		timeZone: "Europe/Berlin" }).format(new Date())`)
}

// monthName is how the page writes a month.
func (p *tab) monthName(month string) string {
	return eval[string](p, `new Intl.DateTimeFormat(navigator.language, { month: "long", year: "numeric",
		timeZone: "UTC" }).format(new Date("`+month+`-15"))`)
}

// TestPaperOfTheRota: a month of the rota is one sheet, with the house, the day, the period, and who serves;
// not with who has declined, nor with what only coordinators need.
func TestPaperOfTheRota(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	d.setHouse(t, "Holy Trinity", "blue", "en")
	d.setZone(t, "Europe/Berlin")
	d.exec(t, `UPDATE module_rota.assignments SET status = CASE
		WHEN volunteer_id IN (SELECT id FROM module_rota.volunteers ORDER BY label LIMIT 1) THEN 'no'
		ELSE 'yes' END`)
	month := d.query(t, `SELECT to_char(min(starts_at) AT TIME ZONE 'Europe/Berlin', 'YYYY-MM')
		FROM module_stage.services WHERE starts_at > now()`)
	p := d.openAs(t, "owner@example.org", "/#/m/rota/board/"+month, desktop)
	p.find("button", "More")
	p.waitFor(`document.querySelector(".rota .grid")`)
	no := d.query(t, `SELECT label FROM module_rota.volunteers ORDER BY label LIMIT 1`)
	yes := d.query(t, `SELECT v.label FROM module_rota.volunteers AS v JOIN module_rota.assignments AS a
		ON a.volunteer_id = v.id JOIN module_stage.services AS s ON s.id::text = a.service_ref
		WHERE a.status = 'yes' AND to_char(s.starts_at AT TIME ZONE 'Europe/Berlin', 'YYYY-MM') = $1
		ORDER BY label DESC LIMIT 1`, month)
	sheets := p.printed("paper-rota")
	p.wantSheets("rota", sheets, 1)
	p.wantOnPaper("rota", sheets[0], "Holy Trinity", p.printedToday(), "Rota", p.monthName(month), "Service",
		yes)
	for _, words := range []string{no, "Mails", "Fill empty", "Volunteers", "Accepted", "Send requests"} {
		if strings.Contains(sheets[0], words) {
			t.Errorf("the sheet of the rota has %q:\n%s", words, sheets[0])
		}
	}
}

// TestPaperOfTheCalendar: a month and a week are one sheet each, with every event of a full day, and each
// room with events has a sheet for its door.
func TestPaperOfTheCalendar(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	d.setHouse(t, "Holy Trinity", "blue", "en")
	d.setZone(t, "Europe/Berlin")
	owner := d.signedInOwner(t)
	var rooms []string
	for _, name := range []string{"Hall of paper", "Kitchen of paper"} {
		body := jsonOf(t, object{"name": name})
		d.send(t, owner, "POST", "/api/v1/modules/calendar/rooms", strings.NewReader(body))
		rooms = append(rooms, d.query(t, `SELECT id::text FROM module_calendar.rooms WHERE name = $1`, name))
	}
	for hour := 8; hour < 12; hour++ {
		body := fmt.Sprintf(`{"title":"Meeting at %d","start":"2027-03-10T%02d:00","end":"2027-03-10T%02d:45",
			"rooms":[%s]}`, hour, hour, hour, rooms[hour%2])
		d.send(t, owner, "POST", "/api/v1/modules/calendar/events", strings.NewReader(body))
	}
	p := d.openAs(t, "owner@example.org", "/#/m/calendar/month/2027-03-10", desktop)
	p.waitForText("Meeting at 8")
	sheets := p.printed("paper-month")
	p.wantSheets("month", sheets, 1)
	p.wantOnPaper("month", sheets[0], "Holy Trinity", p.printedToday(), "March 2027", "Meeting at 8",
		"Meeting at 10", "Meeting at 11")
	p.runScript(`location.hash = "#/m/calendar/week/2027-03-10"`)
	p.waitFor(`document.querySelector(".week")?.innerText.includes("Meeting at 11")`)
	sheets = p.printed("paper-week")
	p.wantSheets("week", sheets, 1)
	p.wantOnPaper("week", sheets[0], "Holy Trinity", "Mar 8", "Meeting at 8", "Meeting at 11")

	p.runScript(`location.hash = "#/m/calendar/month/2027-03-10"`)
	p.chooseMenuItem("More", "Door list")
	p.waitForHeading("Door list")
	p.waitForText("Meeting at 11")
	p.assertFits()
	p.screenshot("paper-doors-screen")
	sheets = p.printed("paper-doors")
	p.wantSheets("door list", sheets, eval[int](p, `document.querySelectorAll(".door").length`))
	of := func(room string) string {
		return sheets[slices.IndexFunc(sheets, func(sheet string) bool { return strings.Contains(sheet, room) })]
	}
	p.wantOnPaper("the first door", sheets[0], "Holy Trinity", p.printedToday(), "Door list", "Church")
	p.wantOnPaper("hall", of("Hall of paper"), "Hall of paper", "March 10, 2027", "Meeting at 8",
		"Meeting at 10")
	p.wantOnPaper("kitchen", of("Kitchen of paper"), "Kitchen of paper", "Meeting at 9", "Meeting at 11")
}

// TestPaperOfAService: an order of service is one sheet alone, more with the words, and musicians get the
// chords in the key of the item. No part of a song is on two sheets.
func TestPaperOfAService(t *testing.T) {
	t.Parallel()
	s := startStage(t)
	verse := "[G]Amaz[C/E]ing grace! how [G]sweet the [D]sound\nThat saved a wretch like me"
	sections := []object{{"label": "Chorus", "text": "Praise him, praise him"}}
	order := []string{}
	for n := range 8 {
		label := fmt.Sprintf("Verse %d", n+1)
		sections = append(sections, object{"label": label, "text": verse})
		order = append(order, label, "Chorus")
	}
	hymn := s.create("/songs", object{"title": "Amazing Grace", "credit": "John Newton", "ccli": "22025",
		"order": order, "sections": sections})
	sunday := s.create("/services", object{"title": "On paper", "startsAt": timestamp(time.Now())})
	for range 2 {
		s.create("/services/"+sunday+"/items", object{"kind": "song", "songId": hymn, "seconds": 240,
			"transpose": 2})
	}
	s.create("/services/"+sunday+"/items", object{"kind": "reading", "title": "Psalm 23",
		"text": "The Lord is my shepherd\n\nHe makes me lie down", "seconds": 120})
	p := s.openOwner("service/"+sunday, desktop)
	p.click("button", "Print")
	p.find("button", "To the order of service")
	p.waitForText("Psalm 23")
	sheets := p.printed("paper-order")
	p.wantSheets("order", sheets, 1)
	p.wantOnPaper("order", sheets[0], "On paper", "Amazing Grace", "Song", "Amazing Grace",
		"Psalm 23", "Reading")
	if strings.Contains(sheets[0], "shepherd") {
		t.Errorf("the order alone has words:\n%s", sheets[0])
	}
	p.click("radio", "With words")
	p.waitForText("The Lord is my shepherd")
	sheets = p.printed("paper-words")
	p.wantSheets("words", sheets, 2)
	p.wantOnPaper("words", sheets[0], "Verse 1", "Amazing grace! how sweet the sound", "Chorus", "Praise him",
		"Verse 2", "Verse 8", "John Newton · CCLI 22025")
	p.wantOnPaper("words", strings.Join(sheets, ""), "The Lord is my shepherd", "He makes me lie down")
	p.assertFits()
	p.screenshot("paper-words-screen")
	p.click("radio", "With chords")
	p.waitFor(`document.querySelector(".sheet .chord")?.innerText === "A"`)
	sheets = p.printed("paper-chords")
	p.wantOnPaper("chords", sheets[0], "A", "D/F#", "E", "That saved a wretch like me")
	for n, sheet := range sheets {
		if strings.Count(sheet, "how sweet") != strings.Count(sheet, "That saved") {
			t.Errorf("a verse is on two sheets, the first of which is %d:\n%s", n+1, sheet)
		}
	}
}
