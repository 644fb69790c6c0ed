// Package configuration owns the modules' configuration: for each module one document of plain values as
// text, and the view that combines it with the module's declaration.
//
// Every read checks the stored values against the declaration of the installed module. A new version may
// declare something else, so a stored value may have become invalid or a key unknown. Both are kept and
// shown, and neither is repaired. Secrets are never stored here. The deployment supplies them, and the view
// shows only whether it does. A change takes effect at the next start.
package configuration

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/preview"
	"github.com/narthex-platform/narthex/services/activity/chain"
)

// Resolver returns what a start would run now, according to stored decisions, stored configuration and
// supplied secrets.
type Resolver interface {
	// Resolve also returns the documents on which the resolution is based, so that a response describes one
	// state. It stops when ctx ends. An error means that a store failed.
	Resolve(ctx context.Context) (catalog.Resolution, Documents, error)
	// ResolveWith is Resolve, and beside it the resolution as if the module's document were replaced.
	ResolveWith(ctx context.Context, moduleID string, r Replacement) (
		next, changed catalog.Resolution, err error)
}

// Documents are the documents of all modules at the time of reading, by module id.
type Documents map[string]Document

// Document is the configuration of one module.
type Document struct {
	Rev    int64             // counts the replacements; 0: never stored
	Values map[string]string // key → text
}

// Of returns the values of one module's document; nil when it has none. It is not a copy.
func (d Documents) Of(moduleID string) map[string]string { return d[moduleID].Values }

// With returns the documents as they would be after a replacement. The receiver does not change.
func (d Documents) With(moduleID string, r Replacement) Documents {
	changed := maps.Clone(d)
	values := make(map[string]string, len(r.Values))
	for key, text := range d.Of(moduleID) {
		if !slices.Contains(r.Declared, key) {
			values[key] = text
		}
	}
	maps.Copy(values, r.Values)
	changed[moduleID] = Document{Rev: d[moduleID].Rev + 1, Values: values}
	return changed
}

// Replacement is a new document in place of the stored one.
type Replacement struct {
	Declared []string          // the keys that the module declares; every other stored key stays
	Values   map[string]string // key → text
	Rev      *int64            // of the document that it replaces; nil replaces any revision
	By       chain.Actor       // who replaces it
}

// Service serves the routes of module configuration. It is safe for concurrent use and starts no goroutine.
type Service struct {
	catalog  *catalog.Catalog
	modules  []*catalog.Module // by id
	started  catalog.Resolution
	resolver Resolver
	store    *Store
	supplied func(moduleID, key string) bool
	screens  preview.Screens
}

// Config holds the dependencies of a Service. All fields but Secret are required.
type Config struct {
	Catalog  *catalog.Catalog
	Started  catalog.Resolution // what this process started
	Resolver Resolver
	Store    *Store
	// Secret reports whether the deployment supplies a secret. It is safe for concurrent use. Nil: it supplies
	// none.
	Secret  func(moduleID, key string) bool
	Screens preview.Screens
}

// New makes a Service. It opens no connection and starts no goroutine.
func New(config Config) *Service {
	modules := slices.Clone(config.Catalog.Modules)
	slices.SortFunc(modules, func(a, b *catalog.Module) int { return cmp.Compare(a.Manifest.ID, b.Manifest.ID) })
	supplied := config.Secret
	if supplied == nil {
		supplied = func(string, string) bool { return false }
	}
	return &Service{
		config.Catalog, modules, config.Started, config.Resolver, config.Store, supplied, config.Screens,
	}
}
