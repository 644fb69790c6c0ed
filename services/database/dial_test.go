package database_test

import (
	"net"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// TestNoCallMeetsASessionThatTheServerHasEnded: a connection that was idle for less than a second is not
// pinged before its use, although the server may have closed it.
func TestNoCallMeetsASessionThatTheServerHasEnded(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	modules, core := openModules(t, db, 1)[0], db.AnotherPool(t)
	end := func(application string) {
		t.Helper()
		db.Exec(t, `
			SELECT pg_terminate_backend(pid, 60000)
			FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = $1 AND pid <> pg_backend_pid()`, application)
	}
	query := func(what string, conn *pgx.Conn) {
		t.Helper()
		var one int
		if err := conn.QueryRow(t.Context(), `SELECT 1`).Scan(&one); err != nil {
			t.Errorf("a query on a connection of %s that the server had ended: %v, want one that works", what, err)
		}
	}
	for range 5 {
		idle := acquireToRelease(t, modules)
		idle.Release()
		eventually(t, "the session is idle", func() bool { return sessions(t, db, "m0") > 0 })
		end("narthex m0")
		again := acquireToRelease(t, modules)
		query("a module", again.Conn)
		again.Release()

		own, err := core.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		own.Release()
		end("narthex")
		if own, err = core.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		query("Core", own.Conn())
		own.Release()
	}
}

// TestAVanishedMachineEndsItsConnections only reads the socket options, because a test cannot switch a
// machine off.
func TestAVanishedMachineEndsItsConnections(t *testing.T) {
	t.Parallel()
	conn, err := pgx.ConnectConfig(t.Context(), database.Config(databasetest.Empty(t).Settings))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	raw, err := conn.PgConn().Conn().(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ option, want int }{
		"TCP_USER_TIMEOUT": {unix.TCP_USER_TIMEOUT, 15_000}, "TCP_KEEPIDLE": {unix.TCP_KEEPIDLE, 5},
		"TCP_KEEPINTVL": {unix.TCP_KEEPINTVL, 5}, "TCP_KEEPCNT": {unix.TCP_KEEPCNT, 2},
	} {
		err := raw.Control(func(socket uintptr) {
			got, err := unix.GetsockoptInt(int(socket), unix.IPPROTO_TCP, row.option)
			if err != nil || got != row.want {
				t.Errorf("%s is %d, want %d; error %v", name, got, row.want, err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
