package links

import (
	"context"
	"crypto/sha256"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

const (
	maxSubject = 128 // bytes
	// MaxLive is how many links of a module work at most: neither revoked nor ended.
	MaxLive = 50_000
)

// Create makes a link of a module for one permission, and returns its address, which nobody can read again.
// A zero end means that the link has none. by is the person in whose request the module makes it, whom the
// activity names, or "" for one that the module makes by itself, as for each of its mails. person is the id
// of whose link it is, or "": it does not work while they are deactivated. Errors: ErrSubject, ErrCapacity,
// STORE_UNAVAILABLE.
func (s *Service) Create(
	ctx context.Context, by, person, moduleID, permissionID, subject string, ends time.Time,
) (address string, err error) {
	if err := check(subject, person); err != nil {
		return "", err
	}
	secret, id := newSecret(), uuid.NewString()
	made := link{
		id:         id,
		module:     moduleID,
		permission: permissionID,
		subject:    subject,
		person:     person,
		secret:     sha256.Sum256(secret),
		cookie:     sha256.Sum256(cookieOf(secret, id)),
	}
	if !ends.IsZero() {
		made.ends = &ends
	}
	if err := s.store.insert(ctx, by, made); err != nil {
		return "", err
	}
	return string(s.origin) + "/link/" + moduleID + "#" + encode(secret), nil
}

// Revoke ends all links of a module for a subject. It is no error if there are none. by is as for Create.
// Errors: ErrSubject, STORE_UNAVAILABLE.
func (s *Service) Revoke(ctx context.Context, by, moduleID, subject string) error {
	if err := check(subject, ""); err != nil {
		return err
	}
	return s.store.revoke(ctx, by, moduleID, subject)
}

// Assign sets the person of a module's links for a subject: person is as for Create. Those that are revoked
// stay as they are. Errors: ErrSubject, STORE_UNAVAILABLE.
func (s *Service) Assign(ctx context.Context, person, moduleID, subject string) error {
	if err := check(subject, person); err != nil {
		return err
	}
	return s.store.assign(ctx, person, moduleID, subject)
}

func check(subject, person string) error {
	if len(subject) == 0 || len(subject) > maxSubject || !utf8.ValidString(subject) ||
		strings.ContainsRune(subject, 0) || // PostgreSQL has no such text
		person != "" && uuid.Validate(person) != nil {
		return ErrSubject
	}
	return nil
}
