// Package configuration owns what administrators configured of modules: documents of plain values as text,
// one a module, and the view of them by what each module declares (spec.md § Module configuration view, §
// Module configuration; contract.md §4).
//
// What is stored is judged by the declaration of the installed module whenever it is read, and a new
// version may declare otherwise: a value may have become invalid, a key unknown. Both are kept and told,
// neither is repaired. Secrets are never here: the deployment supplies them, and of those only whether it
// does is known. A change takes effect at the next start.
package configuration

import (
	"cmp"
	"context"
	"slices"

	"github.com/narthex-platform/narthex/modulehost/catalog"
)

// Resolver tells what a start would run now, by everything that is stored and supplied.
type Resolver interface {
	// Resolve returns the documents that it decided by as well, so that an answer tells of one state alone.
	// It ends with ctx; its error is a failure of the stores.
	Resolve(ctx context.Context) (catalog.Resolution, Documents, error)
}

// Documents is everything that was stored when it was read, by module id.
type Documents map[string]Document

// Document is what was configured of one module.
type Document struct {
	Rev    int64             // how often it was replaced; 0: never
	Values map[string]string // key → text
}

// Of returns the values of one module's document; nil when it has none. It is not a copy.
func (d Documents) Of(moduleID string) map[string]string { return d[moduleID].Values }

// Replacement is a document in place of the stored one.
type Replacement struct {
	Declared []string          // the keys that the module declares; every other stored key stays
	Values   map[string]string // key → text
	Rev      *int64            // of the document that it replaces; nil: of whichever is stored
}

// Service answers the routes of module configuration. Safe for concurrent use; it runs nothing of its own.
type Service struct {
	catalog  *catalog.Catalog
	modules  []*catalog.Module // by id
	started  catalog.Resolution
	resolver Resolver
	store    *Store
	supplied func(moduleID, key string) bool
}

// Config is what a Service is made of. All fields but Secret are required.
type Config struct {
	Catalog  *catalog.Catalog
	Started  catalog.Resolution // what this process started
	Resolver Resolver
	Store    *Store
	// whether the deployment supplies it, safe for concurrent use; nil: none
	Secret func(moduleID, key string) bool
}

// New opens no connection and starts nothing.
func New(config Config) *Service {
	modules := slices.Clone(config.Catalog.Modules)
	slices.SortFunc(modules, func(a, b *catalog.Module) int { return cmp.Compare(a.Manifest.ID, b.Manifest.ID) })
	supplied := config.Secret
	if supplied == nil {
		supplied = func(string, string) bool { return false }
	}
	return &Service{config.Catalog, modules, config.Started, config.Resolver, config.Store, supplied}
}
