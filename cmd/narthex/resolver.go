package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/configuration"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/enablement"
	"github.com/narthex-platform/narthex/services/environment"
)

// resolver asks the one resolver what a start would run by what is stored now and what the deployment supplies. Safe for concurrent use.
type resolver struct {
	catalog       *catalog.Catalog
	enablement    *enablement.Store
	configuration *configuration.Store
	secrets       secrets
	storage       bool // whether the deployment supplies object storage
}

func newResolver(installed *catalog.Catalog, db *database.Database, settings environment.Settings, supplied secrets) *resolver {
	return &resolver{
		catalog:       installed,
		enablement:    enablement.NewStore(db.Pool()),
		configuration: configuration.NewStore(db.Pool()),
		secrets:       supplied,
		storage:       settings.Storage.Endpoint != "",
	}
}

// Resolve reads the decisions, then the configuration. Fails with enablement.ErrRead or configuration.ErrRead.
func (r *resolver) Resolve(ctx context.Context) (catalog.Resolution, error) {
	resolution, _, err := r.resolve(ctx)
	return resolution, err
}

func (r *resolver) resolve(ctx context.Context) (catalog.Resolution, enablement.Decisions, error) {
	decisions, err := r.enablement.Decisions(ctx)
	if err != nil {
		return catalog.Resolution{}, nil, err
	}
	documents, err := r.configuration.All(ctx)
	if err != nil {
		return catalog.Resolution{}, nil, err
	}
	return r.catalog.Resolve(catalog.State{
		Enabled: decisions.Enabled,
		Stored:  documents.Of,
		Secret:  r.secrets.supplied,
		Storage: r.storage,
	}), decisions, nil
}

// secrets are what the deployment supplies to modules, by environment variables of their own (contract.md §7).
type secrets struct{ lookup environment.Lookup }

func (s secrets) value(moduleID, key string) (string, bool) {
	value, _ := s.lookup(manifest.SecretVariable(moduleID, key))
	return value, value != "" // set but blank counts as unset
}

func (s secrets) supplied(moduleID, key string) bool {
	_, found := s.value(moduleID, key)
	return found
}

// of are the secrets that one module declares and the deployment supplies.
func (s secrets) of(m *manifest.Manifest) map[string]string {
	values := make(map[string]string)
	for _, declared := range m.Configuration {
		if declared.Type != manifest.TypeSecret {
			continue
		}
		if value, found := s.value(m.ID, declared.Key); found {
			values[declared.Key] = value
		}
	}
	return values
}
