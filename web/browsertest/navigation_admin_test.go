package browsertest

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestOrganiserMovesByKey moves a row by Alt and an arrow, says so, keeps the focus on it, and undoes it.
func TestOrganiserMovesByKey(t *testing.T) {
	t.Parallel()
	o := newModulesFixture(t)
	before := []object{ordered("stage", "Stage", 1024), ordered("songs", "Songs", 2048)}
	o.setNavigation(everyPermission, nil, group("sunday", "Sunday", before...))
	o.handle("PUT /api/v1/dashboard/navigation/placements/songs", func(w http.ResponseWriter, _ *http.Request) {
		o.setNavigation(everyPermission, nil, group("sunday", "Sunday",
			ordered("songs", "Songs", 511), ordered("stage", "Stage", 1024)))
		reply(w, 200, `{"moduleId":"songs","groupId":"sunday","order":511}`)
	})
	p := openPage(t, o.URL+"/#/admin/navigation", desktop)
	p.waitForHeading("Navigation")
	p.runScript(`document.querySelector("[aria-label='Move Songs']").focus()`)
	p.key(kb.ArrowUp, chromedp.ModifierAlt)
	p.waitForAnnouncement("Songs moved to Sunday, position 1 of 2")
	p.waitFor(`document.activeElement.ariaLabel === "Move Songs"`)
	p.waitFor(`document.querySelector("[data-row] .name").innerText === "Songs"`)
	o.handle("PUT /api/v1/dashboard/navigation/placements/songs", func(w http.ResponseWriter, _ *http.Request) {
		o.setNavigation(everyPermission, nil, group("sunday", "Sunday", before...))
		reply(w, 200, `{}`)
	})
	p.click("button", "Undo")
	p.waitForAnnouncement("Undone.")
	p.waitFor(`document.querySelector("[data-row] .name").innerText === "Stage"`)
}

// TestOrganiserRefused: a row that was not moved is where it was, and the reason is said.
func TestOrganiserRefused(t *testing.T) {
	t.Parallel()
	o := newModulesFixture(t)
	o.respond("PUT /api/v1/dashboard/navigation/placements/*", 503, `{"code":"STORE_UNAVAILABLE"}`)
	p := openPage(t, o.URL+"/#/admin/navigation", desktop)
	p.click("button", "Move up: Songs")
	p.waitForVisibleText("Not moved. Try again.")
	p.waitFor(`document.querySelector("[data-row] .name").innerText === "Stage"`)
	o.respond("PUT /api/v1/dashboard/navigation/placements/*", 403, `{"code":"PERMISSION_DENIED"}`)
	p.click("button", "Move up: Songs")
	p.waitForVisibleText("You no longer have access (core.dashboard.navigation.manage).")
}

func ordered(id, name string, order int) object {
	entry := module(id, name, nil)
	entry["order"] = order
	return entry
}
