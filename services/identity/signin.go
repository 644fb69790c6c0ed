package identity

import (
	"errors"
	"net/http"

	"github.com/narthex-platform/narthex/services/httpapi"
)

func signInSchema() []field {
	return []field{
		{name: "email", kind: "string"},
		{name: "password", kind: "string"},
		{name: "callbackURL", kind: "string", optional: true},
		{name: "rememberMe", kind: "boolean", optional: true},
	}
}

// signIn answers a wrong password, an unknown address and a person without a password with the same bytes after the same work. That
// an address is not verified shows only to who knows its password.
func (s *Service) signIn(c *httpapi.Call, in input) error {
	ctx := c.Request.Context()
	address, ok := parseAddress(in.text("email"))
	if !ok {
		return errInvalidEmail
	}
	person, err := s.store.credential(ctx, address)
	if err != nil && !errors.Is(err, errNoPerson) {
		return err
	}
	matches, err := s.passwords.verify(ctx, person.PasswordHash, in.text("password"))
	switch {
	case err != nil:
		return err
	case !matches:
		return errCredentials
	case !person.EmailVerified:
		return errNotVerified
	}

	persistent := in.flag("rememberMe", true)
	value, hash := s.cookie.mint()
	if err := s.store.begin(ctx, hash, person, persistent); err != nil {
		return err
	}
	if persistent {
		s.cookie.setFor(c.Writer.Header(), value, persistentLife)
	} else {
		s.cookie.setUntilClosed(c.Writer.Header(), value)
	}
	return c.RawJSON(http.StatusOK, okBody)
}
