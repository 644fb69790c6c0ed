package database

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Ping tests whether the server responds, on a separate connection, until ctx ends. Concurrent pings run one
// after the other. Its error is ErrUnreachable.
func (d *Database) Ping(ctx context.Context) error {
	if err := d.probe.ping(ctx); err != nil {
		return fail(ErrUnreachable, err)
	}
	return nil
}

// ServerConnections returns how many connections the server accepts from ordinary users, or from this one
// if it is a superuser. Its error is ErrUnreachable.
func (d *Database) ServerConnections(ctx context.Context) (n int, err error) {
	err = d.core.QueryRow(ctx, `
		SELECT current_setting('max_connections')::int
		       - CASE WHEN rolsuper THEN 0 ELSE current_setting('superuser_reserved_connections')::int
		       + coalesce(current_setting('reserved_connections', true)::int, 0) END
		FROM pg_roles
		WHERE rolname = current_user`).Scan(&n)
	if err != nil {
		return 0, fail(ErrUnreachable, err)
	}
	return n, nil
}

// Check reports whether the server can be used at all: ErrUnreachable, also for one that accepts no writes,
// ErrVersionUnsupported, ErrTransactionPooler or nil. It does not look at the schema.
func (d *Database) Check(ctx context.Context) error {
	d.learnTimelines(ctx)
	pooled, err := d.check(ctx)
	if err == nil && pooled {
		err = d.CheckPooler(ctx)
	}
	return err
}

const selectServer = `
SELECT current_setting('server_version_num'), current_setting('transaction_read_only'), pg_backend_pid()`

// check also reports whether a pooler answers instead of the server (BehindPooler).
func (d *Database) check(ctx context.Context) (pooled bool, err error) {
	conn, err := d.core.Acquire(ctx)
	if err != nil {
		return false, fail(ErrUnreachable, err)
	}
	defer conn.Release()
	var version, readOnly string
	var pid int
	err = conn.QueryRow(ctx, selectServer, pgx.QueryExecModeExec).Scan(&version, &readOnly, &pid)
	if err != nil {
		return false, fail(ErrUnreachable, err)
	}
	if readOnly == "on" {
		return false, fail(ErrUnreachable, pgconn.ErrReadOnlyConnection)
	}
	if number, err := strconv.Atoi(version); err != nil || number < oldestServer {
		return false, ErrVersionUnsupported
	}
	return isPooled(conn.Conn(), pid), nil
}
