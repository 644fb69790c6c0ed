package database_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/database/poolertest"
	"github.com/narthex-platform/narthex/services/environment"
)

// TestSessionsThroughAPooler: a pooler in session mode takes the platform's sessions with all their settings,
// also after the reset of a module's session, and counts processes.
func TestSessionsThroughAPooler(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	db.Exec(t, `ALTER DATABASE `+db.Settings.Name+` SET timezone = 'Asia/Tokyo'`)
	opened, err := database.Open(poolertest.Start(t, db.Server, poolertest.Session))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	if err := opened.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	const names = `concat_ws(' ', current_setting('statement_timeout'), current_setting('timezone'),
		current_setting('idle_in_transaction_session_timeout'), current_setting('random_page_cost'),
		current_setting('client_encoding'), current_setting('search_path'), current_setting('application_name'))`
	var got string
	if err := opened.Pool().QueryRow(t.Context(), `SELECT `+names).Scan(&got); err != nil ||
		got != `29s UTC 1500ms 0.1 UTF8 "$user", public narthex` {
		t.Errorf("Core's session has %s, %v", got, err)
	}
	pool, err := opened.OpenModule(database.ModuleRole{ModuleID: "a", Schema: "public"})
	if err != nil {
		t.Fatal(err)
	}
	for _, leave := range []string{`SELECT 1`, `SELECT 1`, `SET timezone = 'Europe/Berlin'`,
		`SET search_path = pg_catalog`, `SELECT 1`} {
		conn := acquireToRelease(t, pool)
		if err := conn.QueryRow(t.Context(), `SELECT `+names).Scan(&got); err != nil ||
			!strings.HasPrefix(got, "30s UTC ") || !strings.HasSuffix(got, " 0.1 UTF8 public narthex a") {
			t.Errorf("before %s a module's session has %s, %v", leave, got, err)
		}
		if _, err := conn.Exec(t.Context(), leave); err != nil {
			t.Error(err)
		}
		conn.Release()
	}
	if err := opened.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if n, err := opened.Processes(t.Context()); n != 1 || err != nil {
		t.Errorf("%d processes, %v; want 1", n, err)
	}
}

// pooled opens the database through PgBouncer in transaction mode, as with SERVICE_DATABASE_POOLER.
func pooled(t *testing.T, db *databasetest.DB) *database.Database {
	t.Helper()
	return pooledAs(t, db, db.Server.User, db.Server.Password.Reveal())
}

