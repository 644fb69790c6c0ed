package links

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/store"
)

// Live is how many links of a module work, those included that feeds of the house use.
type Live struct {
	ModuleID string
	Count    int
}

const countLive = `
SELECT module_id, count(*)
FROM core.link
WHERE ` + works + `
GROUP BY module_id
ORDER BY module_id`

// Live counts the links that work, of each module that has some, in the order of their ids. Errors: those of
// PostgreSQL, with STORE_UNAVAILABLE.
func (s *Store) Live(ctx context.Context) ([]Live, error) {
	rows, err := s.pool.Query(ctx, countLive)
	if err != nil {
		return nil, store.Coded(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Live])
	return all, store.Coded(err)
}
