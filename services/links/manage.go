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
// A zero end means that the link has none. Errors: ErrSubject, ErrCapacity, STORE_UNAVAILABLE.
func (s *Service) Create(
	ctx context.Context, moduleID, permissionID, subject string, ends time.Time,
) (address string, err error) {
	if err := checkSubject(subject); err != nil {
		return "", err
	}
	secret, id := newSecret(), uuid.NewString()
	made := link{
		id:         id,
		module:     moduleID,
		permission: permissionID,
		subject:    subject,
		secret:     sha256.Sum256(secret),
		cookie:     sha256.Sum256(cookieOf(secret, id)),
	}
	if !ends.IsZero() {
		made.ends = &ends
	}
	if err := s.store.insert(ctx, made); err != nil {
		return "", err
	}
	return string(s.origin) + "/link/" + moduleID + "#" + encode(secret), nil
}

// Revoke ends all links of a module for a subject. It is no error if there are none. Errors: ErrSubject,
// STORE_UNAVAILABLE.
func (s *Service) Revoke(ctx context.Context, moduleID, subject string) error {
	if err := checkSubject(subject); err != nil {
		return err
	}
	return s.store.revoke(ctx, moduleID, subject)
}

func checkSubject(subject string) error {
	if len(subject) == 0 || len(subject) > maxSubject || !utf8.ValidString(subject) ||
		strings.ContainsRune(subject, 0) { // PostgreSQL has no such text
		return ErrSubject
	}
	return nil
}
