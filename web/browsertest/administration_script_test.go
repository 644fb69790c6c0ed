package browsertest

import "testing"

const administrationScript = `performance.getEntriesByType("resource").some(` +
	`({ name }) => name.includes("administration.js"))`

// administrators lets the person decide about modules, of which there are none.
func administrators(h *house) {
	h.signedIn(person)
	h.navigation([]string{"core.modules.lifecycle.manage"}, nil)
	h.answer("GET /api/v1/module-lifecycle", 200, `{"modules":[]}`)
}

// TestAdministrationIsLoadedWhenOpened: its group stands in the sidebar even without any module, and its
// script comes with the first of its screens.
func TestAdministrationIsLoadedWhenOpened(t *testing.T) {
	t.Parallel()
	h := setup(t)
	administrators(h)
	p := open(t, h.URL, desktop)
	p.home()
	p.find("navigation", "Administration")
	if eval[bool](p, administrationScript) {
		t.Error("Home loads the administration's script")
	}
	p.offline(true)
	p.press("link", "Modules")
	p.says("You are offline. Nothing is lost, nothing is saved yet.")
	p.offline(false)
	p.retry()
	p.headed("Modules")
	p.wait(administrationScript)
}

// TestAdministrationIsRefused: who may not use a screen is told what is missing, and its script stays away.
func TestAdministrationIsRefused(t *testing.T) {
	t.Parallel()
	h := notes(t, kept)
	p := open(t, h.URL+"/#/admin/modules", desktop)
	p.says("You no longer have access (core.modules.lifecycle.manage).")
	p.none("navigation", "Administration")
	if eval[bool](p, administrationScript) {
		t.Error("the administration's script is loaded for nobody")
	}
}

// TestAdministrationOfAnotherBuild: a tab that was open while the server got another build does not mix them.
func TestAdministrationOfAnotherBuild(t *testing.T) {
	t.Parallel()
	h := setup(t)
	administrators(h)
	h.upgrade("0123456789abcdef")
	p := open(t, h.URL+"/#/admin/modules", desktop)
	p.headed("A new version is here.")
	h.upgrade("")
	p.press("button", "Reload")
	p.headed("Modules")
}
