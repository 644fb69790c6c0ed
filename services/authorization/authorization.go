// Package authorization owns what a caller may do: the registry of permissions, which is fixed at start, the
// grants that people hold, the record of who gave and revoked them, and the only function that decides, which
// denies by default.
//
// It does not authenticate callers; services/identity, services/devices and services/links do.
package authorization

import (
	"context"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
)

// Devices is the store of the devices' permissions.
type Devices interface {
	// Permissions returns the ids of the permissions that the device holds now; none for an unknown or revoked
	// device. It has a deadline of its own and does not stop when ctx is cancelled, because other checks of
	// the same request wait for its result.
	Permissions(ctx context.Context, deviceID string) ([]string, error)
}

// Links is the store of the links' permissions.
type Links interface {
	// Permission returns the id of the one permission that the link holds now; "" for an unknown, revoked or
	// ended link. Like Devices.Permissions it does not stop when ctx is cancelled.
	Permission(ctx context.Context, linkID string) (string, error)
}

// Service makes callers and serves the routes about grants. It is safe for concurrent use and starts no
// goroutine.
type Service struct {
	registry *Registry
	store    *Store
	devices  Devices
	links    Links
}

// New makes a Service. With nil for devices or links, none of them has a permission.
func New(registry *Registry, store *Store, devices Devices, links Links) *Service {
	return &Service{registry, store, devices, links}
}

// Registry returns the registry of the permissions that the service decides about.
func (s *Service) Registry() *Registry { return s.registry }

// Caller returns one principal during one request. When a permission first depends on stored facts, it
// reads them all in one query and keeps the result, a failure included, so that one request is never judged
// by two different states.
func (s *Service) Caller(p principal.Principal) httpapi.Caller {
	return &caller{service: s, principal: p}
}

// holdings reads the store for the principal's kind.
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
	case p.Kind == principal.Link && s.links != nil:
		permission, err := s.links.Permission(ctx, p.LinkID)
		if err != nil || permission == "" {
			return Holdings{}, err
		}
		return Holdings{Granted: setOf([]string{permission})}, nil
	}
	return Holdings{}, nil
}
