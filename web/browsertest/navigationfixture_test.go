package browsertest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// navigationFixture replaces the platform's navigation, and stores what is written as the platform does.
type navigationFixture struct {
	*modulesFixture
	groups []object            // in their order
	placed map[string][]string // modules by group, in their order; "" is no group
	orders map[string]any      // of modules
	status int                 // the status of every write, if they are refused
	code   string
}

var moduleNames = map[string]string{
	"announcements": "Announcements", "countdown": "Countdown", "songs": "Songs", "stage": "Stage",
}

func setNavigationFixture(t *testing.T, h *fixture) *navigationFixture {
	t.Helper()
	n := &navigationFixture{modulesFixture: setModulesFixture(t, h), placed: map[string][]string{},
		orders: map[string]any{}}
	n.putGroup("sunday", "Sunday", 1024)
	n.place("stage", "sunday", 1024)
	n.place("songs", "sunday", 2048)
	n.place("announcements", "", nil)
	n.place("countdown", "", nil)
	n.handle("GET /api/v1/dashboard/navigation", func(w http.ResponseWriter, _ *http.Request) {
		n.mu.Lock()
		defer n.mu.Unlock()
		reply(w, 200, jsonOf(t, n.view()))
	})
	n.handle("PUT /api/v1/dashboard/navigation/groups/*", n.write(func(id string, sent written) {
		n.putGroup(id, sent.Label, sent.Order)
	}))
	n.handle("DELETE /api/v1/dashboard/navigation/groups/*", n.write(func(id string, _ written) {
		n.deleteGroup(id)
	}))
	n.handle("PUT /api/v1/dashboard/navigation/placements/*", n.write(func(id string, sent written) {
		n.place(id, sent.GroupID, sent.Order)
	}))
	n.handle("DELETE /api/v1/dashboard/navigation/placements/*", n.write(func(id string, _ written) {
		n.place(id, "", nil)
	}))
	return n
}

type written struct {
	Label, GroupID string
	Order          int
}

func (n *navigationFixture) write(change func(id string, sent written)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.status != 0 {
			reply(w, n.status, `{"code":"`+n.code+`"}`)
			return
		}
		var sent written
		_ = json.NewDecoder(r.Body).Decode(&sent) // a DELETE has no body
		id := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		change(id, sent)
		switch {
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		case strings.Contains(r.URL.Path, "/groups/"):
			reply(w, 200, jsonOf(n.t, object{"id": id, "label": sent.Label, "order": sent.Order}))
		default:
			placement := object{"moduleId": id, "groupId": sent.GroupID, "order": sent.Order}
			if sent.GroupID == "" {
				placement["groupId"] = nil
			}
			reply(w, 200, jsonOf(n.t, placement))
		}
	}
}

func (n *navigationFixture) putGroup(id, label string, order int) {
	n.groups = slices.DeleteFunc(n.groups, func(g object) bool { return g["id"] == id })
	n.groups = append(n.groups, object{"id": id, "label": label, "order": order})
	slices.SortStableFunc(n.groups, func(a, b object) int { return a["order"].(int) - b["order"].(int) })
}

func (n *navigationFixture) deleteGroup(id string) {
	n.groups = slices.DeleteFunc(n.groups, func(g object) bool { return g["id"] == id })
	n.placed[""] = append(n.placed[""], n.placed[id]...)
	n.sort("")
	delete(n.placed, id)
}

// place sets the placement of a module; with order nil it has none.
func (n *navigationFixture) place(id, groupID string, order any) {
	for group, ids := range n.placed {
		n.placed[group] = slices.DeleteFunc(ids, func(other string) bool { return other == id })
	}
	n.orders[id] = order
	n.placed[groupID] = append(n.placed[groupID], id)
	n.sort(groupID)
}

func (n *navigationFixture) sort(groupID string) {
	slices.SortFunc(n.placed[groupID], func(a, b string) int {
		return cmp.Or(n.orderOf(a)-n.orderOf(b), cmp.Compare(a, b))
	})
}

func (n *navigationFixture) orderOf(id string) int {
	if order, placed := n.orders[id].(int); placed {
		return order
	}
	return 1 << 30
}

func (n *navigationFixture) view() object {
	entries := func(groupID string) []object {
		found := []object{}
		for _, id := range n.placed[groupID] {
			entry := module(id, moduleNames[id], nil)
			entry["order"] = n.orders[id]
			found = append(found, entry)
		}
		return found
	}
	groups := []object{}
	for _, g := range n.groups {
		groups = append(groups, object{"id": g["id"], "label": g["label"], "order": g["order"],
			"modules": entries(g["id"].(string))})
	}
	return object{"groups": groups, "ungrouped": entries(""), "permissions": everyPermission}
}

// changeByAnother makes a change as another administrator would.
func (n *navigationFixture) changeByAnother(change func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
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
