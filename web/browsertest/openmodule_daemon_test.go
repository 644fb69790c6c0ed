package browsertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// changeNavigation gives the page the house's navigation with one module's entry changed, or without it if
// change returns nil, and lets the page read it.
func (h *fixture) changeNavigation(
	p *tab, moduleID string, change func(entry map[string]any) map[string]any,
) {
	h.handle(navigationRoute, func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept-Encoding")
		answer := httptest.NewRecorder()
		h.platform.ServeHTTP(answer, r)
		var view map[string]any
		if err := json.Unmarshal(answer.Body.Bytes(), &view); err != nil {
			h.t.Errorf("the navigation: %v", err)
		}
		changed := func(list any) []any {
			entries := slices.Clone(list.([]any))
			for i, entry := range entries {
				if fields := entry.(map[string]any); fields["moduleId"] == moduleID {
					if fields = change(fields); fields == nil {
						return slices.Delete(entries, i, i+1)
					}
				}
			}
			return entries
		}
		view["ungrouped"] = changed(view["ungrouped"])
		for _, group := range view["groups"].([]any) {
			group.(map[string]any)["modules"] = changed(group.(map[string]any)["modules"])
		}
		reply(w, answer.Code, jsonOf(h.t, view))
	})
	p.runScript(`dispatchEvent(new Event("online"))`)
}

// TestModuleChangesUnderAnOpenForm: a module that is switched off or gets another version while somebody
// types in it. A sentence says what happened, and what was typed is there when the module is.
func TestModuleChangesUnderAnOpenForm(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	h := d.front(t)
	p := h.openAs("owner@example.org", "/#/m/announcements/new", desktop)
	p.fill("Title", "Half a notice")
	const typed = `document.querySelector(".announcements [required]")?.value === "Half a notice"`

	h.changeNavigation(p, "announcements", func(map[string]any) map[string]any { return nil })
	p.waitForHeading("Announcements was switched off, or you have no access to it.")
	p.waitForAnnouncement("Your draft is kept.")
	p.screenshot("module-switched-off")
	h.restore(navigationRoute)
	p.runScript(`dispatchEvent(new Event("online"))`)
	p.waitFor(typed)

	const later = "/api/v1/module-ui/announcements/99.0.0"
	h.changeNavigation(p, "announcements", func(entry map[string]any) map[string]any {
		ui := entry["ui"].(map[string]any)
		now := ui["artifactUrl"].(string)
		h.handle("GET "+later, func(w http.ResponseWriter, r *http.Request) {
			r.URL.Path = now
			h.platform.ServeHTTP(w, r)
		})
		ui["artifactUrl"], ui["version"] = later, "99.0.0"
		return entry
	})
	p.waitForAnnouncement("Announcements: A new version is here.")
	p.waitFor(typed)
	p.waitFor(draftNote)
	if n := h.countRequests("GET " + later); n != 1 {
		t.Errorf("the new version was requested %d times, want once", n)
	}
	p.screenshot("module-upgraded")
}

// TestNoticesMoveNothing: once somebody has begun with a screen, the notice of a restart waits for the next
// one, because it would move what is under the pointer.
func TestNoticesMoveNothing(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	p := d.openAs(t, d.member(t, "Ada", "core.modules.lifecycle.manage"), "/#/admin/modules", desktop)
	p.waitForHeading("Modules") // it has the notice's script
	p.runScript(`location.hash = "#/m/announcements"`)
	p.waitForText("Shared lunch")
	const reads = `performance.getEntriesByType("resource").filter(({ name }) =>
		name.endsWith("/api/v1/module-lifecycle")).length`
	const place = `document.querySelector("[data-module]").getBoundingClientRect().top`
	p.waitFor(reads + ` > 0`)
	before, known := eval[float64](p, place), eval[int](p, reads)
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, 600, 300))
	d.call(t, "PUT", "/api/v1/module-lifecycle/rota/enabled", object{"enabled": false})
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitFor(fmt.Sprintf(`%s > %d`, reads, known))
	p.runScript(`for (let i = 0; i < 3; i++)
		await new Promise((go) => requestAnimationFrame(() => setTimeout(go)))`)
	if now := eval[float64](p, place); now != before {
		t.Errorf("the module is at %v instead of %v after a notice has come", now, before)
	}
	p.runScript(`location.hash = "#/m/stage"`)
	p.waitForText("1 change waits for a restart.")
}
