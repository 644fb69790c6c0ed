package enablement

import (
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// entry is a module as administrators see it. It names none of the module's files.
type entry struct {
	ID              string       `json:"id"`
	Name            string       `json:"name"`
	Version         string       `json:"version"`
	Configured      configured   `json:"configured"`
	Runtime         runtime      `json:"runtime"`
	RestartRequired bool         `json:"restartRequired"`
	Dependencies    []dependency `json:"dependencies"`
}

// configured is the stored decision.
type configured struct {
	Enabled  bool `json:"enabled"`
	Explicit bool `json:"explicit"`
}

// runtime is what this process decided about the module when it started.
type runtime struct {
	State            catalog.RuntimeState `json:"state"`
	Reason           catalog.Reason       `json:"reason,omitzero"`
	Dependency       *unusable            `json:"dependency,omitzero"`
	ConfigurationKey string               `json:"configurationKey,omitzero"`
	StorageBucketID  string               `json:"storageBucketId,omitzero"`
}

// unusable is the required dependency that blocks the module.
type unusable struct {
	Kind       manifest.Kind `json:"kind"`
	ModuleID   string        `json:"moduleId"` // for a capability, its provider
	Capability string        `json:"capability,omitzero"`
}

// dependency is one that the manifest declares.
type dependency struct {
	Kind     manifest.Kind `json:"kind"`
	ID       string        `json:"id"`
	ModuleID *string       `json:"moduleId"` // nil: an optional one that nothing installed satisfies
	Required bool          `json:"required"`
}

func runtimeOf(outcome catalog.Outcome) runtime {
	r := runtime{
		State:            outcome.State,
		Reason:           outcome.Reason,
		ConfigurationKey: outcome.ConfigurationKey,
		StorageBucketID:  outcome.StorageBucketID,
	}
	if edge := outcome.Dependency; edge != nil {
		r.Dependency = &unusable{Kind: edge.Kind, ModuleID: edge.Provider}
		if edge.Kind == manifest.KindCapability {
			r.Dependency.Capability = edge.ID
		}
	}
	return r
}

func dependenciesOf(m *catalog.Module) []dependency {
	declared := m.Declared()
	dependencies := make([]dependency, len(declared))
	for i, edge := range declared {
		dependencies[i] = dependency{Kind: edge.Kind, ID: edge.ID, Required: edge.Required}
		if edge.Provider != "" {
			dependencies[i].ModuleID = &edge.Provider
		}
	}
	return dependencies
}
