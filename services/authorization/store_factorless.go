package authorization

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/store"
)

// Like selectHoldings: who owns the platform, or has one of its restricted permissions now. LATERAL with
// OFFSET 0: each of these few is looked up. Otherwise PostgreSQL expects many, and reads everybody.
const selectFactorless = `
WITH administrator AS (
	SELECT person_id
	FROM core.platform_owner
	UNION
	SELECT person_id
	FROM core.permission_grant
	WHERE permission_id = ANY ($1)
		AND revoked_at IS NULL
		AND (expires_at IS NULL OR expires_at > now())
		AND scope IS NULL
		AND source_kind = 'explicit'
)
SELECT p.id::text AS user_id, p.email, p.name
FROM administrator
CROSS JOIN LATERAL (
	SELECT id, email, name, has_passkey, deactivated_at
	FROM core.person
	WHERE id = person_id
	OFFSET 0
) p
WHERE NOT p.has_passkey AND p.deactivated_at IS NULL
ORDER BY p.name, p.id
LIMIT $2`

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
