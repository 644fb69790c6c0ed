package publication

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// The roots that a module's own server side is reached by (spec.md § Module routes and realtime).
const (
	apiRoot      = "/api/v1/modules/"
	realtimeRoot = "/api/v1/module-realtime/"
)

// entry tells a browser what it needs to mount a module (contract.md §4). Its addresses are relative to the
// API's origin. They need no escaping: ids and versions are made of letters, digits, hyphens, dots and plus
// signs.
type entry struct {
	ModuleID     string  `json:"moduleId"`
	Name         string  `json:"name"`
	Version      string  `json:"version"`
	Icon         *string `json:"icon"` // null: the client chooses one
	ArtifactURL  string  `json:"artifactUrl"`
	APIRoot      string  `json:"apiRoot"`
	RealtimeRoot string  `json:"realtimeRoot"`
	// the module's that the caller holds: hints, never authorization
	Permissions   []string       `json:"permissions"`
	Contributions []contribution `json:"contributions"`
}

// contribution is a script of another module for a capability of this one. It has no address: the client
// builds it.
type contribution struct {
	ModuleID      string `json:"moduleId"`
	ModuleVersion string `json:"moduleVersion"`
	ID            string `json:"id"`
	Version       string `json:"version"`
	Capability    string `json:"capability"`
}

// describe answers the entry of a module's UI; that of its display differs in its artifact alone.
func (r *release) describe(ctx context.Context, caller httpapi.Caller) (entry, error) {
	id := r.manifest.ID
	var held []string
	for _, permission := range r.manifest.Permissions {
		allowed, err := caller.Allowed(ctx, permission.ID)
		if err != nil {
			return entry{}, err
		}
		if allowed {
			held = append(held, permission.ID)
		}
	}
	var icon *string
	if r.manifest.Icon != "" {
		icon = &r.manifest.Icon
	}
	return entry{
		ModuleID:      id,
		Name:          r.manifest.Name,
		Version:       r.version,
		Icon:          icon,
		ArtifactURL:   uiPath + "/" + id + "/" + r.version,
		APIRoot:       apiRoot + id,
		RealtimeRoot:  realtimeRoot + id,
		Permissions:   held,
		Contributions: r.received,
	}, nil
}

// entries are those of the UIs that can be mounted, by module id.
func (s *Service) entries(ctx context.Context, caller httpapi.Caller) ([]entry, error) {
	var entries []entry
	for _, r := range s.ordered {
		if r.ui == nil {
			continue
		}
		described, err := r.describe(ctx, caller)
		if err != nil {
			return nil, err
		}
		entries = append(entries, described)
	}
	return entries, nil
}

// Entries answers, by module id, the inventory's entry of every module UI that can be mounted, as the
// inventory has it for this caller. It costs the caller's one look-up at most. Fails with
// PRINCIPAL_RESOLUTION_FAILED. Safe for concurrent use.
func (s *Service) Entries(ctx context.Context, caller httpapi.Caller) (map[string]jsontext.Value, error) {
	entries, err := s.entries(ctx, caller)
	if err != nil {
		return nil, err
	}
	rendered := make(map[string]jsontext.Value, len(entries))
	for _, described := range entries {
		if rendered[described.ModuleID], err = json.Marshal(described); err != nil {
			return nil, err
		}
	}
	return rendered, nil
}
