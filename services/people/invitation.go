package people

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
)

// The states of an invitation. An expired one can be sent again, and an invitation to the same address takes
// its place.
const (
	open      = "open"
	accepted  = "accepted"
	withdrawn = "withdrawn"
	expired   = "expired"
)

const (
	invitationLifetime = 7 * 24 * time.Hour
	maxGrants          = 32

	// The delivery state of an email that has not been sent.
	queued  = "QUEUED"
	dropped = "DROPPED"
)

// promisedGrant is a permission that comes with an invitation.
type promisedGrant struct {
	PermissionID string     `json:"permissionId"`
	ExpiresAt    *time.Time `json:"-"`
	Until        *string    `json:"expiresAt"` // in the form that the client sent
}

// invitation is one row. Address and name are nil when they were forgotten.
type invitation struct {
	ID        string
	Email     *string
	Name      *string
	State     string
	Grants    string // JSON
	CreatedAt time.Time
	CreatedBy *string // nil: an operator
	ExpiresAt time.Time
	Delivery  *string
}

// shownInvitation is an invitation as JSON.
type shownInvitation struct {
	ID        string          `json:"id"`
	Email     *string         `json:"email"`
	Name      *string         `json:"name"`
	State     string          `json:"state"`
	Grants    []promisedGrant `json:"grants"`
	CreatedAt string          `json:"createdAt"`
	CreatedBy *string         `json:"createdBy"`
	ExpiresAt string          `json:"expiresAt"`
	Delivery  *string         `json:"delivery"`
}

func (i invitation) shown() (shownInvitation, error) {
	grants, err := i.promised()
	return shownInvitation{
		i.ID, i.Email, i.Name, i.State, grants, httpapi.Time(i.CreatedAt), i.CreatedBy, httpapi.Time(i.ExpiresAt),
		i.Delivery,
	}, err
}

// promised parses the grants that textOf formatted.
func (i invitation) promised() (grants []promisedGrant, err error) {
	if err := json.Unmarshal([]byte(i.Grants), &grants); err != nil {
		return nil, err
	}
	for n, g := range grants {
		if g.Until == nil {
			continue
		}
		at, ok := httpapi.ParseTime(*g.Until)
		if !ok {
			return nil, httpapi.ErrInternal
		}
		grants[n].ExpiresAt = &at
	}
	return grants, nil
}

func textOf(grants []promisedGrant) string {
	if len(grants) == 0 {
		return "[]"
	}
	text, _ := json.Marshal(grants) // cannot fail: the struct contains only strings
	return string(text)
}

func isID(text string) bool {
	id, err := uuid.Parse(text)
	return err == nil && id.String() == text
}

// mailInvitation queues the email. Nothing is sent if the link is no longer valid when a worker composes the
// email.
func (s *Service) mailInvitation(ctx context.Context, email, token string) {
	hash := hashOf(token)
	posted := s.outbox.Post(mail.Email{
		Compose: func(context.Context) (mail.Message, bool) {
			if _, err := s.store.live(hash); err != nil {
				return mail.Message{}, false
			}
			return s.emails.Invited(email, token), true
		},
		Done: func(ctx context.Context, result mail.SendResult) { s.tellDelivery(ctx, hash, string(result)) },
	})
	if !posted {
		s.tellDelivery(ctx, hash, dropped)
	}
}

// tellDelivery stores the delivery state, which is only displayed. So a failure is only logged.
func (s *Service) tellDelivery(ctx context.Context, hash tokenHash, outcome string) {
	if err := s.store.delivered(ctx, hash, outcome); err != nil {
		s.log.Error("people failed", zap.String("cause", string(store.CauseOf(err))))
	}
}
