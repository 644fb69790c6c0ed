package people

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

// reminderRule is for each person, whoever reminds them.
var reminderRule = ratelimit.Rule{Window: 24 * time.Hour, Max: 1}

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
	found, err := s.store.member(c.Request.Context(), id)
	switch {
	case err != nil:
		return err
	case found.HasPasskey, found.DeactivatedAt != nil, !found.EmailVerified, found.Email == nil:
		return ErrReminderNotNeeded
	}
	key := ratelimit.KeyOfID(uuid.MustParse(id), directoryPath+"/remind")
	if ok, wait := s.limiter.Allow(reminderRule, key); !ok {
		return tellWait(c, tooMany{wait})
	}
	address := *found.Email
	s.outbox.Post(mail.Email{Compose: func(context.Context) (mail.Message, bool) {
		return s.emails.PasskeyReminder(address), true
	}})
	return c.JSON(http.StatusOK, found.listed())
}
