package identity

import (
	"context"
	"errors"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// The codes of NewPassword on routes outside /api/auth.
const (
	ErrPasswordTooShort = httpapi.Error("PASSWORD_TOO_SHORT")
	ErrPasswordTooLong  = httpapi.Error("PASSWORD_TOO_LONG")
	ErrBusy             = httpapi.Error("TOO_MANY_REQUESTS") // too many hashes are waiting
)

// ParseAddress returns the form in which an address is stored: lowercase. It refuses what nobody could sign
// up with.
func ParseAddress(text string) (address string, ok bool) { return parseAddress(text) }

// ParseAddress is the package's function ParseAddress as a method, for services/people.
func (*Service) ParseAddress(text string) (address string, ok bool) { return parseAddress(text) }

// CheckPassword returns ErrPasswordTooShort or ErrPasswordTooLong for a password that nobody may choose.
func (*Service) CheckPassword(password string) error {
	switch err := checkLength(password); {
	case errors.Is(err, errPasswordTooShort):
		return ErrPasswordTooShort
	case errors.Is(err, errPasswordTooLong):
		return ErrPasswordTooLong
	}
	return nil
}

// NewPassword checks and hashes the password of a new person. It waits for the same slots as a password
// reset, so that it cannot keep people from signing in. It returns ErrBusy when no slot becomes free in time.
func (s *Service) NewPassword(ctx context.Context, password string) (hash string, err error) {
	if err := s.CheckPassword(password); err != nil {
		return "", err
	}
	hash, err = s.passwords.hash(ctx, password)
	if errors.Is(err, errBusy) {
		return "", ErrBusy
	}
	return hash, err
}
