// Package preview computes what the next start would change, before an administrator decides. It compares the
// resolution of the running process with one of the stored state and one further change, computed by the same
// resolver as at the start. It writes nothing.
package preview

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// Screens counts paired screens.
type Screens interface {
	// PairedScreens returns how many screens that were not removed show each of the modules. A module without
	// one may be absent.
	PairedScreens(ctx context.Context, moduleIDs []string) (map[string]int, error)
}

// Preview lists what the next start would change.
type Preview struct {
	Modules []Module `json:"modules"` // those that differ, by id
	Screens []Count  `json:"screens"` // screens of the modules whose display would start or stop to run, by id
}

// Module is a module that the next start would treat differently: now and then differ.
type Module struct {
	ModuleID     string          `json:"moduleId"`
	Name         string          `json:"name"`
	Translations manifest.Texts  `json:"translations,omitzero"`
	Now          catalog.Runtime `json:"now"`
	Then         catalog.Runtime `json:"then"`
}

// Count is the number of screens that show a module; at least one.
type Count struct {
	ModuleID string `json:"moduleId"`
	Count    int    `json:"count"`
}

// New compares the running resolution with that of the next start. It counts screens only if a display
// changes; its error is that of screens.
func New(
	ctx context.Context, installed *catalog.Catalog, started, next catalog.Resolution, screens Screens,
) (Preview, error) {
	p := Preview{Modules: []Module{}, Screens: []Count{}}
	var displays []string
	for _, m := range installed.Modules {
		id := m.Manifest.ID
		now, then := started.Outcome(id).Runtime(), next.Outcome(id).Runtime()
		if reflect.DeepEqual(now, then) {
			continue
		}
		p.Modules = append(p.Modules, Module{id, m.Manifest.Name, m.Manifest.Texts(), now, then})
		if m.Manifest.Display != nil && (now.State == catalog.Running) != (then.State == catalog.Running) {
			displays = append(displays, id)
		}
	}
	slices.SortFunc(p.Modules, func(a, b Module) int { return cmp.Compare(a.ModuleID, b.ModuleID) })
	if len(displays) == 0 {
		return p, nil
	}
	counts, err := screens.PairedScreens(ctx, displays)
	if err != nil {
		return Preview{}, err
	}
	for _, id := range slices.Sorted(maps.Keys(counts)) {
		if counts[id] > 0 {
			p.Screens = append(p.Screens, Count{id, counts[id]})
		}
	}
	return p, nil
}
