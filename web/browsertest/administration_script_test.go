package browsertest

import "testing"

const administrationScript = `performance.getEntriesByType("resource").some(` +
	`({ name }) => name.includes("administration.js"))`

// TestAdministrationIsLoadedWhenOpened: the sidebar has the group Administration. Its script is loaded with
// the first of its screens, and its styles with the script.
func TestAdministrationIsLoadedWhenOpened(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	p := d.openAs(t, d.member(t, "Ada", "core.modules.lifecycle.manage"), "/", desktop)
	p.waitForHome()
	p.find("navigation", "Administration")
	if eval[bool](p, administrationScript) {
		t.Error("Home loads the administration's script")
	}
	p.offline(true)
	p.click("link", "Modules")
	p.waitForText("You are offline. Nothing is lost, nothing is saved yet.")
	p.offline(false)
	p.retry()
	p.waitForHeading("Modules")
	p.waitFor(administrationScript)
	p.waitFor(`getComputedStyle(document.querySelector(".host-toolbar")).display === "flex"`) // its styles, too
}

// TestAdministrationOfAnotherBuild: a tab that was loaded before the server was upgraded does not mix scripts
// of two builds.
func TestAdministrationOfAnotherBuild(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	h := d.front(t)
	h.setBuild("0123456789abcdef")
	p := h.openAs(d.member(t, "Ada", "core.modules.lifecycle.manage"), "/#/admin/modules", desktop)
	p.waitForHeading("A new version is here.")
	h.setBuild("")
	p.click("button", "Reload")
	p.waitForHeading("Modules")
}
