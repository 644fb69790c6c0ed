package browsertest

import "testing"

// TestFirstSteps: on a new house Home leads through five steps, each of which is ticked when the server says
// that it is done. When all are done, the path is gone. Only somebody who manages the house sees it.
func TestFirstSteps(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	d.exec(t, `DELETE FROM module_announcements.slides`) // a house without the samples
	d.member(t, "Unused")
	d.exec(t, `DELETE FROM core.person WHERE email <> 'owner@example.org'`)
	p := d.openAs(t, "owner@example.org", "/#/", view{width: 390, height: 844, reduced: true})
	home := func(progress string) {
		t.Helper()
		p.runScript(`location.hash = "#/"`)
		p.waitForHome()
		p.waitForText(progress)
	}
	home("0 of 5 done")
	p.assertFits()
	p.assertAccessible("Home of a new house")
	p.screenshot("first-steps-phone")

	p.click("link", "Name the house")
	p.waitForHeading("House")
	p.fill("Name of the house optional", "Hill Street Church")
	p.runScript(`const zone = [...document.querySelectorAll("main select")]
		.find((select) => [...select.options].some(({ value }) => value === "Europe/Berlin"));
		zone.value = "Europe/Berlin"; zone.dispatchEvent(new Event("change", { bubbles: true }))`)
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	home("1 of 5 done")

	p.click("link", "Choose a colour")
	p.waitForHeading("House")
	p.click("radio", "Copper")
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	home("2 of 5 done")

	p.click("link", "Invite somebody")
	p.click("button", "Invite people")
	p.fill("E-mail addresses", "ruth@example.org")
	p.click("button", "Invite 1 person")
	p.waitForAnnouncement("1 person is invited")
	home("3 of 5 done")
	p.setView(desktop)
	p.assertAccessible("Home of a house that is half set up")
	p.screenshot("first-steps-desktop")

	screen := openPage(t, d.address+"/display/announcements", tv)
	code := screen.pairingCode()
	p.click("link", "Pair a screen")
	p.fill("Code on the screen", code)
	p.key("\r")
	p.fill("Name this screen", "Foyer")
	p.click("checkbox", "I can see this code on the screen right now")
	p.click("button", "Pair this screen")
	p.waitForAnnouncement("Paired as “Foyer”")
	home("4 of 5 done")

	p.click("link", "Write a notice")
	p.fill("Title", "Harvest supper")
	p.click("button", "Save")
	p.find("link", "Harvest supper")
	p.runScript(`location.hash = "#/"`)
	p.waitForHome()
	p.find("heading", "Modules")
	p.waitForNone("heading", "Set up your house")

	d.exec(t, `DELETE FROM module_announcements.slides`)
	reader := d.openAs(t, d.member(t, "Reader"), "/#/", desktop)
	reader.waitForHome()
	reader.find("heading", "Modules")
	reader.assertNoText("Set up your house")
}

// TestFirstStepsHidden: whoever does not want the path hides it in this browser, and who likes the first
// colour says so.
func TestFirstStepsHidden(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	p := d.openAs(t, "owner@example.org", "/#/", desktop)
	p.waitForText("1 of 5 done") // the samples have notices
	p.click("button", "Blue is right")
	p.waitForText("2 of 5 done")
	p.setLanguage("de")
	p.setView(view{width: 320, height: 640, reduced: true})
	p.reload()
	p.waitForText("2 von 5 erledigt")
	p.assertFits()
	p.screenshot("first-steps-german")
	p.click("button", "Diese Schritte ausblenden")
	p.waitForNone("heading", "Ihr Haus einrichten")
	p.reload()
	p.find("heading", "Module")
	p.assertNoText("Ihr Haus einrichten")
}
