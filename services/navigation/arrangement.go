package navigation

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Arrangement is everything that was stored when it was read.
type Arrangement struct {
	groups     map[string]Group     // by id
	placements map[string]Placement // by module id; each is in one of the groups or in none
}

// view is what the Dashboard is told (contract.md §4).
type view struct {
	Groups    []groupView `json:"groups"`
	Ungrouped []entry     `json:"ungrouped"`
	// the platform's that the caller holds: hints, never authorization
	Permissions []string `json:"permissions"`
}

type groupView struct {
	Group
	Modules []entry `json:"modules"`
}

// entry is a module in its place.
type entry struct {
	ModuleID string         `json:"moduleId"`
	Name     string         `json:"name"`
	Order    *int           `json:"order"` // nil: never placed
	UI       jsontext.Value `json:"ui"`    // the inventory's, untouched
}

// resolve puts the modules that there are into the groups and into order. Groups without modules are shown,
// and places without modules are not.
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

// rank puts a module without an order behind every other.
func (e entry) rank() int {
	if e.Order == nil {
		return math.MaxInt
	}
	return *e.Order
}
