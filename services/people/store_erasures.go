package people

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	selectErasuresDue = `
SELECT DISTINCT module_id
FROM core.person_erasure
WHERE done_at IS NULL AND next_try_at <= now() AND module_id = ANY ($1::text[])`

	// Moving next_try_at into the future claims the row: until then no other process tries it. So the claim of a
	// process that dies ends by itself. The pause doubles from a minute to an hour.
	claimErasure = `
UPDATE core.person_erasure
SET tries = tries + 1,
	next_try_at = now() + least(interval '1 minute' * 2 ^ least(tries, 6), interval '1 hour')
WHERE (person_id, module_id) = (
	SELECT person_id, module_id
	FROM core.person_erasure
	WHERE module_id = $1 AND done_at IS NULL AND next_try_at <= now()
	ORDER BY next_try_at
	LIMIT 1
	FOR UPDATE SKIP LOCKED
)
RETURNING person_id::text`

	completeErasure = `
UPDATE core.person_erasure
SET done_at = now()
WHERE module_id = $1 AND person_id = $2 AND done_at IS NULL`

	giveErasureBack = `
UPDATE core.person_erasure
SET next_try_at = now()
WHERE module_id = $1 AND person_id = $2 AND done_at IS NULL`
)

// erasuresDue returns those of the modules that have to forget at least one person now.
func (s *Store) erasuresDue(ctx context.Context, moduleIDs []string) ([]string, error) {
	if len(moduleIDs) == 0 {
		return nil, nil
	}
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	rows, err := s.pool.Query(ctx, selectErasuresDue, moduleIDs)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// claimErasure returns a person whom the module has to forget. For at least a minute it returns the person to
// no other caller.
func (s *Store) claimErasure(ctx context.Context, moduleID string) (userID string, found bool, err error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	err = s.pool.QueryRow(ctx, claimErasure, moduleID).Scan(&userID)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	return userID, err == nil, err
}

// forgotten records that the module has forgotten the person.
func (s *Store) forgotten(ctx context.Context, moduleID, userID string) error {
	return s.execDetached(ctx, completeErasure, moduleID, userID)
}

// releaseClaim releases a claim, so that another process can try at once.
func (s *Store) releaseClaim(ctx context.Context, moduleID, userID string) error {
	return s.execDetached(ctx, giveErasureBack, moduleID, userID)
}

func (s *Store) execDetached(ctx context.Context, sql string, args ...any) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	_, err := s.pool.Exec(ctx, sql, args...)
	return err
}
