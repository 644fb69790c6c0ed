package authorization

import (
	"net/http"

	"github.com/narthex-platform/narthex/services/httpapi"
)

const (
	manageHouse   = "core.house.manage"
	maxFactorless = 100 // people in one answer
)

// factorlessPerson is an administrator without a second factor.
type factorlessPerson struct {
	UserID string `json:"userId"`
	Email  string `json:"email"`
	Name   string `json:"name"`
}

// HouseRoutes tell who manages the house what its choice of a second factor means.
func (s *Service) HouseRoutes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: "/api/v1/house/second-factor", Permission: manageHouse, Handle: s.factorless},
	}
}

// factorless is GET /api/v1/house/second-factor: the people who may not administer while the house asks its
// administrators for a second factor, whether it does so or not. There are at most 100 in an answer; more
// says whether there are others.
func (s *Service) factorless(c *httpapi.Call) error {
	found, err := s.store.factorless(c.Request.Context(), s.registry.restrictedOfCore())
	if err != nil {
		return err
	}
	more := len(found) > maxFactorless
	return c.JSON(http.StatusOK, struct {
		Without []factorlessPerson `json:"without"`
		More    bool               `json:"more"`
	}{found[:min(len(found), maxFactorless)], more})
}
