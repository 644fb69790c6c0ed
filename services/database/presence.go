package database

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// A process that is ready is present: the session of its probe holds a shared advisory lock, which ends with
// the session. Nothing waits for the lock, so a module that takes it does no harm.
const (
	presenceClass, presenceObject = "1315009619", "1" // arbitrary; nothing else in the platform uses this pair

	// presentEvery is how often Presence uses the probe, so that its session exists even when no readiness
	// check uses it.
	presentEvery  = 30 * time.Second
	presentWithin = 2 * time.Second
)

// announce is called for each session of a probe.
func announce(ctx context.Context, conn *pgconn.PgConn) error {
	return conn.Exec(ctx,
		"SELECT pg_try_advisory_lock_shared("+presenceClass+", "+presenceObject+")").Close()
}

// Presence is the service that makes Processes count this process. It starts after the listener, so that the
// start does not wait for the probe's connection.
type Presence struct{ database *Database }

// Presence returns the database's presence.
func (d *Database) Presence() Presence { return Presence{d} }

// Serve uses the probe regularly until ctx ends. It ignores errors, because readiness checks report them. The
// session itself ends with the Database.
func (p Presence) Serve(ctx context.Context) error {
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
// One that has just lost its session is missing for up to 30 s. The error is ErrUnreachable.
func (d *Database) Processes(ctx context.Context) (n int, err error) {
	err = d.core.QueryRow(ctx, `
		SELECT count(*)
		FROM pg_locks AS held
		JOIN pg_stat_activity AS session USING (pid)
		WHERE held.locktype = 'advisory' AND held.mode = 'ShareLock' AND held.granted
			AND held.classid = `+presenceClass+` AND held.objid = `+presenceObject+` AND held.objsubid = 2
			AND session.datname = current_database() AND session.usename = current_user
			AND held.database = session.datid`).Scan(&n)
	if err != nil {
		return 0, fail(ErrUnreachable, err)
	}
	return n, nil
}
