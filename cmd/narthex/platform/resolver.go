package platform

import (
	"context"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/decisions/configuration"
	"github.com/narthex-platform/narthex/modulehost/decisions/enablement"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
)

// resolver computes what a start would run with what is stored now and what the deployment supplies. Safe for
// concurrent use.
type resolver struct {
	catalog       *catalog.Catalog
	enablement    *enablement.Store
	configuration *configuration.Store
	secrets       Secrets
	storage       bool // whether the deployment supplies object storage
}

func NewResolver(
	installed *catalog.Catalog, db *database.Database, settings environment.Settings, supplied Secrets,
) *resolver {
	return &resolver{
		catalog:       installed,
		enablement:    enablement.NewStore(db.Pool()),
		configuration: configuration.NewStore(db.Pool()),
		secrets:       supplied,
		storage:       settings.Storage.Endpoint != "",
	}
}

// resolved is what the next start would run, and the stored state that determines it.
type resolved struct {
	next      catalog.Resolution
	decisions enablement.Decisions
	documents configuration.Documents
}

// resolve reads the decisions, then the configuration. It fails with enablement.ErrRead or
// configuration.ErrRead.
func (r *resolver) resolve(ctx context.Context) (resolved, error) {
	decisions, documents, err := r.read(ctx)
	if err != nil {
		return resolved{}, err
	}
	return resolved{r.by(decisions, documents), decisions, documents}, nil
}

func (r *resolver) read(ctx context.Context) (enablement.Decisions, configuration.Documents, error) {
	decisions, err := r.enablement.Decisions(ctx)
	if err != nil {
		return nil, nil, err
	}
	documents, err := r.configuration.All(ctx)
	return decisions, documents, err
}

func (r *resolver) by(decisions enablement.Decisions, documents configuration.Documents) catalog.Resolution {
	return r.catalog.Resolve(catalog.State{
		Enabled: decisions.Enabled,
		Stored:  documents.Of,
		Secret:  r.secrets.supplied,
		Storage: r.storage,
	})
}

// withDecisions and withDocuments adapt the resolver to the interfaces of the two services.
type (
	withDecisions struct{ *resolver }
	withDocuments struct{ *resolver }
)

// Resolve returns the decisions beside the resolution.
func (r withDecisions) Resolve(ctx context.Context) (catalog.Resolution, enablement.Decisions, error) {
	found, err := r.resolve(ctx)
	return found.next, found.decisions, err
}

// Resolve returns the documents beside the resolution.
func (r withDocuments) Resolve(ctx context.Context) (catalog.Resolution, configuration.Documents, error) {
	found, err := r.resolve(ctx)
	return found.next, found.documents, err
}

// ResolveWith resolves what is stored, and that with one more decision.
func (r withDecisions) ResolveWith(
	ctx context.Context, moduleID string, enabled bool,
) (next, changed catalog.Resolution, err error) {
	decisions, documents, err := r.read(ctx)
	if err != nil {
		return catalog.Resolution{}, catalog.Resolution{}, err
	}
	return r.by(decisions, documents), r.by(decisions.With(moduleID, enabled), documents), nil
}

// ResolveWith resolves what is stored, and that with a module's document replaced.
func (r withDocuments) ResolveWith(
	ctx context.Context, moduleID string, replacement configuration.Replacement,
) (next, changed catalog.Resolution, err error) {
	decisions, documents, err := r.read(ctx)
	if err != nil {
		return catalog.Resolution{}, catalog.Resolution{}, err
	}
	return r.by(decisions, documents), r.by(decisions, documents.With(moduleID, replacement)), nil
}

// Secrets are the secrets that the deployment supplies to modules, in environment variables of their own
// (docs/reference/modules.md).
type Secrets struct{ Lookup environment.Lookup }

func (s Secrets) value(moduleID, key string) (string, bool) {
	value, _ := s.Lookup(manifest.SecretVariable(moduleID, key))
	return value, strings.TrimSpace(value) != "" // set but blank counts as unset
}

func (s Secrets) supplied(moduleID, key string) bool {
	_, found := s.value(moduleID, key)
	return found
}

// placeholders returns a dummy value for each secret that the deployment supplies.
func (s Secrets) placeholders() Secrets {
	return Secrets{Lookup: func(name string) (string, bool) {
		value, found := s.Lookup(name)
		if strings.TrimSpace(value) != "" {
			value = strings.Repeat("rehearsal-", 4) // long enough for a key
		}
		return value, found
	}}
}

// of returns the secrets that a module declares and the deployment supplies.
func (s Secrets) of(m *manifest.Manifest) map[string]string {
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
