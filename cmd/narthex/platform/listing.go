package platform

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/decisions/enablement"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// ListedModule is one line of modules:list. Its JSON names are those of the lifecycle routes.
type ListedModule struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Version    string          `json:"version"`
	Configured decision        `json:"configured"`
	Next       catalog.Runtime `json:"next"` // its state after the next start
	Because    string          `json:"-"`    // why it would not run, for people
}

type decision struct {
	Enabled  bool `json:"enabled"`
	Explicit bool `json:"explicit"`
}

func ListModules(ctx context.Context, r *resolver) ([]ListedModule, error) {
	found, err := r.resolve(ctx)
	if err != nil {
		return nil, err
	}
	modules := make([]ListedModule, len(r.catalog.Modules))
	for i, m := range r.catalog.Modules {
		modules[i] = listModule(m, found.decisions, found.next.Outcome(m.Manifest.ID))
	}
	return modules, nil
}

func listModule(m *catalog.Module, decisions enablement.Decisions, outcome catalog.Outcome) ListedModule {
	id := m.Manifest.ID
	return ListedModule{
		ID: id, Name: m.Manifest.Name, Version: m.Manifest.Version.String(),
		Configured: decision{Enabled: decisions.Enabled(id), Explicit: decisions.Explicit(id)},
		Next:       outcome.Runtime(),
		Because:    blockedReason(id, outcome),
	}
}

// Blocked returns why a module that is installed and enabled does not run; "" for every other one.
func (s *Server) Blocked(moduleID string) string {
	return blockedReason(moduleID, s.started.Outcome(moduleID))
}

// blockedReason explains why a module is blocked; "" if it is not.
func blockedReason(moduleID string, o catalog.Outcome) string {
	switch o.Reason {
	case catalog.ReasonDependencyDisabled:
		return "needs " + dependencyText(o.Dependency) + ", which is disabled"
	case catalog.ReasonDependencyBlocked:
		return "needs " + dependencyText(o.Dependency) + ", which is blocked"
	case catalog.ReasonConfigurationMissing:
		return "the configuration key " + o.ConfigurationKey + " has no value yet"
	case catalog.ReasonConfigurationInvalid:
		return "the stored value of the configuration key " + o.ConfigurationKey +
			" is not one that this version allows"
	case catalog.ReasonSecretMissing:
		return "the deployment must supply " + manifest.SecretVariable(moduleID, o.ConfigurationKey)
	case catalog.ReasonStorageUnavailable:
		return "keeps files (" + o.StorageBucketID +
			") and no object storage is configured; set OBJECT_STORAGE_ENDPOINT"
	}
	return ""
}

func dependencyText(edge *catalog.Edge) string {
	if edge.Kind == manifest.KindCapability {
		return edge.ID + " of " + edge.Provider
	}
	return edge.Provider
}

func (d decision) String() string {
	switch {
	case !d.Explicit:
		return "none (enabled)"
	case d.Enabled:
		return "enabled"
	}
	return "disabled"
}

func (m ListedModule) Outcome() string {
	switch m.Next.State {
	case catalog.Running:
		return "runs"
	case catalog.Disabled:
		return "disabled"
	}
	return "blocked: " + m.Because
}

// ListedContribution is one browser contribution and its provider.
type ListedContribution struct {
	ModuleID   string  `json:"moduleId"`
	ID         string  `json:"id"`
	Version    string  `json:"version"`
	Capability string  `json:"capability"`
	Range      string  `json:"range"`
	Provider   *string `json:"provider"` // the module whose capability is in the range; null: none installed
}

// ListContributions returns the contributions of one module, or of all if only is "".
func ListContributions(installed *catalog.Catalog, only string) []ListedContribution {
	list := []ListedContribution{}
	for _, m := range installed.Modules {
		if only != "" && m.Manifest.ID != only {
			continue
		}
		for _, c := range m.Manifest.Contributions {
			listed := ListedContribution{
				ModuleID: m.Manifest.ID, ID: c.ID, Version: c.Version.String(), Capability: c.Capability,
				Range: c.Range.String(),
			}
			if provider, version := installed.Provider(c.Capability); provider != nil && c.Range.Check(version) {
				listed.Provider = &provider.Manifest.ID
			}
			list = append(list, listed)
		}
	}
	return list
}
