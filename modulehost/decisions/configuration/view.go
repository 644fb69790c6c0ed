package configuration

import (
	"maps"
	"slices"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// view is a module's configuration in responses.
type view struct {
	ModuleID        string     `json:"moduleId"`
	Version         string     `json:"version"`
	Rev             int64      `json:"rev"`
	Keys            []keyEntry `json:"keys"`        // in the manifest's order
	UnknownKeys     []string   `json:"unknownKeys"` // sorted
	RestartRequired bool       `json:"restartRequired"`
}

// keyEntry is one declared key. A secret has neither default nor value, not even null.
type keyEntry struct {
	Key          string                             `json:"key"`
	Type         manifest.Type                      `json:"type"`
	Required     bool                               `json:"required"`
	Default      any                                `json:"default,omitzero"`
	Description  string                             `json:"description,omitzero"`
	Translations map[string]manifest.KeyTranslation `json:"translations,omitzero"`
	Constraints  constraints                        `json:"constraints"`
	// Value is absent although Configured is true when the stored value is no longer valid and must be set
	// again.
	Value      any  `json:"value,omitzero"`
	Configured bool `json:"configured"`
}

// constraints are the declared constraints of a key.
type constraints struct {
	MinLength *int64   `json:"minLength,omitzero"`
	MaxLength *int64   `json:"maxLength,omitzero"`
	Minimum   *int64   `json:"minimum,omitzero"`
	Maximum   *int64   `json:"maximum,omitzero"`
	Values    []string `json:"values,omitzero"`
}

// viewOf returns the view, except for RestartRequired.
func (s *Service) viewOf(m *catalog.Module, stored Document) view {
	unknown := maps.Clone(stored.Values)
	keys := make([]keyEntry, len(m.Manifest.Configuration))
	for i, d := range m.Manifest.Configuration {
		keys[i] = s.keyEntryOf(m.Manifest, d, stored.Values)
		delete(unknown, d.Key)
	}
	return view{
		ModuleID:    m.Manifest.ID,
		Version:     m.Manifest.Version.String(),
		Rev:         stored.Rev,
		Keys:        keys,
		UnknownKeys: slices.Sorted(maps.Keys(unknown)),
	}
}

func (s *Service) keyEntryOf(
	m *manifest.Manifest, d manifest.Declaration, stored map[string]string,
) keyEntry {
	entry := keyEntry{
		Key:          d.Key,
		Type:         d.Type,
		Required:     d.Required,
		Description:  d.Description,
		Translations: m.KeyTexts(d.Key),
		Constraints:  constraints{d.MinLength, d.MaxLength, d.Minimum, d.Maximum, d.Values},
	}
	if d.Type == manifest.TypeSecret { // a value stored before the key became a secret is never shown
		entry.Configured = s.supplied(m.ID, d.Key)
		return entry
	}
	entry.Default = d.Default
	text, found := stored[d.Key]
	entry.Configured = found
	if value, valid := d.ParseText(text); found && valid {
		entry.Value = value
	}
	return entry
}
