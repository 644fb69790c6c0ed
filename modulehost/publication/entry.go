package publication

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// The paths under which a module's own routes and channels are.
const (
	apiRoot      = "/api/v1/modules/"
	realtimeRoot = "/api/v1/module-realtime/"
)

// entry is what a browser needs to mount a module. Its addresses are relative to the API's origin. They need
// no escaping, because ids and versions consist of letters, digits, hyphens, dots and plus signs.
type entry struct {
	ModuleID     string         `json:"moduleId"`
	Name         string         `json:"name"`
	Translations manifest.Texts `json:"translations,omitzero"`
	Version      string         `json:"version"`
	Icon         *string        `json:"icon"` // null: the client chooses one
	ArtifactURL  string         `json:"artifactUrl"`
	APIRoot      string         `json:"apiRoot"`
	RealtimeRoot string         `json:"realtimeRoot"`
	// the module's permissions that the caller holds; hints for the page, never authorization
	Permissions   []string       `json:"permissions"`
	Contributions []contribution `json:"contributions"`
	Screen        *screen        `json:"screen,omitzero"` // only in the descriptor for a paired screen
}

// screen is the paired screen that reads the descriptor of its display.
type screen struct {
	Label string `json:"label"`
}

// contribution is a script of another module for a capability of this one. The client builds its address
// from these fields.
type contribution struct {
	ModuleID      string `json:"moduleId"`
	ModuleVersion string `json:"moduleVersion"`
	ID            string `json:"id"`
	Version       string `json:"version"`
	Capability    string `json:"capability"`
}

// describe returns the entry of a module's page. The entry of its display differs only in the artifact's
// address.
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
		Translations:  r.manifest.Texts(),
		Version:       r.version,
		Icon:          icon,
		ArtifactURL:   uiPath + "/" + id + "/" + r.version,
		APIRoot:       apiRoot + id,
		RealtimeRoot:  realtimeRoot + id,
		Permissions:   held,
		Contributions: r.received,
	}, nil
}

// entries returns the inventory of the pages that can be mounted, by module id.
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

// Entries returns, by module id, the inventory's entry of every module page that can be mounted, with this
// caller's permissions. It causes at most one look-up of the caller. Fails with PRINCIPAL_RESOLUTION_FAILED.
// Safe for concurrent use.
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
