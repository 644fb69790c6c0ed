package authorization

import (
	"fmt"
	"slices"
	"strings"
)

// Baseline is what a permission asks for when nothing was granted.
type Baseline uint8

// The zero value belongs to permissions that nobody declared.
const (
	Undeclared    Baseline = iota
	Restricted             // needs an explicit grant or ownership
	Authenticated          // any signed-in person, never a device
)

// Permission is one declaration.
type Permission struct {
	ID          string
	Baseline    Baseline
	ModuleID    string // empty: the platform's own
	Description string // empty: none
}

// Registry is the composed declarations of the platform and of every module. It never changes, so it needs no lock.
type Registry struct {
	sorted    []Permission
	baselines map[string]Baseline
}

// NewRegistry freezes a copy. It fails with PERMISSION_DUPLICATE when an id is declared twice and with PERMISSION_INVALID when a
// declaration has no id or no baseline.
func NewRegistry(permissions []Permission) (*Registry, error) {
	r := &Registry{slices.Clone(permissions), make(map[string]Baseline, len(permissions))}
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
	return r, nil
}

// Baseline is Undeclared for an unknown id.
func (r *Registry) Baseline(permission string) Baseline { return r.baselines[permission] }

// Permissions returns a copy of all declarations, by id.
func (r *Registry) Permissions() []Permission { return slices.Clone(r.sorted) }
