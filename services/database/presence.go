package database

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A process that is ready is present: the session of its probe holds shared advisory locks, which end with
// the session. One counts the process, the other tells which socket it listens on. Nothing waits for the
// locks, so a module that takes one does no harm. Behind a transaction pooler it has a row instead
// (presencerow.go).
const (
	// arbitrary; nothing else in the platform uses these pairs
	presenceClass, presenceObject = "1315009619", "1"
	listenerClass                 = "1315009620" // with the number of the socket

	// presentEvery is how often Presence uses the probe, so that its session exists even when no readiness
	// check uses it.
	presentEvery  = 30 * time.Second
	presentWithin = 2 * time.Second
)

// announce takes the locks in a session of the probe, once. It is called for each new session, and in an old
// one when the process has begun to listen.
func (p *probe) announce(ctx context.Context, conn *pgconn.PgConn) error {
	listener := p.listener.Load()
	if p.pooled {
		return nil
	}
	if p.announcedBy == conn && p.announced == listener {
		return nil
	}
	sql := "SELECT pg_try_advisory_lock_shared(" + presenceClass + ", " + presenceObject + ")"
	if listener != 0 {
		sql += ", pg_try_advisory_lock_shared(" + listenerClass + ", " + strconv.Itoa(int(listener)) + ")"
	}
	if err := conn.Exec(ctx, sql).Close(); err != nil {
		return err
	}
	p.announcedBy, p.announced = conn, listener
	return nil
}

// Presence is the service that makes Processes count this process. It starts after the listener, so that the
// start does not wait for the probe's connection.
type Presence struct{ database *Database }

// Presence returns the database's presence. listener is the number of the socket that this process listens
// on, for Listeners; 0: it is not known.
func (d *Database) Presence(listener uint32) Presence {
	d.probe.listener.Store(listener)
	return Presence{d}
}

// Serve uses the probe regularly until ctx ends. It ignores errors, because readiness checks report them. The
// session itself ends with the Database.
func (p Presence) Serve(ctx context.Context) error {
	if p.database.settings.Pooled {
		return p.database.serveRow(ctx)
	}
	next := time.NewTicker(presentEvery)
	defer next.Stop()
	for {
		within, cancel := context.WithTimeout(ctx, presentWithin)
		_ = p.database.probe.ping(within)
		cancel()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-next.C:
		}
	}
}

// Ready returns a closed channel, because nothing waits for the presence.
func (p Presence) Ready() <-chan struct{} {
	ready := make(chan struct{})
	close(ready)
	return ready
}

// String names the service.
func (p Presence) String() string { return "database presence" }

// Processes returns how many processes of the platform serve on this database, under the same database user.
// One that has just lost its session is missing for up to 30 s; one that was killed behind a transaction
// pooler counts for up to 75 s. The error is ErrUnreachable.
func (d *Database) Processes(ctx context.Context) (n int, err error) {
	err = d.core.QueryRow(ctx, `SELECT (SELECT count(*)`+heldLocks(presenceClass)+
		` AND held.objid = `+presenceObject+`) + (SELECT count(*)`+selectPresent+`)`).Scan(&n)
	if err != nil {
		return 0, fail(ErrUnreachable, err)
	}
	return n, nil
}

// Listeners returns the numbers of the sockets that these processes listen on.
func (d *Database) Listeners(ctx context.Context) ([]uint32, error) {
	rows, err := d.core.Query(ctx, `SELECT held.objid`+heldLocks(listenerClass))
	if err != nil {
		return nil, fail(ErrUnreachable, err)
	}
	numbers, err := pgx.CollectRows(rows, pgx.RowTo[uint32])
	if err != nil {
		return nil, fail(ErrUnreachable, err)
	}
	others, err := d.rowListeners(ctx)
	if err != nil {
		return nil, fail(ErrUnreachable, err)
	}
	return append(numbers, others...), nil
}

func heldLocks(class string) string {
	return `
		FROM pg_locks AS held
		JOIN pg_stat_activity AS session USING (pid)
		WHERE held.locktype = 'advisory' AND held.mode = 'ShareLock' AND held.granted
			AND held.classid = ` + class + ` AND held.objsubid = 2
			AND session.datname = current_database() AND session.usename = current_user
			AND held.database = session.datid`
}
