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

// signIn responds to a wrong password, an unknown address and a person without a password with the same
// bytes after the same work. Only a client that knows the password learns that an address is not verified.
func (s *Service) signIn(c *httpapi.Call, in input) error {
	address, ok := parseAddress(in.text("email"))
	if !ok {
		return errInvalidEmail
	}
	persistent := in.flag("rememberMe", true)
	value, hash := s.cookie.newValue()
	begun := newSession{hash: hash, persistent: persistent, description: describe(c.Request.UserAgent())}
	attempt := func() error { return s.beginSession(c, address, in.text("password"), begun) }
	err := attempt()
	if errors.Is(
		err,
		errHashChanged,
	) { // replaced by another sign-in or by a new password: check again
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

// beginSession checks the password and creates the session. errHashChanged: the stored hash was
// replaced after it was read.
func (s *Service) beginSession(
	c *httpapi.Call,
	address, password string,
	begun newSession,
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
	if err := s.store.begin(ctx, person, begun); err != nil {
		return err
	}
	if verdict.renewed != "" {
		if err := s.store.renewHash(ctx, person, verdict.renewed); err != nil {
			s.logFailure(c, err) // the sign-in continues: the old hash still works
		}
	}
	return nil
}
