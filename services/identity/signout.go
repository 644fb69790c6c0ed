package identity

import (
	"fmt"
	"net/http"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// signOut ends the session that came along, if there is one, and says so only when the store has done it: a
// browser that was told of a success may leave a shared computer to the next person.
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
