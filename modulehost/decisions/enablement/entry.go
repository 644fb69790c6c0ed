package enablement

import (
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// entry is a module in responses. It contains no file name.
type entry struct {
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Translations manifest.Texts  `json:"translations,omitzero"`
	Version      string          `json:"version"`
	Configured   configured      `json:"configured"`
	Runtime      catalog.Runtime `json:"runtime"` // what this process decided when it started
	// What the next start would decide where that differs, also if the module runs neither now nor then.
	Next            *catalog.Runtime `json:"next"`
	Solved          bool             `json:"solved,omitzero"` // the reason of Runtime no longer applies
	RestartRequired bool             `json:"restartRequired"`
	Dependencies    []dependency     `json:"dependencies"`
}

// configured is the stored decision.
type configured struct {
	Enabled  bool `json:"enabled"`
	Explicit bool `json:"explicit"`
}

// dependency is a dependency that the manifest declares.
type dependency struct {
	Kind     manifest.Kind `json:"kind"`
	ID       string        `json:"id"`
	ModuleID *string       `json:"moduleId"` // nil: an optional one that nothing installed satisfies
	Required bool          `json:"required"`
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
