package people

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const selectNames = `
SELECT id::text, name
FROM core.person
WHERE id = ANY ($1::uuid[]) AND erased_at IS NULL`

// Names returns the names by id. It omits people who do not exist or were erased. The ids must be UUIDs, and
// at most 1,000.
func (s *Store) Names(ctx context.Context, userIDs []string) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deadlines.Store)
	defer cancel()
	rows, err := s.pool.Query(ctx, selectNames, userIDs)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string, len(userIDs))
	var id, name string
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
		names[id] = name
		return nil
	})
	return names, err
}
