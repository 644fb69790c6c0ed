package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/narthex-platform/narthex/modulehost/manifest"
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

// errChanged: an artifact is not the file that was discovered.
var errChanged = errors.New("the file was changed since it was discovered")

// VerifyExecutable compares an opened file with the server program that was discovered: modules are not exchanged under a running
// platform (contract.md §7).
func (m *Module) VerifyExecutable(opened *os.File) error {
	info, err := opened.Stat()
	if err != nil {
		return err
	}
	if manifest.IdentityOf(info) != m.Executable.Identity {
		return errChanged
	}
	return nil
}
