package browsertest

import (
	"strings"
	"testing"
)

const (
	houseScreenPath = "/#/admin/house"
	houseRoute      = "PUT /api/v1/house"
	brand           = `document.querySelector(".host-banner .host-brand").innerText.trim()`
	accentShown     = `document.documentElement.dataset.accent`
)

// TestHouseScreen changes the name and the colour of a house. All tests change the same one, so they run one
// after another.
func TestHouseScreen(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	for name, test := range map[string]func(t *testing.T, d *devServer){
		"Changed":    testHouseChanged,
		"OfOthers":   testHouseOfOthers,
		"Backup":     testHouseBackup,
		"Fails":      testHouseFails,
		"Refused":    testHouseRefused,
		"Name":       testHouseName,
		"SignedOut":  testHouseSignedOut,
		"ZoneOnHome": testZoneOnHome,
		"Website":    testHouseWebsite,
	} {
		t.Run(name, func(t *testing.T) {
			d.setHouse(t, "Hill Street Church", "copper", "en")
			test(t, d)
		})
	}
}

// caretaker is a front for somebody who manages the house and its modules.
func (d *devServer) caretaker(t *testing.T) *fixture {
	t.Helper()
	h := d.front(t)
	h.email = d.member(t, "Ada", "core.house.manage", "core.modules.lifecycle.manage")
	h.session = d.signIn(t, h.email)
	return h
}

// setHouse changes the house as another administrator would.
func (d *devServer) setHouse(t *testing.T, name, accent, language string) {
	t.Helper()
	stored := d.call(t, "GET", "/api/v1/house", nil)
	d.call(t, "PUT", "/api/v1/house", object{"name": name, "accent": accent, "language": language,
		"timeZone": stored["timeZone"], "secondFactor": stored["secondFactor"], "rev": stored["rev"]})
}

// storedHouse returns what is stored: "name, accent, language".
func (d *devServer) storedHouse(t *testing.T) string {
	t.Helper()
	return d.query(t, `SELECT coalesce(name, 'null') || ', ' || accent || ', ' || language FROM core.house`)
}

// testHouseChanged changes the name, colour and email language of the house. The page shows them at once.
func testHouseChanged(t *testing.T, d *devServer) {
	d.exec(t, `INSERT INTO core.backup_run (verified_at) VALUES ('2026-11-15T03:04:05Z')`)
	p := d.caretaker(t).open(houseScreenPath, desktop)
	p.waitForHeading("House")
	p.find("radiogroup", "Colour")
	p.waitFor(accentShown + ` === "copper"`)
	p.waitForText("Last verified Nov 15, 2026")
	p.waitForText("narthex mail:test -- --email ADDRESS")
	p.find("button", "Copy the command")
	p.fill("Name of the house optional", "  Harbour Church ")
	p.click("radio", "Teal")
	p.waitFor(`document.querySelector(".host-house-preview [data-theme=dark][data-accent=teal]").innerText` +
		`.includes("Harbour Church")`)
	const colours = `[".host-swatches", ".host-house-preview [data-theme=light]"].map((place) =>
		new Set([...document.querySelectorAll(place + " .d-mark")].map((mark) => getComputedStyle(mark).color)))`
	if drawn := eval[int](p, colours+`[0].size`); drawn != 8 {
		t.Errorf("the eight colours are drawn in %d", drawn)
	}
	if light := eval[string](p, `[...`+colours+`[1]].join()`); light != "rgb(2, 107, 117)" {
		t.Errorf("the light preview of teal is %s", light)
	}
	if shown := eval[string](p, accentShown); shown != "copper" {
		t.Errorf("the page is %s before anything was saved, want copper", shown)
	}
	p.runScript(`const select = document.querySelector("main select"); select.value = "de";` +
		`select.dispatchEvent(new Event("change", { bubbles: true }))`)
	p.runScript(`const select = document.querySelectorAll("main select")[1]; select.value = "Pacific/Apia";` +
		`select.dispatchEvent(new Event("change", { bubbles: true }))`)
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	p.waitFor(brand + ` === "Harbour Church" && ` + accentShown + ` === "teal"`)
	if got := d.storedHouse(t); got != "Harbour Church, teal, de" {
		t.Errorf("stored: %s", got)
	}
	if got := d.query(t, `SELECT coalesce(time_zone, 'null') FROM core.house`); got != "Pacific/Apia" {
		t.Errorf("stored zone: %s, want Pacific/Apia", got)
	}
	// Of an old revision, so that nothing is stored.
	p.runScript(`const stored = await (await fetch("/api/v1/house")).json();
		const refused = [];
		for (const timeZone of ["UTC", ...Intl.supportedValuesOf("timeZone")]) {
			const { status } = await fetch("/api/v1/house", { method: "PUT",
				headers: { "Content-Type": "application/json" },
				body: JSON.stringify({ ...stored, timeZone, rev: 0 }) });
			if (status === 400) refused.push(timeZone + " " + status);
		}
		window.refusedZones = refused;`)
	if refused := eval[[]string](p, `window.refusedZones`); len(refused) > 0 {
		t.Errorf("zones that the page offers and the server refuses: %v", refused)
	}

	p.fill("Name of the house optional", " ")
	p.click("button", "Save")
	p.waitFor(brand + ` === "Dashboard"`)
	if got := d.storedHouse(t); got != "null, teal, de" {
		t.Errorf("with an empty name stored: %s, want null", got)
	}
}

