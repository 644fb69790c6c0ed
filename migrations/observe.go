package migrations

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Observation is the duration and the locks of one applied file.
type Observation struct {
	Line   string // "core" or a module's id
	File   string // 0012_seats.sql
	Took   time.Duration
	Locks  []Lock // sorted by table, then mode
	Failed bool   // it was rolled back
}

// Lock is a lock that the transaction of a file held on a table that already existed before the file.
type Lock struct {
	Schema, Table string
	Mode          string // as in pg_locks: AccessExclusiveLock
	// Held is the time to the end of the transaction, from the last check before the lock was first seen. So it
	// is never too short, and at most lookEvery too long.
	Held time.Duration
}

// lookEvery is how often a file's locks are read while it runs. They are also read after it has run, before
// its transaction ends. A transaction keeps its locks until its end, so none is missed.
const lookEvery = 25 * time.Millisecond

// observer reads the locks of files in a separate session. New tables of a file are not visible there, and no
// other session can wait for them. A nil observer does nothing.
type observer struct {
	conn *pgx.Conn
	tell func(Observation)
}

// observed is one file that is being observed.
type observed struct {
	*observer
	Observation
	began time.Time
	seen  map[Lock]time.Time // when it was first held; Held is zero in the key
	err   error              // of reading the locks
}

func (o *observer) close() {
	if o != nil {
		closeConn(o.conn)
	}
}

// begin is called before the transaction of a file, and end after it, also if it has failed.
func (o *observer) begin(line string, file *File) *observed {
	if o == nil || file == nil {
		return nil
	}
	return &observed{observer: o, Observation: Observation{Line: line, File: file.name()}, began: time.Now(),
		seen: make(map[Lock]time.Time)}
}

// run runs the file in its transaction and observes its locks. If the locks cannot be read, run fails,
// because otherwise the result could miss a lock.
func (w *observed) run(ctx context.Context, tx pgx.Tx, do func() error) error {
	if w == nil {
		return do()
	}
	var pid int
	if err := tx.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&pid); err != nil {
		return err
	}
	looking, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		next := time.NewTicker(lookEvery)
		defer next.Stop()
		for last := w.began; ; {
			select {
			case <-looking.Done():
				w.err = w.look(ctx, pid, last)
				return
			case <-next.C:
			}
			now := time.Now()
			if w.err = w.look(ctx, pid, last); w.err != nil {
				return
			}
			last = now
		}
	})
	err := do()
	stop()
	watching.Wait()
	if err == nil {
		err = w.err
	}
	return err
}

// look reads the locks and adds the new ones. The migrator's own tables are left out.
func (w *observed) look(ctx context.Context, pid int, last time.Time) error {
	rows, err := w.conn.Query(ctx, `
		SELECT n.nspname::text, c.relname::text, l.mode
		FROM pg_locks AS l
		JOIN pg_class AS c ON c.oid = l.relation
		JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE l.pid = $1 AND l.granted AND l.locktype = 'relation' AND c.relkind IN ('r', 'p', 'm')
			AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND n.nspname NOT IN ('pg_catalog', 'pg_toast', 'information_schema')
			AND (n.nspname, c.relname) <> ('core', 'migration') AND c.relname <> 'narthex_migration'
		ORDER BY 1, 2, 3`, pid)
	if err != nil {
		return err
	}
	var lock Lock
	_, err = pgx.ForEachRow(rows, []any{&lock.Schema, &lock.Table, &lock.Mode}, func() error {
		if _, known := w.seen[lock]; !known {
			w.seen[lock] = last
			w.Locks = append(w.Locks, lock)
		}
		return nil
	})
	return err
}

// end reports the observation.
func (w *observed) end(err error) {
	if w == nil {
		return
	}
	now := time.Now()
	w.Took, w.Failed = now.Sub(w.began), err != nil
	for i, lock := range w.Locks {
		w.Locks[i].Held = now.Sub(w.seen[lock])
	}
	w.tell(w.Observation)
}
