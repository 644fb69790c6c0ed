package authorization

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/store"
)

const selectHolders = `
SELECT permission_id, count(DISTINCT person_id)
FROM core.permission_grant
WHERE source_kind = 'explicit'
	AND revoked_at IS NULL
	AND (expires_at IS NULL OR expires_at > now())
GROUP BY permission_id`

// Holders returns how many people hold each permission by a grant that is in force, also permissions that
// nobody declares any more.
func (s *Store) Holders(ctx context.Context) (map[string]int, error) {
	ctx, cancel := s.detached(ctx)
	defer cancel()
	rows, err := s.pool.Query(ctx, selectHolders)
	if err != nil {
		return nil, store.Unavailable(err)
	}
	holders, id, people := make(map[string]int), "", 0
	_, err = pgx.ForEachRow(rows, []any{&id, &people}, func() error {
		holders[id] = people
		return nil
	})
	if err != nil {
		return nil, store.Unavailable(err)
	}
	return holders, nil
}
