package migrations

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// Observation is the duration and the locks of one file that was applied or has failed. Durations are in
// seconds.
type Observation struct {
	Line    string  `json:"line"` // "core" or a module's id
	File    string  `json:"file"` // 0012_seats.sql
	Seconds float64 `json:"seconds"`
	Failed  bool    `json:"failed"` // it was rolled back
	Locks   []Lock  `json:"locks"`  // sorted by table, then mode
}

// Lock is a lock that the transaction of a file held on a table that already existed before the file.
type Lock struct {
	Table string `json:"table"` // with its schema
	Mode  string `json:"mode"`  // as in pg_locks: AccessExclusiveLock
	// Seconds is the time until the file has run, from the last check before the lock was first seen. So it is
	// never too short, and at most lookEvery too long.
	Seconds float64 `json:"seconds"`
	Rows    int64   `json:"rows"` // of the table; for the caller to set
}

// lookEvery is how often a file's locks are read while it runs. They are also read after it has run, before
// its transaction ends. A transaction keeps its locks until its end, so none is missed.
const lookEvery = 25 * time.Millisecond

// observer reads the locks of files in a separate session. New tables of a file are not visible there, and no
// other session can wait for them. A nil observer only runs the files.
type observer struct {
	conn *pgx.Conn
	tell func(Observation)
}

// run runs one file by do, and reports what it observed until just before the transaction ends. If the locks
// cannot be read, run fails, because otherwise the result could miss a lock.
func (o *observer) run(ctx context.Context, tx pgx.Tx, line string, file File, do func() error) error {
	if o == nil {
		return do()
	}
	var pid int
	if err := tx.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&pid); err != nil {
		return err
	}
	seen, began := Observation{Line: line, File: file.name()}, time.Now()
	ran, watched := make(chan struct{}), make(chan error, 1)
	go func() { watched <- o.watch(ctx, pid, began, ran, &seen) }()
	err := do()
	close(ran)
	if unread := <-watched; err == nil {
		err = unread
	}
	seen.Seconds, seen.Failed = time.Since(began).Seconds(), err != nil
	for i := range seen.Locks {
		seen.Locks[i].Seconds = seen.Seconds - seen.Locks[i].Seconds
	}
	o.tell(seen)
	return err
}

// watch reads the locks until the file has run, and then once more. Seconds of each is when it was first
// held.
func (o *observer) watch(
	ctx context.Context, pid int, began time.Time, ran <-chan struct{}, seen *Observation,
) error {
	next := time.NewTicker(lookEvery)
	defer next.Stop()
	for last, over := 0.0, false; !over; {
		select {
		case <-ran:
			over = true
		case <-next.C:
		}
		now := time.Since(began).Seconds()
		if err := o.look(ctx, pid, last, seen); err != nil {
			return err
		}
		last = now
	}
	return nil
}

// look adds the new locks. The migrator's own tables are left out.
func (o *observer) look(ctx context.Context, pid int, last float64, seen *Observation) error {
	rows, err := o.conn.Query(ctx, `
		SELECT n.nspname || '.' || c.relname, l.mode
		FROM pg_locks AS l
		JOIN pg_class AS c ON c.oid = l.relation
		JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE l.pid = $1 AND l.granted AND l.locktype = 'relation' AND c.relkind IN ('r', 'p', 'm')
			AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND n.nspname NOT IN ('pg_catalog', 'pg_toast', 'information_schema')
			AND (n.nspname, c.relname) <> ('core', 'migration') AND c.relname <> 'narthex_migration'
		ORDER BY 1, 2`, pid)
	if err != nil {
		return err
	}
	lock := Lock{Seconds: last}
	_, err = pgx.ForEachRow(rows, []any{&lock.Table, &lock.Mode}, func() error {
		known := func(l Lock) bool { return l.Table == lock.Table && l.Mode == lock.Mode }
		if !slices.ContainsFunc(seen.Locks, known) {
			seen.Locks = append(seen.Locks, lock)
		}
		return nil
	})
	return err
}
