package authorization

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

const storeDeadline = 5 * time.Second

// Store is authorization's SQL. Safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// NewStore opens no connection.
func NewStore(pool *pgxpool.Pool) *Store { return &Store{pool} }

// The database's clock decides what has expired. A grant with a scope or from another source is not what an unscoped question asks
// for, so it answers none.
const selectHoldings = `
SELECT
	EXISTS (
		SELECT
		FROM core.platform_owner
		WHERE person_id = $1
	),
	ARRAY (
		SELECT permission_id
		FROM core.permission_grant
		WHERE person_id = $1
			AND revoked_at IS NULL
			AND (expires_at IS NULL OR expires_at > now())
			AND scope IS NULL
			AND source_kind = 'explicit'
	)`

// holdings runs under its own deadline and goes on when the client leaves: pgx closes a connection whose query is cut off, and other
// questions of the same request wait for this answer.
func (s *Store) holdings(ctx context.Context, userID string) (Holdings, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeDeadline)
	defer cancel()
	var held Holdings
	var granted []string
	if err := s.pool.QueryRow(ctx, selectHoldings, userID).Scan(&held.Owner, &granted); err != nil {
		return Holdings{}, err
	}
	held.Granted = make(map[string]struct{}, len(granted))
	for _, permission := range granted {
		held.Granted[permission] = struct{}{}
	}
	return held, nil
}
