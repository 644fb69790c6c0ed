package migrations

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Observation is what one file did while it was applied.
type Observation struct {
	Line   string // "core" or a module's id
	File   string // 0012_seats.sql
	Took   time.Duration
	Locks  []Lock // by table, then mode
	Failed bool   // it was undone
}

// Lock is one that the transaction of a file held on a table that was there before the file.
type Lock struct {
	Schema, Table string
	Mode          string // as pg_locks has it: AccessExclusiveLock
	// Held is from when it was first seen, or from the look before that, to the end of the transaction. So it
	// is never too short, and too long by lookEvery at most.
	Held time.Duration
}

// lookEvery is how often a file's locks are looked at while it runs. They are also looked at when it has run,
// before its transaction ends: a transaction keeps its locks until then, so none is missed.
const lookEvery = 25 * time.Millisecond

// observer looks at the locks of files, from a session of its own: tables that a file makes are not visible
// there, and nobody else can wait for those. A nil observer does nothing.
type observer struct {
	conn *pgx.Conn
	tell func(Observation)
}

// observed is one file that runs.
type observed struct {
	*observer
	Observation
	began time.Time
	seen  map[Lock]time.Time // with Held zero: since when
	err   error              // of a look
}

func (o *observer) close() {
	if o != nil {
		closeConn(o.conn)
	}
}

// begin is called before the transaction of a file, end after it, also where it has failed.
func (o *observer) begin(line string, file *File) *observed {
	if o == nil || file == nil {
		return nil
	}
	return &observed{observer: o, Observation: Observation{Line: line, File: file.name()}, began: time.Now(),
		seen: make(map[Lock]time.Time)}
}

// run runs the file in its transaction and watches it meanwhile. A look that fails is an error of the run:
// what was not seen must not count as not there.
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

// look adds the locks that were not there at the last look. The migrator's own tables are left out.
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

// end tells what the file did.
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
