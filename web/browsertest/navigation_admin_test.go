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
	o := administration(t)
	before := []object{ordered("stage", "Stage", 1024), ordered("songs", "Songs", 2048)}
	o.navigation(everyPermission, nil, group("sunday", "Sunday", before...))
	o.on("PUT /api/v1/dashboard/navigation/placements/songs", func(w http.ResponseWriter, _ *http.Request) {
		o.navigation(everyPermission, nil, group("sunday", "Sunday",
			ordered("songs", "Songs", 511), ordered("stage", "Stage", 1024)))
		reply(w, 200, `{"moduleId":"songs","groupId":"sunday","order":511}`)
	})
	p := open(t, o.URL+"/#/admin/navigation", desktop)
	p.headed("Navigation")
	p.run(`document.querySelector("[aria-label='Move Songs']").focus()`)
	p.key(kb.ArrowUp, chromedp.ModifierAlt)
	p.hears("Songs moved to Sunday, position 1 of 2")
	p.wait(`document.activeElement.ariaLabel === "Move Songs"`)
	p.wait(`document.querySelector("[data-row] .name").innerText === "Songs"`)
	o.on("PUT /api/v1/dashboard/navigation/placements/songs", func(w http.ResponseWriter, _ *http.Request) {
		o.navigation(everyPermission, nil, group("sunday", "Sunday", before...))
		reply(w, 200, `{}`)
	})
	p.press("button", "Undo")
	p.hears("Undone.")
	p.wait(`document.querySelector("[data-row] .name").innerText === "Stage"`)
}

// TestOrganiserRefused: a row that was not moved is where it was, and the reason is said.
func TestOrganiserRefused(t *testing.T) {
	t.Parallel()
	o := administration(t)
	o.answer("PUT /api/v1/dashboard/navigation/placements/*", 503, `{"code":"STORE_UNAVAILABLE"}`)
	p := open(t, o.URL+"/#/admin/navigation", desktop)
	p.press("button", "Move up: Songs")
	p.sees("Not moved. Try again.")
	p.wait(`document.querySelector("[data-row] .name").innerText === "Stage"`)
	o.answer("PUT /api/v1/dashboard/navigation/placements/*", 403, `{"code":"PERMISSION_DENIED"}`)
	p.press("button", "Move up: Songs")
	p.sees("You no longer have access (core.dashboard.navigation.manage).")
}

func ordered(id, name string, order int) object {
	entry := module(id, name, nil)
	entry["order"] = order
	return entry
}
