package navigation

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// Arrangement contains all stored groups and placements, read in one snapshot.
type Arrangement struct {
	groups     map[string]Group     // by id
	placements map[string]Placement // by module id; each is in one of the groups or in none
}

// view is the navigation as the Dashboard receives it.
type view struct {
	Groups    []groupView `json:"groups"`
	Ungrouped []entry     `json:"ungrouped"`
	// Permissions are the platform's permissions that the caller has. They are hints for the page, not
	// authorization.
	Permissions []string `json:"permissions"`
}

type groupView struct {
	Group
	Modules []entry `json:"modules"`
}

// entry is a module at its place.
type entry struct {
	ModuleID     string         `json:"moduleId"`
	Name         string         `json:"name"`
	Translations manifest.Texts `json:"translations,omitzero"`
	Order        *int           `json:"order"` // nil: never placed
	UI           jsontext.Value `json:"ui"`    // from the inventory, unchanged
}

// resolve sorts the modules into the groups. Groups without modules are included; placements of other modules
// are not.
func (a Arrangement) resolve(modules []entry) (groups []groupView, ungrouped []entry) {
	placed := make(map[string][]entry)
	for _, e := range modules {
		p, found := a.placements[e.ModuleID]
		if found {
			e.Order = &p.Order
		}
		if p.GroupID == nil {
			ungrouped = append(ungrouped, e)
		} else {
			placed[*p.GroupID] = append(placed[*p.GroupID], e)
		}
	}
	groups = make([]groupView, 0, len(a.groups))
	for id, g := range a.groups {
		groups = append(groups, groupView{g, placed[id]})
	}
	slices.SortFunc(groups, func(a, b groupView) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order),
			cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(ungrouped, compare)
	for _, g := range groups {
		slices.SortFunc(g.Modules, compare)
	}
	return groups, ungrouped
}

func compare(a, b entry) int {
	return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.ModuleID, b.ModuleID))
}

// rank sorts a module without an order after all others.
func (e entry) rank() int {
	if e.Order == nil {
		return math.MaxInt
	}
	return *e.Order
}
