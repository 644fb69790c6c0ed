package navigation_test

import (
	"context"
	"fmt"
	"net/http"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/randomtest"
)

// model implements the rules of navigation independently and without regard to speed.
type model struct {
	installed, runs map[string]bool
	groups          map[string]modelGroup
	places          map[string]modelPlace
}

type modelGroup struct {
	label string
	order int
}

type modelPlace struct {
	group string // "": none
	order int
}

// view lists every running module with a page once: in its group, or in group "".
func (m *model) view() string {
	text := ""
	for _, id := range m.sortedGroups() {
		text += fmt.Sprintf("%s %q %d:%s; ", id, m.groups[id].label, m.groups[id].order, m.modulesOf(id))
	}
	return text + "none:" + m.modulesOf("")
}

func (m *model) sortedGroups() (ids []string) {
	for id := range m.groups {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool {
		if a, b := m.groups[ids[i]].order, m.groups[ids[j]].order; a != b {
			return a < b
		}
		return ids[i] < ids[j]
	})
	return ids
}

func (m *model) modulesOf(group string) (text string) {
	for order := range modelOrders + 1 { // the last round is for modules without an order
		for _, id := range allModules { // by id
			place, placed := m.places[id]
			if !m.runs[id] || id == "mute" || place.group != group {
				continue
			}
			if placed && place.order == order {
				text += fmt.Sprint(" ", id, "=", order)
			}
			if !placed && order == modelOrders {
				text += " " + id
			}
		}
	}
	return text
}

func (m *model) place(id string, p modelPlace) int {
	_, placed := m.places[id]
	_, grouped := m.groups[p.group]
	if !m.installed[id] && !placed || p.group != "" && !grouped {
		return http.StatusNotFound
	}
	m.places[id] = p
	return http.StatusOK
}

func (m *model) deleteGroup(id string) {
	delete(m.groups, id)
	for module, place := range m.places {
		if place.group == id {
			m.places[module] = modelPlace{order: place.order}
		}
	}
}

// modelForm returns a view in the format of model.view.
func (v view) modelForm() string {
	list := func(modules []entry) (text string) {
		for _, e := range modules {
			text += " " + e.ModuleID
			if e.Order != nil {
				text += fmt.Sprint("=", *e.Order)
			}
		}
		return text
	}
	text := ""
	for _, g := range v.Groups {
		text += fmt.Sprintf("%s %q %d:%s; ", g.ID, g.Label, g.Order, list(g.Modules))
	}
	return text + "none:" + list(v.Ungrouped)
}

const modelOrders = 3 // few, so that modules often have the same order

// TestAgainstModel sends random requests, and restarts with other modules, and compares the view with the
// model after each.
func TestAgainstModel(t *testing.T) {
	randomtest.Rapid(t)
	t.Parallel()
	h := setup(t)
	catalogs := map[string]*catalog.Catalog{}
	sets := [][]string{allModules, {"ant", "bee", "mute"}, {"cat"}, {}}
	for i, ids := range sets {
		catalogs[fmt.Sprint(i)] = discover(t, ids...)
	}
	seen := make(map[string]int)
	rapid.Check(t, func(rt *rapid.T) {
		h.Exec(t, `DELETE FROM core.navigation_placement; DELETE FROM core.navigation_group`)
		m := &model{groups: make(map[string]modelGroup), places: make(map[string]modelPlace)}
		restart := func(set int, disabled ...string) {
			h.start(rt, catalogs[fmt.Sprint(set)], disabled...)
			m.installed, m.runs = make(map[string]bool), make(map[string]bool)
			for _, id := range sets[set] {
				m.installed[id], m.runs[id] = true, true
			}
			for _, id := range disabled {
				delete(m.runs, id)
			}
		}
		restart(0)
		groupID, moduleID := rapid.SampledFrom([]string{"a", "b", "c"}), rapid.SampledFrom(allModules)
		order := rapid.IntRange(0, modelOrders-1)
		write := func(rt *rapid.T, method, target, body string, want int) {
			if w := h.send(context.Background(), method, target, body); w.Code != want {
				rt.Fatalf("%s %s %s: %d %s, want %d", method, target, body, w.Code, w.Body, want)
			}
			seen[fmt.Sprint(method, want)]++
		}
		rt.Repeat(map[string]func(*rapid.T){
			"": func(rt *rapid.T) {
				if got, want := h.read(rt).modelForm(), m.view(); got != want {
					rt.Fatalf("got  %s\nwant %s", got, want)
				}
			},
			"put group": func(rt *rapid.T) {
				id, g := groupID.Draw(rt, "group"), modelGroup{rapid.SampledFrom([]string{"X", "Y"}).Draw(rt, "label"),
					order.Draw(rt, "order")}
				write(rt, http.MethodPut, groups+id, fmt.Sprintf(`{"label":%q,"order":%d}`, g.label, g.order),
					http.StatusOK)
				m.groups[id] = g
			},
			"delete group": func(rt *rapid.T) {
				id := groupID.Draw(rt, "group")
				write(rt, http.MethodDelete, groups+id, "", http.StatusNoContent)
				m.deleteGroup(id)
			},
			"place": func(rt *rapid.T) {
				id, p := moduleID.Draw(rt, "module"), modelPlace{groupID.Draw(rt, "group"), order.Draw(rt, "order")}
				body := fmt.Sprintf(`{"groupId":%q,"order":%d}`, p.group, p.order)
				if rapid.Bool().Draw(rt, "in no group") {
					p.group, body = "", fmt.Sprintf(`{"groupId":null,"order":%d}`, p.order)
				}
				write(rt, http.MethodPut, placements+id, body, m.place(id, p))
			},
			"unplace": func(rt *rapid.T) {
				id := moduleID.Draw(rt, "module")
				write(rt, http.MethodDelete, placements+id, "", http.StatusNoContent)
				delete(m.places, id)
			},
			"restart": func(rt *rapid.T) {
				set := rapid.IntRange(0, len(sets)-1).Draw(rt, "set")
				var disabled []string
				for _, id := range sets[set] {
					if rapid.IntRange(0, 4).Draw(rt, "disabled") == 0 {
						disabled = append(disabled, id)
					}
				}
				restart(set, disabled...)
			},
		})
	})
	for _, outcome := range []string{"PUT200", "PUT404", "DELETE204"} {
		if seen[outcome] == 0 {
			t.Errorf("%s was never seen in %v", outcome, seen)
		}
	}
}
