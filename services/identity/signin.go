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

// signIn answers a wrong password, an unknown address and a person without a password with the same bytes
// after the same work. That an address is not verified shows only to who knows its password.
func (s *Service) signIn(c *httpapi.Call, in input) error {
	address, ok := parseAddress(in.text("email"))
	if !ok {
		return errInvalidEmail
	}
	persistent := in.flag("rememberMe", true)
	value, hash := s.cookie.newValue()
	attempt := func() error { return s.beginSession(c, address, in.text("password"), hash, persistent) }
	err := attempt()
	if errors.Is(
		err,
		errHashChanged,
	) { // another sign-in has renewed it, or the password was changed: the next look tells
		err = attempt()
	}
	switch {
	case errors.Is(err, errHashChanged):
		return errCredentials
	case err != nil:
		return err
	}
	if persistent {
		s.cookie.setFor(c.Writer.Header(), value, persistentLifetime)
	} else {
		s.cookie.setUntilClosed(c.Writer.Header(), value)
	}
	return c.RawJSON(http.StatusOK, okBody)
}

// beginSession checks the password and opens the session that hash stands for. errHashChanged: meanwhile
// the stored hash became another.
func (s *Service) beginSession(
	c *httpapi.Call,
	address, password string,
	hash tokenHash,
	persistent bool,
) error {
	ctx := c.Request.Context()
	person, err := s.store.credential(address)
	if err != nil && !errors.Is(err, errNoPerson) {
		return err
	}
	verdict, err := s.passwords.verify(ctx, person.PasswordHash, password)
	switch {
	case err != nil:
		return err
	case !verdict.matches:
		return errCredentials
	case !person.EmailVerified:
		return errNotVerified
	}
	if err := s.store.begin(ctx, hash, person, persistent); err != nil {
		return err
	}
	if verdict.renewed != "" {
		if err := s.store.renewHash(ctx, person, verdict.renewed); err != nil {
			s.logFailure(c) // the older hash still works, so the sign-in goes on
		}
	}
	return nil
}
