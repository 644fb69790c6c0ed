package browsertest

import "testing"

const administrationScript = `performance.getEntriesByType("resource").some(` +
	`({ name }) => name.includes("administration.js"))`

// setAdministrator gives the person the permission to manage modules, and installs no module.
func setAdministrator(h *fixture) {
	h.setSignedIn(person)
	h.setNavigation([]string{"core.modules.lifecycle.manage"}, nil)
	h.respond("GET /api/v1/module-lifecycle", 200, `{"modules":[]}`)
}

// TestAdministrationIsLoadedWhenOpened: the sidebar has the group Administration even without any module. Its
// script is loaded with the first of its screens.
func TestAdministrationIsLoadedWhenOpened(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	setAdministrator(h)
	p := openPage(t, h.URL, desktop)
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
}

// TestAdministrationIsRefused: a person without the permission for a screen is shown which one is missing,
// and the script of the administration is not loaded.
func TestAdministrationIsRefused(t *testing.T) {
	t.Parallel()
	h := newNotesFixture(t, kept)
	p := openPage(t, h.URL+"/#/admin/modules", desktop)
	p.waitForText("You no longer have access (core.modules.lifecycle.manage).")
	p.waitForNone("navigation", "Administration")
	if eval[bool](p, administrationScript) {
		t.Error("the administration's script is loaded for nobody")
	}
}

// TestAdministrationOfAnotherBuild: a tab that was loaded before the server was upgraded does not mix scripts
// of two builds.
func TestAdministrationOfAnotherBuild(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	setAdministrator(h)
	h.setBuild("0123456789abcdef")
	p := openPage(t, h.URL+"/#/admin/modules", desktop)
	p.waitForHeading("A new version is here.")
	h.setBuild("")
	p.click("button", "Reload")
	p.waitForHeading("Modules")
}
