// Package preview computes what a change would alter at the next start, before an administrator decides, and
// what the next start alters anyway. It compares the resolutions of the running process, of the stored state,
// and of the stored state with the change, computed by the same resolver as at the start. It writes nothing.
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

// Starts are the resolutions that a preview compares.
type Starts struct {
	Started catalog.Resolution // what this process started
	Next    catalog.Resolution // the next start with what is stored
	Changed catalog.Resolution // the next start if the change were stored, too
}

// Preview lists what a change would alter, and what the next start alters without it.
type Preview struct {
	Modules []Module `json:"modules"` // the next start without the change, and with it
	Waiting []Module `json:"waiting"` // what runs, and the next start without the change
	Screens []Count  `json:"screens"` // screens of Modules whose display would start or stop to run, by id
}

// Module is a module that two starts treat differently: now and then differ.
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

// New compares the starts. It counts screens only if the change alters a display; its error is that of
// screens.
func New(
	ctx context.Context, installed *catalog.Catalog, starts Starts, screens Screens,
) (Preview, error) {
	p := Preview{
		Modules: difference(installed, starts.Next, starts.Changed),
		Waiting: difference(installed, starts.Started, starts.Next),
		Screens: []Count{},
	}
	var displays []string
	for _, changed := range p.Modules {
		m, _ := installed.Module(changed.ModuleID)
		begins, runs := changed.Then.State == catalog.Running, changed.Now.State == catalog.Running
		if m.Manifest.Display != nil && begins != runs {
			displays = append(displays, changed.ModuleID)
		}
	}
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

// difference returns the modules that the two starts treat differently, by id.
func difference(installed *catalog.Catalog, before, after catalog.Resolution) []Module {
	modules := []Module{}
	for _, m := range installed.Modules {
		id := m.Manifest.ID
		now, then := before.Outcome(id).Runtime(), after.Outcome(id).Runtime()
		if !reflect.DeepEqual(now, then) {
			texts := m.Manifest.Texts(now.ConfigurationKey, then.ConfigurationKey)
			modules = append(modules, Module{id, m.Manifest.Name, texts, now, then})
		}
	}
	slices.SortFunc(modules, func(a, b Module) int { return cmp.Compare(a.ModuleID, b.ModuleID) })
	return modules
}
