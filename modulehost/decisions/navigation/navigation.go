// Package navigation owns the arrangement of the Dashboard's navigation: groups, which are only headings,
// and the places of modules inside and outside of them.
//
// Places are stored by module id, whether or not the module is installed. The view combines them with the
// modules whose pages can be mounted now: a place of any other module is kept but not shown, and a module
// without a place is ungrouped. When a group is deleted, its modules become ungrouped and keep their order.
//
// The order is total: groups by order, then id; modules by order, those without one last, then id.
package navigation

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// Inventory returns the module pages that can be mounted.
type Inventory interface {
	// Entries returns the inventory entries for a caller, by module id. It contains only installed modules.
	Entries(ctx context.Context, caller httpapi.Caller) (map[string]jsontext.Value, error)
}

// Service serves the routes of navigation. It is safe for concurrent use and starts no goroutine.
type Service struct {
	catalog   *catalog.Catalog
	inventory Inventory
	store     *Store
	platform  []string // the platform's own permissions, by id
}

// Config holds the dependencies of a Service. All fields are required.
type Config struct {
	Catalog   *catalog.Catalog
	Inventory Inventory
	Store     *Store
}

// New makes a Service. It opens no connection and starts no goroutine.
func New(config Config) *Service {
	s := &Service{catalog: config.Catalog, inventory: config.Inventory, store: config.Store}
	for _, permission := range config.Catalog.Permissions {
		if permission.ModuleID == "" {
			s.platform = append(s.platform, permission.ID)
		}
	}
	return s
}
