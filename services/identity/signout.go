package identity

import (
	"context"
	"fmt"
	"net/http"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// signOut ends the session of the request's cookie, if there is one. It reports success only after the
// store has deleted the session, because people leave shared computers once they read it.
func (s *Service) signOut(c *httpapi.Call, _ input) error {
	if value, found := s.cookie.find(c.Request.Header); found {
		ctx := c.Request.Context()
		var err error
		if hash, signed := s.cookie.verify(value); signed != forged {
			err = s.store.end(ctx, hash)
		} else {
			err = s.store.checkSessions()
		}
		if err != nil {
			return fmt.Errorf("%w: %w", httpapi.ErrPrincipal, err)
		}
	}
	s.cookie.clear(c.Writer.Header())
	return c.RawJSON(http.StatusOK, successBody)
}

// SignOutEverywhere ends every session of a person, and clears the cookie in the header of the response. It
// reports success only after the store has deleted them. A sign-in at the same moment comes before or after
// it. Safe for concurrent use.
func (s *Service) SignOutEverywhere(ctx context.Context, userID string, response http.Header) error {
	if err := s.store.endAll(ctx, userID); err != nil {
		return err
	}
	s.cookie.clear(response)
	return nil
}
