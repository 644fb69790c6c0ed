// Package enablement owns the stored decision whether a module may run, and tells beside it what runs, why
// something does not, and what the next start would change (spec.md § Configured enablement, § Module
// lifecycle entry; contract.md §4, §10).
//
// No record means enabled; a record of a module that is not deployed is retained and ignored. A decision
// changes nothing before the next start: what this process started is given once and never changes.
package enablement

import (
	"cmp"
	"context"
	"slices"

	"github.com/narthex-platform/narthex/modulehost/catalog"
)

// Resolver tells what a start would run now, by everything that is stored and supplied.
type Resolver interface {
	// Resolve returns the decisions that it decided by as well, so that an answer tells of one state alone.
	// It ends with ctx; its error is a failure of the stores.
	Resolve(ctx context.Context) (catalog.Resolution, Decisions, error)
}

// Service answers the routes of the module lifecycle. Safe for concurrent use; it runs nothing of its own.
type Service struct {
	catalog  *catalog.Catalog
	modules  []*catalog.Module // by id
	started  catalog.Resolution
	resolver Resolver
	store    *Store

	processes Processes
}

// Config is what a Service is made of. All fields are required.
type Config struct {
	Catalog   *catalog.Catalog
	Started   catalog.Resolution // what this process started
	Resolver  Resolver
	Store     *Store
	Processes Processes
}

// New opens no connection and starts nothing.
func New(config Config) *Service {
	modules := slices.Clone(config.Catalog.Modules)
	slices.SortFunc(modules, func(a, b *catalog.Module) int { return cmp.Compare(a.Manifest.ID, b.Manifest.ID) })
	return &Service{config.Catalog, modules, config.Started, config.Resolver, config.Store, config.Processes}
}

// Decisions is what was stored when it was read: module id → enabled.
type Decisions map[string]bool

// Enabled tells whether a module may run, by its decision or by the default.
func (d Decisions) Enabled(moduleID string) bool {
	enabled, decided := d[moduleID]
	return enabled || !decided
}

// Explicit tells whether somebody decided; if nobody did, the default holds.
func (d Decisions) Explicit(moduleID string) bool {
	_, decided := d[moduleID]
	return decided
}