// testHouseOfOthers: a change by another administrator appears, and is not overwritten when somebody changes
// another field.
func testHouseOfOthers(t *testing.T, d *devServer) {
	p := d.caretaker(t).open(houseScreenPath, desktop)
	p.click("radio", "Plum")
	d.setHouse(t, "Theirs", "olive", "de")
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitFor(`document.querySelector(".host-house-form input").value === "Theirs"`)
	p.click("button", "Save")
	p.waitForAnnouncement("Saved, together with what somebody else has changed meanwhile: " +
		"Name of the house, Language of mails")
	if got := d.storedHouse(t); got != "Theirs, plum, de" {
		t.Errorf("stored: %s, want what both have changed", got)
	}
}

// testHouseBackup: the state of the backups is described in words.
func testHouseBackup(t *testing.T, d *devServer) {
	d.exec(t, `TRUNCATE core.backup_run`)
	p := d.caretaker(t).open(houseScreenPath, phone)
	p.waitForText("No backup has been verified yet.")
	d.exec(t, `INSERT INTO core.backup_run (verified_at, verdict) VALUES (now(), 'BACKUP_INCOMPLETE')`)
	p.runScript(`location.reload()`)
	p.waitForText("BACKUP_INCOMPLETE")
}

// testHouseFails: reading the house is retried after a failure, and the rest of the screen works without the
// state of the backups.
func testHouseFails(t *testing.T, d *devServer) {
	h := d.caretaker(t)
	h.respond("GET /api/v1/house/backup", 503, `{"code":"STORE_UNAVAILABLE"}`)
	h.respond("GET /api/v1/house", 503, `{"code":"STORE_UNAVAILABLE"}`)
	p := h.open(houseScreenPath, desktop)
	p.waitForText("STORE_UNAVAILABLE")
	h.restore("GET /api/v1/house")
	p.retry()
	p.find("radiogroup", "Colour")
	p.waitForText("That did not work just now.")
	p.find("button", "Copy the command")
}

