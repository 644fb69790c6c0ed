package identity_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/waittest"
)

// rowLock is another transaction that keeps a lock until release. All concurrent writers wait for it. So in
// code without a guard, all of them would have read before the first one writes.
type rowLock struct {
	t      *testing.T
	holder *pgx.Conn
	looker *pgx.Conn // separate: a transaction caches the statistics that it reads first
}

func (h harness) lockRows(t *testing.T, lock string, args ...any) rowLock {
	t.Helper()
	b := rowLock{t, h.connect(t), h.connect(t)}
	b.exec("BEGIN")
	b.exec(lock, args...)
	return b
}

func (h harness) connect(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.ConnectConfig(t.Context(), database.Config(h.Settings))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func (b rowLock) exec(sql string, args ...any) {
	b.t.Helper()
	if _, err := b.holder.Exec(b.t.Context(), sql, args...); err != nil {
		b.t.Fatal(err)
	}
}

// waiting returns how many of this database's connections wait for a lock.
func (b rowLock) waiting() (n int) {
	b.t.Helper()
	err := b.looker.QueryRow(b.t.Context(), `
		SELECT count(*)
		FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n)
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

// release releases the lock when this number of connections wait for it.
func (b rowLock) release(waiting int) {
	b.t.Helper()
	waittest.Until(b.t, "the statements wait for the lock", func() bool { return b.waiting() >= waiting })
	b.exec("COMMIT")
}
