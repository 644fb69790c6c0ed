package identity

import (
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
