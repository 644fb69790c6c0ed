package database

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/environment"
)

// poolerRounds is how often PooledByTransaction compares sessions, because a pooler may happen to give each
// connection a session of its own.
const poolerRounds = 5

// PooledByTransaction reports whether two open connections use the same session of the server, or one uses
// several. Then there is a pooler between platform and server that assigns a session to each transaction. Its
// error is ErrUnreachable.
func (d *Database) PooledByTransaction(ctx context.Context) (bool, error) {
	first, err := d.core.Acquire(ctx)
	if err != nil {
		return false, fail(ErrUnreachable, err)
	}
	defer first.Release()
	second, err := d.core.Acquire(ctx)
	if err != nil {
		return false, fail(ErrUnreachable, err)
	}
	defer second.Release()
	owner := make(map[int]*pgx.Conn)
	session := make(map[*pgx.Conn]int)
	for range poolerRounds {
		for _, conn := range []*pgx.Conn{first.Conn(), second.Conn()} {
			pid, err := backend(ctx, conn)
			if err != nil {
				return false, fail(ErrUnreachable, err)
			}
			before, known := session[conn]
			if other, taken := owner[pid]; taken && other != conn || known && before != pid {
				return true, nil
			}
			owner[pid], session[conn] = conn, pid
		}
	}
	return false, nil
}

// BehindPooler reports whether a pooler answers instead of the server: it gives a connection another number
// than the server gives the session. Its error is ErrUnreachable.
func (d *Database) BehindPooler(ctx context.Context) (bool, error) {
	conn, err := d.core.Acquire(ctx)
	if err != nil {
		return false, fail(ErrUnreachable, err)
	}
	defer conn.Release()
	pid, err := backend(ctx, conn.Conn())
	if err != nil {
		return false, fail(ErrUnreachable, err)
	}
	return isPooled(conn.Conn(), pid), nil
}

func isPooled(conn *pgx.Conn, pid int) bool { return int(conn.PgConn().PID()) != pid }

func backend(ctx context.Context, conn *pgx.Conn) (pid int, err error) {
	err = conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid, err
}

// CheckPooler refuses a transaction pooler without SERVICE_DATABASE_POOLER. Its error is ErrTransactionPooler
// or ErrUnreachable.
func (d *Database) CheckPooler(ctx context.Context) error {
	if d.settings.Pooled {
		return nil
	}
	if pooled, err := d.BehindPooler(ctx); err != nil || !pooled {
		return err
	}
	pooled, err := d.PooledByTransaction(ctx)
	if err == nil && pooled {
		err = ErrTransactionPooler
	}
	return err
}

// WithSessions returns the settings for a command that needs sessions of its own: it locks, sets and prepares
// in them. Its error is ErrSessionRequired, or ErrUnreachable for settings that cannot be used; whatever else
// is wrong with the database is found by what uses it next.
func WithSessions(
	ctx context.Context, settings environment.Database,
) (own environment.Database, err error) {
	settings.Pooled = false
	d, err := Open(settings)
	if err != nil {
		return settings, err
	}
	defer func() { _ = d.Close() }()
	if errors.Is(d.CheckPooler(ctx), ErrTransactionPooler) {
		return settings, ErrSessionRequired
	}
	return settings, nil
}
