// Package enablement owns the stored decision whether a module may run. Its routes also show which modules
// run, why others do not, and what the next start would change.
//
// A module without a stored decision is enabled. A decision about a module that is not installed is kept and
// ignored. A decision takes effect at the next start: what this process started never changes.
package enablement

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/preview"
)

// Resolver returns what a start would run now, according to stored decisions, stored configuration and
// supplied secrets.
type Resolver interface {
	// Resolve also returns the decisions on which the resolution is based, so that a response describes one
	// state. It stops when ctx ends. An error means that a store failed.
	Resolve(ctx context.Context) (catalog.Resolution, Decisions, error)
	// ResolveWith is Resolve, and beside it the resolution as if that decision about the module were stored.
	ResolveWith(ctx context.Context, moduleID string, enabled bool) (next, changed catalog.Resolution, err error)
}

// Service serves the routes of the module lifecycle. It is safe for concurrent use and starts no goroutine.
type Service struct {
	catalog  *catalog.Catalog
	modules  []*catalog.Module // by id
	started  catalog.Resolution
	resolver Resolver
	store    *Store

	processes Processes
	screens   preview.Screens
}

// Config holds the dependencies of a Service. All fields are required.
type Config struct {
	Catalog   *catalog.Catalog
	Started   catalog.Resolution // what this process started
	Resolver  Resolver
	Store     *Store
	Processes Processes
	Screens   preview.Screens
}

// New makes a Service. It opens no connection and starts no goroutine.
func New(config Config) *Service {
	modules := slices.Clone(config.Catalog.Modules)
	slices.SortFunc(modules, func(a, b *catalog.Module) int { return cmp.Compare(a.Manifest.ID, b.Manifest.ID) })
	return &Service{
		config.Catalog, modules, config.Started, config.Resolver, config.Store, config.Processes, config.Screens,
	}
}

// Decisions are the stored decisions at the time of reading: module id → enabled.
type Decisions map[string]bool

// Enabled reports whether a module may run. Without a stored decision it may.
func (d Decisions) Enabled(moduleID string) bool {
	enabled, decided := d[moduleID]
	return enabled || !decided
}

// With returns a copy of the decisions with one added or replaced. The receiver does not change.
func (d Decisions) With(moduleID string, enabled bool) Decisions {
	changed := make(Decisions, len(d)+1)
	maps.Copy(changed, d)
	changed[moduleID] = enabled
	return changed
}

// Explicit reports whether there is a stored decision. Without one the default applies.
func (d Decisions) Explicit(moduleID string) bool {
	_, decided := d[moduleID]
	return decided
}
