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
	session := newSession{persistent: persistent, description: describe(c.Request.UserAgent())}
	err := s.beginSession(c, address, in.text("password"), session)
	if errors.Is(err, errHashChanged) { // by another sign-in or by the person: check again
		err = s.beginSession(c, address, in.text("password"), session)
	}
	switch {
	case errors.Is(err, errHashChanged):
		return errCredentials
	case err != nil:
		return err
	}
	return c.RawJSON(http.StatusOK, okBody)
}

// beginSession checks the password, creates the session and sets its cookie. For a person with a passkey it
// creates a pending sign-in in place of the session and returns errSecondFactor. errHashChanged: the stored
// hash was replaced after it was read, or the person has added or removed a passkey.
func (s *Service) beginSession(c *httpapi.Call, address, password string, session newSession) error {
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
	header, outcome := c.Writer.Header(), error(nil)
	if person.HasPasskey {
		value, hash := newToken()
		session.hash, outcome = hash, errSecondFactor
		if err := s.store.beginPending(ctx, person, session); err != nil {
			return err
		}
		s.pending.set(header, value, pendingLifetime)
	} else {
		value, hash := s.cookie.newValue()
		session.hash = hash
		if err := s.store.begin(ctx, person, session); err != nil {
			return err
		}
		s.setSession(header, value, session.persistent)
	}
	if verdict.renewed != "" {
		if err := s.store.renewHash(ctx, person, verdict.renewed); err != nil {
			s.logFailure(c, err) // the sign-in continues: the old hash still works
		}
	}
	return outcome
}
