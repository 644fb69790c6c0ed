// Package authorization owns what a caller may do: the registry of permissions, frozen at start, the grants
// that people were given, who gave and took them, and the one deny-by-default decision over all of it
// (spec.md § Permission, § Explicit grant, § Authentication 7; contract.md §3).
//
// Who the caller is, is decided elsewhere and taken as given.
package authorization

import (
	"context"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
)

// Devices is the separate store of what devices may do (spec.md § Permission).
type Devices interface {
	// Permissions returns the ids of the permissions that the device holds now; none for an unknown or revoked
	// device. It bounds its own time and goes on when ctx is cancelled, because other questions of the same
	// request wait for its answer.
	Permissions(ctx context.Context, deviceID string) ([]string, error)
}

// Service makes callers and answers the routes about grants. Safe for concurrent use; it runs nothing of
// its own.
type Service struct {
	registry *Registry
	store    *Store
	devices  Devices
}

// New needs a registry and a store. With nil for devices, a device holds nothing.
func New(registry *Registry, store *Store, devices Devices) *Service {
	return &Service{registry, store, devices}
}

// Registry is what the service decides by.
func (s *Service) Registry() *Registry { return s.registry }

// Caller is one principal during one request. It reads what the principal was given in one query, when a
// permission first depends on it, and keeps the answer, a failure included, so that one request never
// judges by two states.
func (s *Service) Caller(p principal.Principal) httpapi.Caller {
	return &caller{service: s, principal: p}
}

// holdings asks the store that knows this class of principal.
func (s *Service) holdings(ctx context.Context, p principal.Principal) (Holdings, error) {
	switch {
	case p.Kind == principal.Human:
		return s.store.holdings(ctx, p.UserID)
	case p.Kind == principal.Device && s.devices != nil:
		permissions, err := s.devices.Permissions(ctx, p.DeviceID)
		if err != nil {
			return Holdings{}, err
		}
		return Holdings{Granted: setOf(permissions)}, nil
	}
	return Holdings{}, nil
}
