package devices

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
)

// renewAfter is the age at which a credential cookie is set again.
const renewAfter = 7 * 24 * time.Hour

// Resolve returns which device sent r: the unrevoked device whose credential is in the cookie, or nobody. The
// first request that resolves to a device makes the device permanent and ends its claim. Without a cookie of
// exactly our name it does no database work. It waits for the database for at most 5 s, even when
// the client has disconnected. It fails with httpapi.ErrPrincipal when the store cannot check. It is safe for
// concurrent use.
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

// lookUp returns "" when the store was able to check and no device has this cookie.
func (s *Service) lookUp(value string) (deviceID string, err error) {
	hash, possible := parseSecret(value)
	if !possible {
		return "", s.store.check()
	}
	return s.store.holder(hash)
}

// Permissions returns the ids of the permissions of a device that Resolve returned; it returns none when the
// device is revoked or unknown. It fails with httpapi.ErrPrincipal. It is safe for concurrent use.
func (s *Service) Permissions(ctx context.Context, deviceID string) ([]string, error) {
	permissions, err := s.store.permissions(ctx, deviceID)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", httpapi.ErrPrincipal, err)
	}
	return permissions, nil
}

// Label returns how administrators call a device that Resolve returned; "" when it is revoked or unknown. It
// fails with STORE_UNAVAILABLE. It is safe for concurrent use.
func (s *Service) Label(ctx context.Context, deviceID string) (string, error) {
	return s.store.label(ctx, deviceID)
}

// Renew sets r's credential cookie for another 400 days when it was last set more than 7 days ago, because
// browsers keep no cookie longer than 400 days. Of several simultaneous requests, only one response sets the
// cookie. Without a valid credential it does nothing. It fails with STORE_UNAVAILABLE; the cookie is then
// unchanged.
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

// ForgetClaim deletes the claim cookie in the browser of a device when the claim is no longer valid, which is
// the case after the first use of the credential. It keeps the claim of a pairing that is still open, because
// the browser may be pairing again. After an error the cookie is unchanged.
func (s *Service) ForgetClaim(header http.Header, r *http.Request) error {
	value, found := s.claim.find(r.Header)
	if !found {
		return nil
	}
	if hash, possible := parseSecret(value); possible {
		if _, err := s.store.pairing(hash); !errors.Is(err, ErrPairingNotFound) {
			return err
		}
	}
	s.claim.clear(header)
	return nil
}
