package catalog

import (
	"path/filepath"
	"slices"
)

// Eligible returns the modules that may run, in the order of Modules: those that are enabled and whose required dependencies may run
// too. A disabled module so keeps out every module that requires it, through module and capability edges alike; optional edges never
// do (spec.md § Module runtime state).
func (c *Catalog) Eligible(enabled func(moduleID string) bool) []*Module {
	mayRun := make(map[string]bool, len(c.Modules))
	var eligible []*Module
	for _, m := range c.Modules { // dependencies first
		blocked := slices.ContainsFunc(m.Dependencies, func(e Edge) bool { return e.Required && !mayRun[e.Provider] })
		if enabled(m.Manifest.ID) && !blocked {
			mayRun[m.Manifest.ID] = true
			eligible = append(eligible, m)
		}
	}
	return eligible
}

// ExecutablePath is where the module's server program lies; "" without one.
func (m *Module) ExecutablePath() string {
	if m.Executable == nil {
		return ""
	}
	return filepath.Join(m.Folder, filepath.FromSlash(m.Executable.Path))
}
