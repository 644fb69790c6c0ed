package devices

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// addMiss adds a miss of now to a person's list, unless the list has maxMisses that are not older than the
// window. The row's lock makes the check and the change one step, in all processes.
const addMiss = `
INSERT INTO core.pairing_misses AS m (person_id, missed_at)
VALUES ($1, ARRAY[clock_timestamp()])
ON CONFLICT (person_id) DO UPDATE
SET missed_at = (
	SELECT coalesce(array_agg(at ORDER BY at), '{}') || clock_timestamp()
	FROM unnest(m.missed_at) AS at
	WHERE at > clock_timestamp() - $2::interval
)
WHERE (
	SELECT count(*)
	FROM unnest(m.missed_at) AS at
	WHERE at > clock_timestamp() - $2::interval
) < $3
RETURNING true`

// The person may go on when the oldest of the misses that count is a window old.
const selectMisses = `
SELECT count(*), coalesce(extract(epoch FROM min(at) + $2::interval - clock_timestamp()), 0)::float8
FROM core.pairing_misses, unnest(missed_at) AS at
WHERE person_id = $1 AND at > clock_timestamp() - $2::interval`

const deleteMisses = `
DELETE FROM core.pairing_misses
WHERE missed_at[cardinality(missed_at)] <= now() - $1::interval`

// checkMisses refuses a person who has named too many codes of no open pairing.
func (s *Store) checkMisses(ctx context.Context, personID string) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	var misses int
	var seconds float64
	if err := s.pool.QueryRow(ctx, selectMisses, personID, missWindow).Scan(&misses, &seconds); err != nil {
		return store.Coded(err)
	}
	if misses >= maxMisses {
		return tooManyRequests{max(time.Duration(seconds*float64(time.Second)), time.Second)}
	}
	return nil
}

// countMiss counts err for the person if it is ErrPairingNotFound, and returns err, or a refusal in its place
// if there were too many already: then the person does not learn whether the code exists.
func (s *Store) countMiss(ctx context.Context, personID string, err error) error {
	if !errors.Is(err, ErrPairingNotFound) {
		return err
	}
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	switch added := s.pool.QueryRow(ctx, addMiss, personID, missWindow, maxMisses).Scan(new(bool)); {
	case added == nil:
		return err
	case !errors.Is(added, pgx.ErrNoRows):
		return store.Coded(added)
	}
	if refused := s.checkMisses(ctx, personID); refused != nil {
		return refused
	}
	return err // the oldest miss became too old in between
}
