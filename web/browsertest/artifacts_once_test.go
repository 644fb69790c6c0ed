package browsertest

import (
	"slices"
	"strings"
	"testing"
)

// TestArtifactsAreRequestedOnce: a page requests the artifact of its module once, and so Home's and those of
// its tiles.
func TestArtifactsAreRequestedOnce(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	h := d.front(t)
	h.session = d.signedInOwner(t)
	p := h.open("/#/m/rota/mine", desktop)
	p.waitForText("You are not connected with the rota yet.")
	p.click("link", "Home")
	p.waitFor(`document.querySelectorAll("[data-module=home] .d-card h3").length === 5`)
	const artifacts = "GET /api/v1/module-ui/"
	asked := slices.DeleteFunc(h.requests(), func(route string) bool {
		return !strings.HasPrefix(route, artifacts)
	})
	slices.Sort(asked)
	want := []string{artifacts + "announcements/1.0.0/contributions/announcements.tile",
		artifacts + "calendar/1.0.0/contributions/calendar.tile",
		artifacts + "checklists/1.0.0/contributions/checklists.tile", artifacts + "home/1.0.0",
		artifacts + "rota/1.0.0", artifacts + "rota/1.0.0/contributions/rota.tile",
		artifacts + "stage/1.0.0/contributions/stage.tile"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
}
