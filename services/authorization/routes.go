package authorization

import (
	"net/http"

	"github.com/narthex-platform/narthex/services/httpapi"
)

const (
	manageGrants = "core.authorization.grants.manage"
)

// Routes is authorization's part of the route table. All routes need the permission to manage grants.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: "/api/v1/permissions", Permission: manageGrants, Handle: s.permissions},
		{Method: "GET", Path: "/api/v1/grants", Permission: manageGrants, Handle: s.list},
		{Method: "GET", Path: "/api/v1/grants/{grant_id}", Permission: manageGrants, Handle: s.read},
		httpapi.Write("POST", "/api/v1/grants", manageGrants, s.issue),
		httpapi.Write("POST", "/api/v1/grants/{grant_id}/revoke", manageGrants, s.revoke),
	}
}

func (s *Service) permissions(c *httpapi.Call) error {
	return c.RawJSON(http.StatusOK, s.registry.listing)
}

func (s *Service) list(c *httpapi.Call) error {
	q, err := parseQuery(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	found, err := s.store.list(c.Request.Context(), q)
	if err != nil {
		return err
	}
	s.mark(found)
	return c.JSON(http.StatusOK, pageOf(found, q.limit))
}

func (s *Service) read(c *httpapi.Call) error {
	id, ok := parseID(c.Parameter("grant_id"))
	if !ok {
		return httpapi.ErrRequest
	}
	found, err := s.store.grant(c.Request.Context(), id.String())
	if err != nil {
		return err
	}
	marked := []grant{found}
	s.mark(marked)
	return c.JSON(http.StatusOK, marked[0])
}

func (s *Service) issue(c *httpapi.Call) error {
	body, err := httpapi.Decode[issueBody](c)
	if err != nil {
		return err
	}
	wanted, err := s.checkIssue(body, c.Caller.Principal().UserID)
	if err != nil {
		return err
	}
	issued, err := s.store.issue(c.Request.Context(), wanted)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, issued)
}

func (s *Service) revoke(c *httpapi.Call) error {
	id, ok := parseID(c.Parameter("grant_id"))
	if !ok {
		return httpapi.ErrRequest
	}
	if err := httpapi.DecodeEmpty(c); err != nil {
		return err
	}
	revoked, err := s.store.revoke(c.Request.Context(), id.String(), c.Caller.Principal().UserID)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string][]string{"revokedGrantIds": revoked})
}
