// Package navigation owns how the Dashboard's navigation is arranged: groups, which are headings and
// nothing more, and the places of modules in and outside of them (spec.md § Dashboard navigation;
// contract.md §4).
//
// What is arranged is stored for modules by their id alone, installed or not, and knows nothing of what
// they are. The view holds it against the modules whose UIs can be mounted now: a place of any other module
// renders nothing and waits, and a module without a place is ungrouped. A module whose group is deleted
// keeps its order and is ungrouped.
//
// The order is total: groups by order, then id; modules by order, those without one last, then id.
package navigation

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// Inventory describes the module UIs that can be mounted.
type Inventory interface {
	// Entries answers their inventory entries for a caller, by module id. All are of installed modules.
	Entries(ctx context.Context, caller httpapi.Caller) (map[string]jsontext.Value, error)
}

// Service answers the routes of navigation. Safe for concurrent use; it runs nothing of its own.
type Service struct {
	catalog   *catalog.Catalog
	inventory Inventory
	store     *Store
	platform  []string // the platform's own permissions, by id
}

// Config is what a Service is made of. All fields are required.
type Config struct {
	Catalog   *catalog.Catalog
	Inventory Inventory
	Store     *Store
}

// New opens no connection and starts nothing.
func New(config Config) *Service {
	s := &Service{catalog: config.Catalog, inventory: config.Inventory, store: config.Store}
	for _, permission := range config.Catalog.Permissions {
		if permission.ModuleID == "" {
			s.platform = append(s.platform, permission.ID)
		}
	}
	return s
}
