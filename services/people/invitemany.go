package people

import (
	"errors"
	"net/http"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
)

const (
	maxInvited  = 500
	maxManyBody = 512 << 10 // bytes
)

// manyBody is the body of POST /api/v1/invitations/many: people who are invited with the same grants.
type manyBody struct {
	People []struct {
		Email string  `json:"email"`
		Name  *string `json:"name,omitzero"`
	} `json:"people"`
	Grants []grantBody `json:"grants,omitzero"`
}

// invited is the outcome for one of many people: an invitation, or the code of its refusal.
type invited struct {
	Email      string           `json:"email"` // as it was sent
	Invitation *shownInvitation `json:"invitation"`
	Replaced   bool             `json:"replaced"`
	Code       *string          `json:"code"`
}

// inviteMany is POST /api/v1/invitations/many. Each person is invited in a transaction of their own, so the
// refusal of one does not concern the others. It goes on when the client disconnects.
func (s *Service) inviteMany(c *httpapi.Call) error {
	body, err := httpapi.Decode[manyBody](c)
	if err != nil {
		return err
	}
	if len(body.People) == 0 || len(body.People) > maxInvited {
		return httpapi.ErrRequest
	}
	grants, err := s.checkGrants(c, body.Grants)
	if err != nil {
		return err
	}
	outcomes := make([]invited, 0, len(body.People))
	var down error // the store does not answer: the remaining people are not tried
	for _, person := range body.People {
		made, replaced, err := invitation{}, false, down
		if down == nil {
			made, replaced, err = s.inviteOne(c, person.Email, person.Name, grants)
		}
		outcome := invited{Email: person.Email, Replaced: replaced}
		coded := (interface{ Code() string })(nil)
		switch {
		case err == nil:
			shown, err := made.shown()
			if err != nil {
				return err
			}
			outcome.Invitation = &shown
		case !errors.As(err, &coded):
			return err
		default:
			outcome.Code = new(coded.Code())
			if errors.Is(err, store.ErrUnavailable) {
				if len(outcomes) == 0 {
					return err // nobody is invited
				}
				down = err
			}
		}
		outcomes = append(outcomes, outcome)
	}
	return c.JSON(http.StatusOK, map[string][]invited{"outcomes": outcomes})
}
