package people

import (
	"context"
	"net/http"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// remind is POST /api/v1/people/{user_id}/remind: an email asks the person to add a passkey. Codes:
// USER_NOT_FOUND, REMINDER_NOT_NEEDED, and TOO_MANY_REQUESTS for the second one in a day.
func (s *Service) remind(c *httpapi.Call) error {
	id := c.Parameter("user_id")
	if !isID(id) {
		return httpapi.ErrRequest
	}
	if err := httpapi.DecodeEmpty(c); err != nil {
		return err
	}
	found, err := s.store.remind(c.Request.Context(), chain.Person(c.UserID()), id)
	if err != nil {
		return tellWait(c, err)
	}
	address := *found.Email
	s.outbox.Post(mail.Email{Compose: func(context.Context) (mail.Message, bool) {
		return s.emails.PasskeyReminder(address), true
	}})
	return c.JSON(http.StatusOK, found.listed())
}