// pooledAs is pooled for another user.
func pooledAs(t *testing.T, db *databasetest.DB, user, password string) *database.Database {
	t.Helper()
	settings := poolertest.Start(t, db.Server, poolertest.Transaction)
	settings.User, settings.Password, settings.Pooled = user, environment.NewSecret(password), true
	opened, err := database.Open(settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	return opened
}

// modulePool opens the pool of a module that uses Core's user: then its sessions are also Core's.
func modulePool(t *testing.T, opened *database.Database) *database.ModulePool {
	t.Helper()
	pool, err := opened.OpenModule(database.ModuleRole{ModuleID: "a", Schema: "public"})
	if err != nil {
		t.Fatal(err)
	}
	return pool
}

// run runs one statement as a module's call, and returns the first column of its first row.
func run(t *testing.T, conn *database.ModuleConn, sql string, args ...any) (value string, err error) {
	t.Helper()
	err = conn.Run(t.Context(), sql, args, func(rows *pgconn.ResultReader) error {
		for rows.NextRow() {
			if values := rows.Values(); len(values) > 0 {
				value = string(values[0])
			}
		}
		_, err := rows.Close()
		return err
	})
	return value, err
}

// TestTransactionPoolerIsRefused: without the setting, also by commands that cannot do without sessions.
func TestTransactionPoolerIsRefused(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	for mode, want := range map[poolertest.Mode]error{
		poolertest.Session: nil, poolertest.Transaction: database.ErrTransactionPooler,
	} {
		settings := poolertest.Start(t, db.Server, mode)
		opened, err := database.Open(settings)
		if err != nil {
			t.Fatal(err)
		}
		defer opened.Close()
		if err := opened.Check(t.Context()); !errors.Is(err, want) {
			t.Errorf("Check through a pooler in %s mode: %v, want %v", mode, err, want)
		}
		settings.Pooled = true
		own, err := database.WithSessions(t.Context(), settings)
		if refused := errors.Is(err, database.ErrSessionRequired); refused != (want != nil) || own.Pooled {
			t.Errorf("WithSessions through a pooler in %s mode: %v", mode, err)
		}
	}
	if err := pooled(t, db).Check(t.Context()); err != nil {
		t.Errorf("Check with the setting: %v", err)
	}
}

// TestModuleCallsThroughATransactionPooler: each call has the module's settings, whichever session it gets,
// and leaves none behind.
func TestModuleCallsThroughATransactionPooler(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	db.Exec(t, `ALTER DATABASE `+db.Settings.Name+` SET timezone = 'Asia/Tokyo';
		CREATE TABLE item (id int PRIMARY KEY, parent int REFERENCES item DEFERRABLE INITIALLY DEFERRED);
		CREATE FUNCTION locks() RETURNS text LANGUAGE sql AS 'SELECT pg_advisory_lock(7)::text';
		CREATE FUNCTION locks_and_fails() RETURNS int LANGUAGE sql AS 'SELECT pg_advisory_lock(7); SELECT 1 / 0'`)
	opened := pooled(t, db)
	pool := modulePool(t, opened)
	const settings = `SELECT concat_ws(' ', current_setting('statement_timeout'), current_setting('timezone'),
		current_setting('search_path'), current_setting('application_name'), current_user <> session_user)`
	for _, leave := range []string{
		`SELECT 1`, `SET timezone = 'Europe/Berlin'`, `SET search_path = pg_catalog`, `SET statement_timeout = 1`,
		`SELECT set_config('application_name', 'other', false)`, `SET ROLE pg_monitor`, `LISTEN gossip`,
		`SELECT locks()`, `SELECT locks_and_fails()`, `CREATE TEMP TABLE left_behind ()`, `SELECT broken`,
		`INSERT INTO item SELECT 9, 8 FROM locks()`, // its constraint fails at the end
		`DECLARE c CURSOR WITH HOLD FOR SELECT 1`,
	} {
		conn := acquireToRelease(t, pool)
		_, _ = run(t, conn, leave)
		conn.Release()
		var left string
		err := db.Pool(t).QueryRow(t.Context(), `
			SELECT (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7)
				|| ' ' || (SELECT count(*) FROM pg_class WHERE relname = 'left_behind')`).Scan(&left)
		if err != nil || left != "0 0" {
			t.Errorf("%s left behind (locks, tables) %s, %v", leave, left, err)
		}
		var sessions []*database.ModuleConn
		for range 3 {
			conn := acquireToRelease(t, pool)
			sessions = append(sessions, conn)
			if got, err := run(t, conn, settings); err != nil || got != "30s UTC public narthex a f" {
				t.Errorf("after %s a call has %s, %v", leave, got, err)
			}
		}
		for _, conn := range sessions {
			conn.Release()
		}
	}
}

// TestModuleStatementsThroughATransactionPooler: descriptions are kept and fit tables that change, rows of
// several pages are committed, a transaction is one, and a deferred constraint is a failure of the call.
func TestModuleStatementsThroughATransactionPooler(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	db.Exec(t, `CREATE TABLE item (
		id int PRIMARY KEY, parent int REFERENCES item DEFERRABLE INITIALLY DEFERRED)`)
	pool := modulePool(t, pooled(t, db))
	conn := acquireToRelease(t, pool)
	defer conn.Release()
	const insert, list = `INSERT INTO item (id, parent) VALUES ($1, $2)`, `SELECT * FROM item WHERE id = $1`
	for id := range 3 {
		if _, err := run(t, conn, insert, id, nil); err != nil {
			t.Errorf("insert %d: %v", id, err)
		}
	}
	state := func(err error) string {
		said := (*pgconn.PgError)(nil)
		_ = errors.As(err, &said)
		if said == nil {
			return ""
		}
		return said.Code
	}
	if _, err := run(t, conn, insert, 9, 8); state(err) != "23503" {
		t.Errorf("a row without its parent: %v, want 23503", err)
	}
	for range 2 {
		if _, err := run(t, conn, list, 1); err != nil {
			t.Error(err)
		}
	}
	db.Exec(t, `ALTER TABLE item ADD word text DEFAULT 'new'; ALTER TABLE item ALTER id TYPE bigint`)
	if _, err := run(t, conn, list, 1); err != nil {
		t.Errorf("after a change of the table: %v", err)
	}
	for _, sql := range []string{"COMMIT", "end", "ROLLBACK", "PREPARE a AS SELECT 1"} {
		if _, err := run(t, conn, sql); state(err) != "0A000" {
			t.Errorf("%s: %v, want 0A000", sql, err)
		}
	}
	count := func(want string) {
		t.Helper()
		other := acquireToRelease(t, pool)
		defer other.Release()
		if got, err := run(t, other, `SELECT count(*)::text FROM item`); got != want || err != nil {
			t.Errorf("%s items, %v; want %s", got, err, want)
		}
	}
	count("3")
	if err := conn.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, conn, insert, 3, 4); err != nil {
		t.Error(err)
	}
	if _, err := run(t, conn, "ROLLBACK TO SAVEPOINT none"); state(err) == "0A000" {
		t.Error("ROLLBACK TO is refused")
	}
	if committed, err := conn.Commit(t.Context()); committed || err != nil {
		t.Errorf("Commit after a failed statement: %v, %v, want false", committed, err)
	}
	count("3")
	var unread *pgconn.ResultReader
	err := conn.Run(t.Context(), `INSERT INTO item SELECT generate_series(10, 19) RETURNING id`, nil,
		func(rows *pgconn.ResultReader) error { unread = rows; return nil })
	count("3")
	_, failure := unread.Close()
	if err = errors.Join(err, failure, conn.Settle(t.Context())); err != nil {
		t.Error(err)
	}
	count("13")
	failed, err := conn.Batch(t.Context(), []database.Statement{
		{SQL: insert, Args: []any{20, 21}}, {SQL: insert, Args: []any{22, nil}},
	}, func(_ int, rows *pgconn.ResultReader) error { _, err := rows.Close(); return err })
	if failed != 2 || state(err) != "23503" {
		t.Errorf("a batch whose constraint fails at its end: %d, %v; want 2 and 23503", failed, err)
	}
	count("13")
}

// TestProcessesBehindATransactionPooler: each has a row while it serves.
func TestProcessesBehindATransactionPooler(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	var ended []chan error
	for listener := range uint32(2) {
		presence, end := pooled(t, db).Presence(listener+1), make(chan error, 1)
		ended = append(ended, end)
		go func() { end <- presence.Serve(ctx) }()
	}
	command := db.Database(t)
	await := func(want int) {
		t.Helper()
		eventually(t, "the processes", func() bool {
			n, err := command.Processes(t.Context())
			listeners, failed := command.Listeners(t.Context())
			if err = errors.Join(err, failed); err != nil {
				t.Fatal(err)
			}
			return n == want && len(listeners) == want
		})
	}
	await(2)
	db.Exec(t, `UPDATE core.process SET seen_at = seen_at - interval '76 s' WHERE listener = 1`)
	await(1)
	cancel()
	for _, end := range ended {
		<-end
	}
	await(0)
}
