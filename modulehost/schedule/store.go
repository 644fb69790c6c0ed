package schedule

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	// A new schedule is due after its interval. If an interval becomes shorter, the next run is due after the
	// new interval at the latest.
	declareSchedule = `
INSERT INTO core.module_schedule AS s (module_id, name, due_at)
VALUES ($1, $2, now() + make_interval(secs => $3))
ON CONFLICT (module_id, name) DO UPDATE
SET due_at = excluded.due_at
WHERE s.due_at > excluded.due_at`

	selectDue = `
SELECT s.module_id, s.name
FROM core.module_schedule s
JOIN unnest($1::text[], $2::text[]) AS declared (module_id, name) USING (module_id, name)
WHERE s.due_at <= now() AND s.free_at <= now()`

	// greatest ignores NULL
	selectNext = `
SELECT extract(epoch FROM min(greatest(s.due_at, s.free_at, CASE
	WHEN s.tries = 0 AND s.ended_at > now() - make_interval(secs => $3) THEN s.rests_until END)) - now())::float8
FROM core.module_schedule s
JOIN unnest($1::text[], $2::text[]) AS declared (module_id, name) USING (module_id, name)`

	// Moving free_at into the future claims the row: until then no other process runs it. So the claim of a
	// process that dies ends by itself.
	claimRun = `
UPDATE core.module_schedule
SET run = run + 1, tries = tries + 1, free_at = now() + make_interval(secs => $3)
WHERE (module_id, name) = (
	SELECT module_id, name
	FROM core.module_schedule
	WHERE module_id = $1 AND name = $2 AND due_at <= now() AND free_at <= now()
	FOR UPDATE SKIP LOCKED
)
RETURNING run`

	renewClaim = `
UPDATE core.module_schedule
SET free_at = now() + make_interval(secs => $4)
WHERE module_id = $1 AND name = $2 AND run = $3`

	// The next run is due at the next multiple of the interval, however many were missed.
	completeRun = `
UPDATE core.module_schedule
SET due_at = due_at + make_interval(secs => $4 * (floor(extract(epoch FROM now() - due_at) / $4) + 1)),
	free_at = now(), tries = 0, ended_at = now(), rests_until = now() + make_interval(secs => nullif($5, 0))
WHERE module_id = $1 AND name = $2 AND run = $3`

	// The pause doubles from a minute to an hour, or to the interval if that is shorter.
	failRun = `
UPDATE core.module_schedule
SET free_at = now() + least(interval '1 minute' * 2 ^ least(tries - 1, 6), interval '1 hour',
	make_interval(secs => $4))
WHERE module_id = $1 AND name = $2 AND run = $3`

	giveRunBack = `
UPDATE core.module_schedule
SET free_at = now(), tries = tries - 1
WHERE module_id = $1 AND name = $2 AND run = $3`
)

// Store is the SQL of schedules. Safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// NewStore makes a Store. It opens no connection.
func NewStore(pool *pgxpool.Pool) *Store { return &Store{pool: pool} }

func (s *Store) declare(ctx context.Context, d Declared) error {
	return s.exec(ctx, declareSchedule, d.ModuleID, d.Name, d.Interval.Seconds())
}

// due returns those of the declared schedules that can be claimed now.
func (s *Store) due(ctx context.Context, declared []Declared) ([]Declared, error) {
	if len(declared) == 0 {
		return nil, nil
	}
	modules, names := make([]string, len(declared)), make([]string, len(declared))
	intervals := make(map[[2]string]time.Duration, len(declared))
	for n, d := range declared {
		modules[n], names[n] = d.ModuleID, d.Name
		intervals[[2]string{d.ModuleID, d.Name}] = d.Interval
	}
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	rows, err := s.pool.Query(ctx, selectDue, modules, names)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (d Declared, err error) {
		err = row.Scan(&d.ModuleID, &d.Name)
		d.Interval = intervals[[2]string{d.ModuleID, d.Name}]
		return d, err
	})
}

// next returns the seconds until the first of the declared schedules can be claimed and has something to do,
// nil without one. What runs said that ended before the process was unused does not count.
func (s *Store) next(
	ctx context.Context, declared []Declared, unused time.Duration,
) (seconds *float64, err error) {
	modules, names := make([]string, len(declared)), make([]string, len(declared))
	for n, d := range declared {
		modules[n], names[n] = d.ModuleID, d.Name
	}
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	err = s.pool.QueryRow(ctx, selectNext, modules, names, unused.Seconds()).Scan(&seconds)
	return seconds, err
}

// claim claims the next run for this process and returns its number. claimed is false when another process
// has it.
func (s *Store) claim(ctx context.Context, d Declared) (number int64, claimed bool, err error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	err = s.pool.QueryRow(ctx, claimRun, d.ModuleID, d.Name, claimFor.Seconds()).Scan(&number)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	return number, err == nil, err
}

func (s *Store) renew(ctx context.Context, d Declared, number int64) error {
	return s.exec(ctx, renewClaim, d.ModuleID, d.Name, number, claimFor.Seconds())
}

func (s *Store) complete(ctx context.Context, d Declared, number int64, rest time.Duration) error {
	return s.exec(ctx, completeRun, d.ModuleID, d.Name, number, d.Interval.Seconds(), rest.Seconds())
}

func (s *Store) fail(ctx context.Context, d Declared, number int64) error {
	return s.exec(ctx, failRun, d.ModuleID, d.Name, number, d.Interval.Seconds())
}

// releaseClaim releases the claim, so that another process can make the run at once.
func (s *Store) releaseClaim(ctx context.Context, d Declared, number int64) error {
	return s.exec(ctx, giveRunBack, d.ModuleID, d.Name, number)
}

func (s *Store) exec(ctx context.Context, sql string, args ...any) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	_, err := s.pool.Exec(ctx, sql, args...)
	return err
}
