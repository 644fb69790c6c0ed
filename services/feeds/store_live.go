package feeds

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/store"
)

// Live is how many addresses a module has that work: of people, and of the house, each of which has a link.
type Live struct {
	ModuleID   string
	Own, House int
}

const countWorking = `
SELECT module_id, count(person_id), count(link_id)
FROM core.feed
WHERE revoked_at IS NULL
GROUP BY module_id
ORDER BY module_id`

// Live counts the addresses that work, of each module that has some. Errors: those of PostgreSQL, with
// STORE_UNAVAILABLE.
func (s *Store) Live(ctx context.Context) ([]Live, error) {
	rows, err := s.pool.Query(ctx, countWorking)
	if err != nil {
		return nil, store.Coded(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Live])
	return all, store.Coded(err)
}
