package authorization

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// Baseline is the minimum that a permission requires.
type Baseline uint8

// The zero value belongs to permissions that nobody declared.
const (
	Undeclared    Baseline = iota
	Restricted             // needs an explicit grant or ownership
	Authenticated          // any signed-in person, never a device
)

// String returns the baseline's name in JSON.
func (b Baseline) String() string {
	switch b {
	case Restricted:
		return "restricted"
	case Authenticated:
		return "authenticated"
	}
	return "undeclared"
}

// Permission is one declaration.
type Permission struct {
	ID          string
	Baseline    Baseline
	ModuleID    string            // empty: the platform's own
	ModuleName  string            // empty: the platform's own
	ModuleNames map[string]string // the module's name by language
	Description string            // empty: none
	Translated  map[string]string // the description by language
	Display     bool              // it lets a screen show the module's display; people have no use for it
}

// Registry holds all permissions that the platform and its modules declare. It never changes, so it needs
// no lock.
type Registry struct {
	sorted    []Permission
	baselines map[string]Baseline
	listing   []byte // the response of GET /api/v1/permissions
}

// NewRegistry copies the declarations. It fails with PERMISSION_DUPLICATE when an id is declared twice, and
// with PERMISSION_INVALID when a declaration has no id or no baseline, or is not valid UTF-8.
func NewRegistry(permissions []Permission) (*Registry, error) {
	r := &Registry{sorted: slices.Clone(permissions), baselines: make(map[string]Baseline, len(permissions))}
	for _, p := range r.sorted {
		if p.ID == "" || (p.Baseline != Restricted && p.Baseline != Authenticated) {
			return nil, fmt.Errorf("%w: %q", ErrPermissionInvalid, p.ID)
		}
		if _, twice := r.baselines[p.ID]; twice {
			return nil, fmt.Errorf("%w: %q", ErrPermissionDuplicate, p.ID)
		}
		r.baselines[p.ID] = p.Baseline
	}
	slices.SortFunc(r.sorted, func(a, b Permission) int { return strings.Compare(a.ID, b.ID) })
	var err error
	if r.listing, err = renderPermissions(r.sorted); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPermissionInvalid, err)
	}
	return r, nil
}

// Baseline returns the permission's baseline, and Undeclared for an unknown id.
func (r *Registry) Baseline(permission string) Baseline { return r.baselines[permission] }

// Declared reports whether the platform or a module declares the permission.
func (r *Registry) Declared(permission string) bool { return r.Baseline(permission) != Undeclared }

// restrictedOfCore returns the platform's own permissions that need a grant.
func (r *Registry) restrictedOfCore() (ids []string) {
	for _, p := range r.sorted {
		if p.ModuleID == "" && p.Baseline == Restricted {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// Permissions returns a copy of all declarations, sorted by id.
func (r *Registry) Permissions() []Permission { return slices.Clone(r.sorted) }

func renderPermissions(permissions []Permission) ([]byte, error) {
	type text struct {
		Description string `json:"description,omitzero"`
		ModuleName  string `json:"moduleName,omitzero"`
	}
	type entry struct {
		ID           string          `json:"id"`
		Baseline     string          `json:"baseline"`
		ModuleID     *string         `json:"moduleId"`
		ModuleName   string          `json:"moduleName,omitzero"`
		Description  *string         `json:"description"`
		Display      bool            `json:"display,omitzero"`
		Translations map[string]text `json:"translations,omitempty"`
	}
	entries := make([]entry, len(permissions))
	for i, p := range permissions {
		texts := make(map[string]text)
		for language, description := range p.Translated {
			texts[language] = text{description, p.ModuleNames[language]}
		}
		for language, name := range p.ModuleNames {
			texts[language] = text{p.Translated[language], name}
		}
		entries[i] = entry{
			p.ID, p.Baseline.String(), orNull(p.ModuleID), p.ModuleName, orNull(p.Description), p.Display, texts,
		}
	}
	return json.Marshal(map[string][]entry{"permissions": entries})
}

// orNull returns nil for the empty string, which JSON and the database store as null.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
