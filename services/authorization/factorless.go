package authorization

import (
	"context"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
)

const (
	manageHouse   = "core.house.manage"
	maxFactorless = 100 // people in one answer
)

// Like selectHoldings: who owns the platform, or has one of its restricted permissions now.
const selectFactorless = `
SELECT p.id::text AS user_id, p.email, p.name
FROM core.person p
WHERE NOT p.has_passkey
	AND p.deactivated_at IS NULL
	AND (
		EXISTS (SELECT FROM core.platform_owner WHERE person_id = p.id)
		OR p.id IN (
			SELECT person_id
			FROM core.permission_grant
			WHERE permission_id = ANY ($1)
				AND revoked_at IS NULL
				AND (expires_at IS NULL OR expires_at > now())
				AND scope IS NULL
				AND source_kind = 'explicit'
		)
	)
ORDER BY p.name, p.id
LIMIT $2`

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
// administrators for a second factor, whether it does so or not. There are at most 100 in an answer; more says
// whether there are others.
func (s *Service) factorless(c *httpapi.Call) error {
	found, err := s.store.factorless(c.Request.Context(), s.registry.ofPlatform())
	if err != nil {
		return err
	}
	more := len(found) > maxFactorless
	return c.JSON(http.StatusOK, struct {
		Without []factorlessPerson `json:"without"`
		More    bool               `json:"more"`
	}{found[:min(len(found), maxFactorless)], more})
}

// factorless returns at most one person more than fit in an answer.
func (s *Store) factorless(ctx context.Context, permissions []string) ([]factorlessPerson, error) {
	ctx, cancel := s.detached(ctx)
	defer cancel()
	rows, err := s.pool.Query(ctx, selectFactorless, permissions, maxFactorless+1)
	if err != nil {
		return nil, store.Unavailable(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[factorlessPerson])
	return found, store.Coded(err)
}

// ofPlatform returns the platform's own restricted permissions.
func (r *Registry) ofPlatform() (ids []string) {
	for _, p := range r.sorted {
		if p.Baseline == Restricted && strings.HasPrefix(p.ID, ofPlatform) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}
