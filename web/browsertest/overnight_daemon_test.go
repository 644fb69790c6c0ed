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

// TestClockChangeNights: a calendar that is open in the nights in which the house's clocks change shows the
// next day at midnight: after a day of 23 hours, and after one of 25.
func TestClockChangeNights(t *testing.T) {
	leaveToProof(t, "TestCalendarOpenOvernight has a usual night")
	t.Parallel()
	d := startHouse(t)
	d.exec(t, `UPDATE core.house SET time_zone = 'Europe/Berlin'`)
	d.restart(t)
	p := openPage(t, "about:blank", desktop)
	p.onNewDocument(quickMinutes)
	p.do(chromedp.Navigate(d.address))
	p.signInAs("owner@example.org", d.password)
	p.waitForHome()
	p.runScript(`location.hash = "#/m/calendar"`)
	p.waitFor(`document.querySelector(".month .today")`)
	p.runScript(daysLater + `window.now = Date.now(); window.at = (moment) => {
		const to = new Date(...moment).getTime();
		later((to - now) / 86400000);
		now = to;
	}`)
	for _, night := range []struct{ month, at, marked string }{
		{"2027-03-28", "2027-03-27T22:30Z", "2027-03-27"},
		{"2027-03-28", "2027-03-27T23:30Z", "2027-03-28"},
		{"2027-03-28", "2027-03-28T21:30Z", "2027-03-28"}, // 23:30 in summer, 24 hours after the midnight of winter
		{"2027-03-28", "2027-03-28T22:30Z", "2027-03-29"},
		{"2027-10-15", "2027-10-30T22:30Z", "2027-10-31"},
		{"2027-10-15", "2027-10-31T22:30Z", "2027-10-31"}, // 23:30 in winter, 24 hours after the same in summer
		{"2027-11-15", "2027-10-31T23:30Z", "2027-11-01"},
	} {
		p.runScript(`location.hash = "#/m/calendar/month/` + night.month + `";
			at(["` + night.at + `"]);
			minutes = 0`)
		p.waitFor(`minutes > 3`)
		p.waitFor(`document.querySelector(".month .today")?.dataset.day === "` + night.marked + `"`)
	}
}
