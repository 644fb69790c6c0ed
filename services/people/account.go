package people

import (
	"fmt"
	"net/http"

	"github.com/narthex-platform/narthex/services/httpapi"
)

const maxName = 200 // characters, as at sign-up

// ownAccount is a person's own account in responses.
type ownAccount struct {
	UserID string `json:"userId"`
	Email  string `json:"email"`
	Name   string `json:"name"`
}

// account is GET /api/v1/account.
func (s *Service) account(c *httpapi.Call) error {
	found, err := s.store.account(c.Request.Context(), c.Caller.Principal().UserID)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, found)
}

// rename is PUT /api/v1/account. After a 503 the client does not know whether the name was changed.
func (s *Service) rename(c *httpapi.Call) error {
	body, err := httpapi.Decode[struct {
		Name string `json:"name"`
	}](c)
	if err != nil {
		return err
	}
	if !httpapi.IsName(body.Name, maxName) {
		return httpapi.ErrRequest
	}
	renamed, err := s.store.rename(c.Request.Context(), c.Caller.Principal().UserID, body.Name)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, renamed)
}

// signOutEverywhere is POST /api/v1/account/sign-out-everywhere. It ends the caller's present session too.
func (s *Service) signOutEverywhere(c *httpapi.Call) error {
	if err := httpapi.DecodeEmpty(c); err != nil {
		return err
	}
	userID, header := c.Caller.Principal().UserID, c.Writer.Header()
	if err := s.sessions.SignOutEverywhere(c.Request.Context(), userID, header); err != nil {
		return fmt.Errorf("%w: %w", httpapi.ErrStore, err)
	}
	header.Set("Cache-Control", "no-store")
	c.Writer.WriteHeader(http.StatusNoContent)
	return nil
}