// testHouseRefused: every refusal is reported, and the typed values stay. Cancel asks before it discards
// them.
func testHouseRefused(t *testing.T, d *devServer) {
	answer := func(status int, code string) func(h *fixture, p *tab) {
		return func(h *fixture, _ *tab) { h.respond(houseRoute, status, `{"code":"`+code+`"}`) }
	}
	for name, row := range map[string]struct {
		before func(h *fixture, p *tab)
		words  string
	}{
		"name": {answer(400, "REQUEST_INVALID"), "This name cannot be used."},
		"forbidden": {func(h *fixture, _ *tab) { d.revoke(t, h.email, "core.house.manage") },
			"You no longer have access (Change the house's name, colour and language)."},
		"conflict": {answer(409, "CONFLICT"), "Somebody else has changed this meanwhile."},
		"failed":   {answer(503, "STORE_UNAVAILABLE"), "That did not work just now."},
		"offline": {func(_ *fixture, p *tab) { p.offline(true) },
			"You are offline. Nothing is lost, nothing is saved yet."},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "forbidden")
			t.Parallel()
			h := d.caretaker(t)
			p := h.open(houseScreenPath, desktop)
			p.fill("Name of the house optional", "Harbour Church")
			p.click("radio", "Teal")
			row.before(h, p)
			p.click("button", "Save")
			p.waitForVisibleText(row.words)
			p.offline(false)
			p.waitFor(`document.querySelector(".host-house-form input").value === "Harbour Church" && ` +
				`document.querySelector("[value=teal]").checked`)
			p.waitFor(brand + ` === "Hill Street Church"`)
			p.click("button", "Cancel")
			p.find("dialog", "Discard what you have typed?")
			p.click("button", "Discard")
			p.waitFor(`document.querySelector(".host-house-form input").value === "Hill Street Church"`)
			p.click("link", "Modules")
			p.waitForHeading("Modules")
		})
	}
}

// testHouseName: a name has at most 80 characters, counted as people see them, and a longer one is not sent.
func testHouseName(t *testing.T, d *devServer) {
	h := d.caretaker(t)
	p := h.open(houseScreenPath, desktop)
	p.fill("Name of the house optional", strings.Repeat("𝄞", 81))
	p.click("button", "Save")
	p.waitForVisibleText("At most 80 characters.")
	if n := h.countRequests(houseRoute); n != 0 {
		t.Errorf("a name of 81 characters made %d writes, want none", n)
	}
	p.waitFor(`document.activeElement.getAttribute("aria-invalid") === "true"`)
	p.fill("Name of the house optional", strings.Repeat("𝄞", 80))
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	if got := d.storedHouse(t); got != strings.Repeat("𝄞", 80)+", copper, en" {
		t.Errorf("stored: %s, want a name of 80 characters", got)
	}
}

// testHouseSignedOut: a person whose session has ended signs in again, and returns to the same screen with
// the typed values. A person who leaves the screen is told that they are kept, and can discard them.
func testHouseSignedOut(t *testing.T, d *devServer) {
	h := d.caretaker(t)
	p := h.open(houseScreenPath, desktop)
	p.fill("Name of the house optional", "Harbour Church")
	p.click("radio", "Teal")
	h.endSession()
	p.click("button", "Save")
	p.waitForHeading("Sign in")
	p.fill("E-mail", h.email)
	p.fill("Password", d.password)
	p.click("button", "Sign in")
	p.waitForHeading("House")
	p.waitFor(accentShown + ` === "copper"`)
	p.waitFor(typedHouse)
	p.click("link", "Modules")
	p.waitForHeading("Modules")
	p.waitForAnnouncement("Your draft is kept.")
	p.click("link", "House")
	p.waitForHeading("House")
	p.waitFor(typedHouse)
	p.click("button", "Discard")
	p.waitFor(`!(` + typedHouse + `)`)
}

const typedHouse = `document.querySelector(".host-house-form input").value === "Harbour Church" && ` +
	`document.querySelector("[value=teal]").checked`

// testHouseWebsite: who may make addresses of the house makes one for its website here; others do not see
// the section.
func testHouseWebsite(t *testing.T, d *devServer) {
	p := d.caretaker(t).open(houseScreenPath, desktop)
	p.find("button", "Copy the command")
	p.assertNoText("For your website")
	h := d.front(t)
	h.email = d.member(t, "Ben", "core.house.manage", "core.links.manage", "calendar.public.read")
	h.session = d.signIn(t, h.email)
	p = h.open(houseScreenPath, desktop)
	p.find("heading", "For your website")
	p.click("button", "Add")
	p.click("button", "Make address")
	p.find("dialog", "The address for Website")
	address := p.shownAddress()
	p.click("button", "Done")
	assertCalendar(t, address, 200)
	p.assertFits()
	p.screenshot("house-website")
	p.click("button", "More for Website")
	p.click("menuitem", "End …")
	p.click("button", "End")
	p.waitForNone("button", "More for Website")
	assertCalendar(t, address, 404)
}
