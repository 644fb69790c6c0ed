package identity

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
)

// How long sessions live (contract.md §2). The database's clock measures all of it.
const (
	persistentLife = 7 * 24 * time.Hour  // from the last extension
	briefLife      = 24 * time.Hour      // without "remember me", never extended
	extendAfter    = 24 * time.Hour      // since the last extension
	absoluteLife   = 30 * 24 * time.Hour // since sign-in
)

// session is what one look-up finds.
type session struct {
	userID       string
	extensionDue bool
}

// Resolve tells who sent r: a person with a live session, else nobody. Without a cookie of exactly our name it does no database
// work. It waits for the database at most storeDeadline, whether or not the client still listens, for a query cut off by its caller
// would cost the pool a connection. Fails with httpapi.ErrPrincipal. Safe for concurrent use.
func (s *Service) Resolve(ctx context.Context, r *http.Request) (principal.Principal, error) {
	value, found := s.cookie.find(r.Header)
	if !found {
		return principal.Principal{}, nil
	}
	session, err := s.lookUp(ctx, value)
	if err != nil || session.userID == "" {
		return principal.Principal{}, err
	}
	return principal.Person(session.userID), nil
}

// lookUp returns the zero session when the cookie yields none and the store could have said so.
func (s *Service) lookUp(ctx context.Context, value string) (session, error) {
	var found session
	var err error
	if hash, genuine := s.cookie.open(value); genuine {
		found, err = s.store.session(hash)
	} else {
		err = s.store.checkSessions(ctx)
	}
	if err != nil {
		return session{}, fmt.Errorf("%w: %w", httpapi.ErrPrincipal, err)
	}
	return found, nil
}

// principal is GET /api/v1/principal, the one route that extends a session: no other hands the renewed cookie to the browser.
func (s *Service) principal(c *httpapi.Call) error {
	value, found := s.cookie.find(c.Request.Header)
	if !found {
		return c.RawJSON(http.StatusOK, anonymousBody)
	}
	session, err := s.lookUp(c.Request.Context(), value)
	if err != nil {
		return err
	}
	if session.userID == "" {
		return c.RawJSON(http.StatusOK, anonymousBody)
	}
	if session.extensionDue {
		s.extend(c, value)
	}
	return c.RawJSON(http.StatusOK, []byte(`{"kind":"authenticated","userId":"`+session.userID+`"}`))
}

// extend sets the cookie again with the life it has from now. When that fails the session is still what it was, so the request
// goes on.
func (s *Service) extend(c *httpapi.Call, value string) {
	hash, _ := s.cookie.open(value)
	left, err := s.store.extend(c.Request.Context(), hash)
	switch {
	case err != nil:
		s.logFailure(c)
	case left > 0: // 0: another request was quicker and carries the cookie
		s.cookie.setFor(c.Writer.Header(), value, left)
	}
}
