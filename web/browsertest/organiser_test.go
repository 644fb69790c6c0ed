package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const (
	navigationPath = "/api/v1/dashboard/navigation"
	placementRoute = "PUT " + navigationPath + "/placements/rota"
)

// organiser is a front for somebody who arranges the navigation of a house. Its methods change the navigation
// as another administrator would.
type organiser struct{ *fixture }

// newOrganiser arranges two modules in the group Sunday, and the others in no group.
func newOrganiser(t *testing.T, d *devServer) *organiser {
	t.Helper()
	d.exec(t, `TRUNCATE core.navigation_group, core.navigation_placement CASCADE`)
	n := &organiser{d.front(t)}
	n.session = d.signIn(t, d.member(t, "Ada", "core.dashboard.navigation.manage"))
	n.putGroup("sunday", "Sunday", 1024)
	n.place("stage", "sunday", 1024)
	n.place("rota", "sunday", 2048)
	return n
}

func (n *organiser) putGroup(id, label string, order int) {
	n.t.Helper()
	n.house.call(n.t, "PUT", navigationPath+"/groups/"+id, object{"label": label, "order": order})
}

func (n *organiser) deleteGroup(id string) {
	n.t.Helper()
	n.house.call(n.t, "DELETE", navigationPath+"/groups/"+id, nil)
}

func (n *organiser) place(id, groupID string, order int) {
	n.t.Helper()
	n.house.call(n.t, "PUT", navigationPath+"/placements/"+id, object{"groupId": groupID, "order": order})
}

// arranged returns what is stored: "Sunday: stage rota, : announcements".
func (n *organiser) arranged() string {
	n.t.Helper()
	stored := n.house.call(n.t, "GET", navigationPath, nil)
	ids := func(modules any) string {
		found := []string{}
		for _, entry := range modules.([]any) {
			// The organiser has no row for the module that is shown on Home.
			if id := entry.(map[string]any)["moduleId"].(string); id != "home" {
				found = append(found, id)
			}
		}
		return strings.Join(found, " ")
	}
	parts := []string{}
	for _, group := range stored["groups"].([]any) {
		group := group.(map[string]any)
		parts = append(parts, group["label"].(string)+": "+ids(group["modules"]))
	}
	return strings.Join(append(parts, ": "+ids(stored["ungrouped"])), ", ")
}

func (n *organiser) assertArranged(when, want string) {
	n.t.Helper()
	if got := n.arranged(); got != want {
		n.t.Errorf("%s the navigation is %q, want %q", when, got, want)
	}
}

// shownRows returns what the organiser shows, in the same form.
const shownRows = `[...document.querySelectorAll(".host-organiser .host-group")].map((group) =>
	(group.dataset.group === "" ? "" : group.ariaLabel) + ": " + [...group.querySelectorAll("[data-row]")]
		.map((row) => row.dataset.row).join(" ")).join(", ")`

func (p *tab) waitForRows(want string) {
	p.t.Helper()
	p.waitFor(shownRows + " === " + jsonOf(p.t, want))
}

// at returns the middle of an element, moved vertically by a part of its height.
func (p *tab) at(selector string, part float64) (x, y float64) {
	p.t.Helper()
	box := "document.querySelector(" + jsonOf(p.t, selector) + ").getBoundingClientRect()"
	place := eval[[]float64](p,
		"(({ x, y, width, height }) => [x + width / 2, y + height / 2, height])("+box+")")
	return place[0], place[1] + part*place[2]
}

// drag presses the mouse on one element and moves it over another, at an offset of a part of its height. drop
// releases the button.
func (p *tab) drag(from, to string, part float64) (drop func()) {
	p.t.Helper()
	x, y := p.at(from, 0)
	p.do(chromedp.MouseEvent(chromedp.MousePressed, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	toX, toY := p.at(to, part)
	for step := 1.0; step <= 5; step++ {
		x, y = x+(toX-x)*step/5, y+(toY-y)*step/5
		p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y, chromedp.ButtonLeft))
	}
	return func() {
		p.do(chromedp.MouseEvent(chromedp.MouseReleased, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	}
}
