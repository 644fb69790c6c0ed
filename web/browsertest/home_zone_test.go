package browsertest

import "testing"

const zoneQuestion = "The house has no time zone yet"

// testZoneOnHome: while the house has no time zone, Home asks those who manage it, and suggests the
// browser's. One press sets it. Then nobody is asked, not even on a page that was open. Who presses second is
// told so, and overwrites nothing. Other people are not asked, and load nothing for it.
func testZoneOnHome(t *testing.T, d *devServer) {
	unzoned := d.call(t, "GET", "/api/v1/house", nil)
	unzoned["timeZone"] = nil
	d.call(t, "PUT", "/api/v1/house", unzoned)
	caretaker := d.caretaker(t).email
	front, slow := d.front(t), d.front(t)
	open := func(h *fixture, email, zone string, v view) *tab {
		p := h.openAs(email, "/#/nowhere", v) // a page that needs nothing of the administration
		p.find("heading", "There is nothing at this address.")
		p.setTimeZone(zone)
		p.runScript(`location.hash = "#/"`)
		p.waitForHome()
		p.find("heading", "Modules")
		return p
	}
	first := open(front, caretaker, "Europe/Berlin", phone)
	first.find("button", "Use Europe/Berlin")
	first.assertFits()
	first.assertAccessible("Home with the question for the zone")
	first.screenshot("home-zone-phone")
	watching := open(front, caretaker, "Europe/Berlin", desktop)
	watching.find("button", "Use Europe/Berlin")
	watching.screenshot("home-zone")
	second := open(slow, caretaker, "Pacific/Apia", desktop)
	second.find("button", "Use Pacific/Apia")
	refreshed := slow.hold("GET /api/v1/house")

	reader := front.openAs(d.member(t, "Reader"), "/#/", desktop) // Account would load the second script
	reader.waitForHome()
	reader.find("heading", "Modules")
	reader.assertNoText(zoneQuestion)

	first.click("button", "Use Europe/Berlin")
	first.waitForAnnouncement("The house's time zone is Europe/Berlin")
	first.waitFor(`document.activeElement.tagName === "H1"`)
	first.assertNoText(zoneQuestion)
	watching.runScript(`dispatchEvent(new Event("focus"))`)
	watching.waitForNone("button", "Use Europe/Berlin")
	watching.assertNoText(zoneQuestion)

	second.click("button", "Use Pacific/Apia")
	refreshed()
	second.waitForAnnouncement("Somebody else has changed this meanwhile.")
	second.waitForNone("button", "Use Pacific/Apia")
	if got := d.query(t, `SELECT coalesce(time_zone, 'none') FROM core.house`); got != "Europe/Berlin" {
		t.Errorf("stored: %s, want the zone of who was first", got)
	}

	first.runScript(`location.hash = "#/admin/house"`)
	first.waitForHeading("House")
	first.find("combobox", "Time zone")
	first.assertNoText(zoneQuestion)
	if loaded := eval[int](reader, `performance.getEntriesByType("resource")
		.filter(({ name }) => name.includes("administration")).length`); loaded != 0 {
		t.Errorf("a page of somebody who is not asked loads the administration %d times", loaded)
	}
}
