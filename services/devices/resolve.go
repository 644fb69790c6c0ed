package devices

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
)

// renewAfter is how old a credential cookie gets before it is set again.
const renewAfter = 7 * 24 * time.Hour

// Resolve tells which device sent r: one whose credential the cookie carries and that is not revoked, else
// nobody. Without a cookie of exactly our name it does no database work. It waits for the database at most
// storeDeadline, whether or not the client still listens. Fails with httpapi.ErrPrincipal when the store
// cannot tell. Safe for concurrent use.
func (s *Service) Resolve(_ context.Context, r *http.Request) (principal.Principal, error) {
	value, found := s.credential.find(r.Header)
	if !found {
		return principal.Principal{}, nil
	}
	deviceID, err := s.lookUp(value)
	if err != nil {
		return principal.Principal{}, fmt.Errorf("%w: %w", httpapi.ErrPrincipal, err)
	}
	if deviceID == "" {
		return principal.Principal{}, nil
	}
	s.seen.note(deviceID)
	return principal.Principal{Kind: principal.Device, DeviceID: deviceID}, nil
}

// lookUp returns "" when the cookie yields no device and the store could have said so.
func (s *Service) lookUp(value string) (deviceID string, err error) {
	hash, possible := parseSecret(value)
	if !possible {
		return "", s.store.check()
	}
	return s.store.holder(hash)
}

// Permissions returns the ids of what a device was given; nothing for one that is revoked or unknown.
// deviceID is of a principal that Resolve returned. Fails with httpapi.ErrPrincipal. Safe for concurrent
// use.
func (s *Service) Permissions(ctx context.Context, deviceID string) ([]string, error) {
	permissions, err := s.store.permissions(ctx, deviceID)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", httpapi.ErrPrincipal, err)
	}
	return permissions, nil
}

// Renew sets r's credential cookie again, for 400 days, when it was last set more than 7 days ago: browsers
// keep no cookie longer. Of several requests at once one carries the cookie. Without a credential that is
// in force it does nothing. Fails with STORE_UNAVAILABLE; the cookie is then still what it was. Source:
// contract.md §5.
func (s *Service) Renew(ctx context.Context, header http.Header, r *http.Request) error {
	value, _ := s.credential.find(r.Header)
	hash, possible := parseSecret(value)
	if !possible {
		return nil
	}
	due, err := s.store.renew(ctx, hash)
	if due {
		s.credential.set(header, value)
	}
	return err
}
