package people

import (
	"context"
	"net/http"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// deactivate is POST /api/v1/people/{user_id}/deactivate.
func (s *Service) deactivate(c *httpapi.Call) error {
	return s.onPerson(c, func(ctx context.Context, d decision) (foundPerson, error) {
		return s.store.deactivate(ctx, s.accounts, s.grants, d)
	})
}

// reactivate is POST /api/v1/people/{user_id}/reactivate.
func (s *Service) reactivate(c *httpapi.Call) error {
	return s.onPerson(c, func(ctx context.Context, d decision) (foundPerson, error) {
		return s.store.reactivate(ctx, s.grants, d)
	})
}

// erase is POST /api/v1/people/{user_id}/erase.
func (s *Service) erase(c *httpapi.Call) error {
	return s.onPerson(c, func(ctx context.Context, d decision) (foundPerson, error) {
		found, err := s.store.erase(ctx, s.accounts, s.grants, d)
		if err == nil {
			s.erased()
		}
		return found, err
	})
}

func (s *Service) onPerson(
	c *httpapi.Call, f func(ctx context.Context, d decision) (foundPerson, error),
) error {
	id := c.Parameter("user_id")
	if !isID(id) {
		return httpapi.ErrRequest
	}
	if err := httpapi.DecodeEmpty(c); err != nil {
		return err
	}
	ctx := c.Request.Context()
	mayGrant, err := c.Caller.Allowed(ctx, manageGrants)
	if err != nil {
		return err
	}
	found, err := f(ctx, decision{by: chain.Person(c.UserID()), mayGrant: mayGrant, userID: id})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, found.listed())
}
