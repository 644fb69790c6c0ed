package catalog

import (
	"slices"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// assignLevels sets each module's level: one above the highest level of its dependencies. It returns the
// modules that get none, because they are in a dependency cycle or depend on one.
func assignLevels(modules []*Module) (stuck []*Module) {
	waiting := make(map[*Module]int, len(modules)) // edges whose provider has no level yet
	dependents := make(map[string][]*Module)
	var queue []*Module
	for _, m := range modules {
		waiting[m] = len(m.Dependencies)
		for _, e := range m.Dependencies {
			dependents[e.Provider] = append(dependents[e.Provider], m)
		}
		if len(m.Dependencies) == 0 {
			queue = append(queue, m)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		provider := queue[0]
		for _, m := range dependents[provider.Manifest.ID] {
			m.Level = max(m.Level, provider.Level+1)
			if waiting[m]--; waiting[m] == 0 {
				queue = append(queue, m)
			}
		}
	}
	for _, m := range modules {
		if waiting[m] > 0 {
			stuck = append(stuck, m)
		}
	}
	return stuck
}

// cycles reports the dependency cycles among stuck modules. Every module that is in a cycle appears in a
// reported one, and each cycle is reported once, at its first module.
func cycles(stuck []*Module, installed inventory) Findings {
	var findings Findings
	reported := make(map[string]bool)
	for _, m := range stuck { // by id
		if reported[m.Manifest.ID] {
			continue
		}
		circle := shortestCycle(m, installed)
		if circle == nil {
			continue // it only depends on a cycle
		}
		for _, id := range circle {
			reported[id] = true
		}
		findings = append(findings, manifest.Finding{Module: m.Manifest.ID, Pointer: "/dependencies",
			Code:    ErrDependencyCycle,
			Message: "dependencies must not form a circle: " + strings.Join(circle, " -> ") + "."})
	}
	return findings
}

// shortestCycle returns the ids along the shortest path of dependencies from a module back to itself, with
// the module at both ends; nil when it is in no cycle.
func shortestCycle(start *Module, installed inventory) []string {
	home := start.Manifest.ID
	from := map[string]string{} // module reached → module it was reached from
	for queue := []string{home}; len(queue) > 0; queue = queue[1:] {
		here := queue[0]
		for _, e := range installed[here].Dependencies {
			if e.Provider == home {
				return pathTo(here, home, from)
			}
			if _, seen := from[e.Provider]; !seen {
				from[e.Provider] = here
				queue = append(queue, e.Provider)
			}
		}
	}
	return nil
}

func pathTo(last, home string, from map[string]string) []string {
	circle := []string{home}
	for here := last; here != home; here = from[here] {
		circle = append(circle, here)
	}
	circle = append(circle, home)
	slices.Reverse(circle)
	return circle
}
