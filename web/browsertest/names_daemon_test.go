package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestNamesNotIDs: pickers and reasons have the names of modules, also of those that do not run, and of
// permissions; permissions of screens are not offered for people; and names are shown as people write them.
func TestNamesNotIDs(t *testing.T) {
	leaveToProof(t, "it looks at the words of several screens")
	t.Parallel()
	d := startHouse(t)
	d.exec(t, `INSERT INTO core.module_enablement (module_id, enabled) VALUES ('rota', false)
		ON CONFLICT (module_id) DO UPDATE SET enabled = false`)
	d.restart(t)
	p := d.openAs(t, "owner@example.org", "/#/admin/permissions", desktop)
	p.click("button", "Give permission")
	p.enter("combobox", "Permission", "plan who serves")
	p.waitForVisibleText("Plan who serves when, and see all volunteers")
	p.waitFor(`[...document.querySelectorAll(".d-options")].some((list) => list.innerText.startsWith("Rota\n"))`)
	p.screenshot("names-picker-en")
	p.enter("combobox", "Permission", "display.view")
	p.waitForVisibleText("Nothing matches.")
	p.key("\x1b")
	p.key("\x1b")
	p.runScript(`location.hash = "#/admin/people"`)
	p.click("button", "Invite people")
	p.enter("searchbox", "Find a permission", "rota.manage")
	p.waitFor(`document.querySelector(".host-picker li .d-second")?.innerText === "Rota"`)
	p.enter("searchbox", "Find a permission", "display.view")
	p.waitFor(`document.querySelector(".host-picker").innerText.includes("Nothing matches.")`)

	anna := d.addPerson(t, "anna@example.org", "anna von Berg")
	d.grant(t, anna, "core.modules.lifecycle.manage", "NULL")
	member := d.openAs(t, "anna@example.org", "/#/admin/activity", desktop)
	member.waitForText("You no longer have access (See who changed what).")
	member.screenshot("names-no-access-en")
	member.setLanguage("de")
	member.reload()
	member.waitForText("Sie haben keinen Zugang mehr (Ansehen, wer was geändert hat).")
	member.runScript(`location.hash = "#/admin/modules"`)
	member.click("switch", "Nach Neustart starten: Countdown")
	member.click("button", "Ausschalten")
	member.waitForText("Wird beim nächsten Neustart beendet")
	p.do(chromedp.Navigate(d.address + "/#/admin/activity"))
	p.waitForText("anna von Berg switched Countdown off")
}

// TestModulesWithoutPreview: the list of modules stays when the consequences cannot be computed, and a switch
// says so.
func TestModulesWithoutPreview(t *testing.T) {
	leaveToProof(t, "it takes a table away from the platform")
	t.Parallel()
	d := startHouse(t)
	d.exec(t, `INSERT INTO core.module_enablement (module_id, enabled)
		VALUES ('countdown', false), ('stage', false) ON CONFLICT (module_id) DO UPDATE SET enabled = false`)
	d.exec(t, `ALTER TABLE core.device RENAME TO device_lost`)
	p := d.openAs(t, "owner@example.org", "/#/admin/modules", desktop)
	p.waitForText("7 running, 0 blocked, 0 off")
	p.waitForText("Stops at the next restart")
	p.click("switch", "Start after restart: Announcements")
	p.waitForAnnouncement("That did not work just now.")
	p.find("switch", "Start after restart: Announcements")
	d.exec(t, `ALTER TABLE core.device_lost RENAME TO device`)
}
