package links

import (
	"crypto/sha256"
	"net/http"
	"strings"

	"github.com/narthex-platform/narthex/services/httpapi"
)

const (
	openPath = "/api/v1/links/open"
	maxBody  = 4 << 10 // bytes
)

// Routes is this package's part of the route table.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{{
		Method: "POST", Path: openPath,
		Origin: httpapi.TrustedOrigin,
		Body:   httpapi.WholeBody, MaxBody: maxBody,
		Handle: s.open,
	}}
}

// open is POST /api/v1/links/open. It gives the browser the cookie of the link whose secret it has.
func (s *Service) open(c *httpapi.Call) error {
	if err := s.allow(c, openRule, openPath); err != nil {
		return err
	}
	body, err := httpapi.Decode[struct {
		ModuleID string `json:"moduleId"`
		Secret   string `json:"secret"`
	}](c)
	if err != nil {
		return err
	}
	secret, possible := decodeSecret(body.Secret)
	if !possible || strings.ContainsRune(body.ModuleID, 0) { // PostgreSQL has no such text
		return ErrNotFound
	}
	id, err := s.store.open(c.Request.Context(), body.ModuleID, sha256.Sum256(secret))
	if err != nil {
		return err
	}
	s.cookie.set(c.Writer.Header(), encode(cookieOf(secret, id)))
	return c.JSON(http.StatusOK, map[string]string{"moduleId": body.ModuleID})
}
