package browsertest

import "testing"

// TestInGerman: names, permissions, settings and their values are in the language of the page, those of
// modules too, and follow it without a reload of the data.
func TestInGerman(t *testing.T) {
	leaveToProof(t, "it opens several screens in a second language")
	t.Parallel()
	d := startHouse(t)
	d.addPerson(t, "anna@example.org", "Anna")
	p := d.openAs(t, "owner@example.org", "/#/admin/modules/rota/settings", desktop)
	p.setLanguage("de")
	p.reload()
	for _, text := range []string{
		"Einstellungen: Dienstplan", "Tage bis zur Erinnerung", "remindDaysBefore", "Montag", "Standard Montag",
		"Wie viele Tage vor einem Gottesdienst",
	} {
		p.waitForVisibleText(text)
	}
	p.find("textbox", "Tage bis zur Erinnerung")
	p.find("link", "Meldungen") // in the navigation
	p.runScript(`location.hash = "#/admin/modules"`)
	p.find("switch", "Nach Neustart starten: Kalender")
	p.runScript(`location.hash = "#/admin/permissions"`)
	p.click("button", "Berechtigung geben")
	p.enter("combobox", "Berechtigung", "Räume buchen")
	p.waitForVisibleText("Termine schreiben und Räume buchen")
	p.enter("combobox", "Berechtigung", "koppeln")
	p.waitForVisibleText("Bildschirme koppeln und verwalten")
	p.key("\x1b")
	p.key("\x1b")
	p.runScript(`location.hash = "#/account"`)
	p.waitFor(`document.querySelector("main select")?.value === "de"`)
	p.runScript(`(() => {
		const select = document.querySelector("main select");
		select.value = "en";
		select.dispatchEvent(new Event("input", { bubbles: true }));
		select.dispatchEvent(new Event("change", { bubbles: true }));
	})()`)
	p.find("link", "Announcements")
}
