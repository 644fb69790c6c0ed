package browsertest

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

const (
	// quickMinutes makes what happens once a minute happen ten times a second, and counts it in minutes.
	quickMinutes = `
		const every = window.setInterval;
		window.minutes = 0;
		window.setInterval = (run, after, ...more) =>
			after === 60000 ? every(() => { run(...more); minutes++; }, 100) : every(run, after, ...more);`

	// daysLater moves the page, and what the server tells it about its time, some days on.
	daysLater = `
		const later = (days) => {
			const [parse, now, by] = [Date.parse, performance.now.bind(performance), days * 86400000];
			performance.now = () => now() + by;
			Date.parse = (text) => parse(text) + (/GMT$|\.\d+Z$/.test(text) ? by : 0);
		};`
)

// TestCalendarOpenOvernight: a calendar that nobody touches shows the new day after midnight: its mark in the
// month, and the first day of a phone's list. A month that was chosen stays.
func TestCalendarOpenOvernight(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	today := time.Now().UTC()
	for at := range 3 {
		at := today.AddDate(0, 0, at).Format(time.DateOnly)
		d.call(t, "POST", calendarRoot+"/events", object{"title": "Open door", "start": at, "end": at})
	}
	p := openPage(t, "about:blank", desktop)
	p.onNewDocument(quickMinutes)
	p.do(chromedp.Navigate(d.address))
	p.signInAs("owner@example.org", d.password)
	p.waitForHome()
	p.runScript(`location.hash = "#/m/calendar"`)
	p.waitFor(`document.querySelector(".month .today")`)
	const marked = `document.querySelector(".month .today").dataset.day`
	p.runScript(`window.before = ` + marked + `;` + daysLater + `later(1)`)
	p.waitFor(marked + ` === new Date(Date.parse(before) + 86400000).toISOString().slice(0, 10)`)
	p.waitFor(`document.querySelector(".month [tabindex='0']").className.includes("today")`)
	p.setView(phone)
	p.waitFor(`document.querySelector(".agenda h3")?.className === "today"`)

	p.setView(desktop)
	p.runScript(`location.hash = "#/m/calendar/month/2031-03-10"`)
	p.waitForText("March 2031")
	p.runScript(daysLater + `later(40); minutes = 0`)
	p.waitFor(`minutes > 5`)
	if !eval[bool](p, `document.querySelector(".month").ariaLabel === "March 2031"`) {
		t.Error("the night moves a month that was chosen")
	}
}
