package identity

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
)

// How long sessions last. All of it is measured by the database's clock.
const (
	persistentLifetime = 7 * 24 * time.Hour  // from the last extension
	briefLifetime      = 24 * time.Hour      // without "remember me", never extended
	extendAfter        = 24 * time.Hour      // since the last extension
	absoluteLifetime   = 30 * 24 * time.Hour // since sign-in
)

// session is the result of one look-up.
type session struct {
	userID       string
	extensionDue bool
	seenDue      bool // last_seen_at is older than seenAfter
	outdated     bool // its cookie is signed with the previous secret
}

// Resolve returns who sent r: the person whose session is in the cookie, or nobody. Without a cookie of
// exactly our name it does no database work. It waits for the database for at most 5 s, even when
// the client has disconnected, because a cancelled query would cost the pool a connection. It fails with
// httpapi.ErrPrincipal. It is safe for concurrent use.
func (s *Service) Resolve(_ context.Context, r *http.Request) (principal.Principal, error) {
	value, found := s.cookie.find(r.Header)
	if !found {
		return principal.Principal{}, nil
	}
	session, err := s.lookUp(value)
	if err != nil || session.userID == "" {
		return principal.Principal{}, err
	}
	return principal.Person(session.userID), nil
}

// lookUp returns the zero session when the store was able to check and there is no valid session for the
// cookie.
func (s *Service) lookUp(value string) (session, error) {
	var found session
	var err error
	hash, signed := s.cookie.verify(value)
	if signed != forged {
		found, err = s.store.session(hash)
	} else {
		err = s.store.checkSessions()
	}
	if err != nil {
		return session{}, fmt.Errorf("%w: %w", httpapi.ErrPrincipal, err)
	}
	found.outdated = signed == signedByPrevious
	return found, nil
}

// principal is GET /api/v1/principal, the only route that extends a session and renews its cookie.
func (s *Service) principal(c *httpapi.Call) error {
	value, found := s.cookie.find(c.Request.Header)
	if !found {
		return c.RawJSON(http.StatusOK, anonymousBody)
	}
	session, err := s.lookUp(value)
	if err != nil {
		return err
	}
	if session.userID == "" {
		return c.RawJSON(http.StatusOK, anonymousBody)
	}
	s.renew(c, value, session)
	if session.seenDue {
		hash, _ := s.cookie.verify(value)
		if err := s.store.seen(c.Request.Context(), hash); err != nil {
			s.logFailure(c, err) // the session is valid all the same
		}
	}
	return c.RawJSON(http.StatusOK, []byte(`{"kind":"authenticated","userId":"`+session.userID+`"}`))
}

// renew sets the cookie again with its remaining lifetime when the session is due to be extended or the
// cookie is signed with the previous secret. When that fails, the session is still valid, so the request
// continues.
func (s *Service) renew(c *httpapi.Call, value string, found session) {
	if !found.extensionDue && !found.outdated {
		return
	}
	ctx, header := c.Request.Context(), c.Writer.Header()
	hash, _ := s.cookie.verify(value)
	left, untilClosed, err := time.Duration(0), false, error(nil)
	if found.extensionDue {
		left, err = s.store.extend(ctx, hash) // 0: already extended by another request
	}
	if err == nil && left == 0 && found.outdated {
		left, untilClosed, err = s.store.remaining(ctx, hash)
	}
	switch {
	case err != nil:
		s.logFailure(c, err)
	case untilClosed:
		s.cookie.setUntilClosed(header, s.cookie.signAgain(value))
	case left > 0:
		s.cookie.setFor(header, s.cookie.signAgain(value), left)
	}
}
