package database_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/waittest"
)

func TestAModulesPoolReachesItsOwnSchemaAlone(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	line := migrations.Line{ID: "seat-plan", Files: []migrations.File{
		{Version: 1, Name: "seats", SQL: []byte(`CREATE TABLE seat (id int); INSERT INTO seat VALUES (1);`)},
	}}
	_, err := migrations.Apply(t.Context(), migrations.Options{Connect: database.Config(db.Settings),
		Modules: []migrations.Line{line}})
	if err != nil {
		t.Fatal(err)
	}
	roles, err := db.Database(t).ModuleRoles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	role := roles["seat-plan"]
	if role.ModuleID != "seat-plan" || role.Schema != "module_seat_plan" || role.Role == "" ||
		role.Password.Reveal() == "" {
		t.Fatalf("role of seat-plan: %+v, want the schema module_seat_plan, a role and a password", role)
	}
	pool, err := db.Database(t).OpenModule(role)
	if err != nil {
		t.Fatal(err)
	}
	if n := sessions(t, db, "seat-plan"); n != 0 {
		t.Errorf("a module's pool has %d sessions before it was used, want none", n)
	}
	var user, timeout string
	err = acquire(t, pool).QueryRow(t.Context(),
		`SELECT current_user, current_setting('statement_timeout') FROM seat WHERE id = 1`).Scan(&user, &timeout)
	if err != nil || user != role.Role || timeout != "30s" {
		t.Errorf("session of the module: user %q, statement_timeout %q, %v; want %q, 30s", user, timeout, err,
			role.Role)
	}
	_, err = acquire(t, pool).Exec(t.Context(), `SELECT 1 FROM core.person`)
	if refused := (*pgconn.PgError)(nil); !errors.As(err, &refused) || refused.Code != "42501" {
		t.Errorf("a module reads core.person: %v, want SQLSTATE 42501", err)
	}
}

func TestAModuleWithoutARoleWorksInItsSchemaUnderCoresUser(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	db.Exec(t, `CREATE SCHEMA module_a`)
	pool, err := db.Database(t).OpenModule(database.ModuleRole{ModuleID: "a", Schema: "module_a"})
	if err != nil {
		t.Fatal(err)
	}
	var schema, timeout string
	err = acquire(t, pool).QueryRow(t.Context(),
		`SELECT current_schema(), current_setting('statement_timeout')`).Scan(&schema, &timeout)
	if err != nil || schema != "module_a" || timeout != "30s" {
		t.Errorf("session without a role: schema %q, statement_timeout %q, %v; want module_a, 30s", schema,
			timeout, err)
	}
}

// openModules opens the pools of the given number of modules, with Core's user.
func openModules(t *testing.T, db *databasetest.DB, number int) []*database.ModulePool {
	t.Helper()
	pools := make([]*database.ModulePool, number)
	for i := range pools {
		pool, err := db.Database(t).OpenModule(database.ModuleRole{ModuleID: fmt.Sprintf("m%d", i),
			Schema: "public"})
		if err != nil {
			t.Fatal(err)
		}
		pools[i] = pool
	}
	return pools
}

// acquire acquires a connection and releases it when the test ends. Only the test's own goroutine may use the
// connection.
func acquire(t *testing.T, pool *database.ModulePool) *database.ModuleConn {
	t.Helper()
	conn := acquireToRelease(t, pool)
	t.Cleanup(conn.Release)
	return conn
}

// acquireToRelease acquires a connection, which the caller must release.
func acquireToRelease(t *testing.T, pool *database.ModulePool) *database.ModuleConn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		t.Fatalf("Acquire: %v, want a connection within a minute", err)
	}
	return conn
}

// isExhausted reports whether Acquire gets no connection within 300 ms.
func isExhausted(t *testing.T, pool *database.ModulePool) bool {
	t.Helper()
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	conn, err := pool.Acquire(short)
	if err == nil {
		conn.Release()
	}
	return errors.Is(err, context.DeadlineExceeded)
}

// sessions counts a module's sessions on the server.
func sessions(t *testing.T, db *databasetest.DB, moduleID string) (n int) {
	t.Helper()
	if err := db.Pool(t).QueryRow(t.Context(), `
		SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = $1`, "narthex "+moduleID).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	waittest.Until(t, what, is)
}

func TestSixBusyModulesLeaveTheSeventhItsFirstConnection(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	pools := openModules(t, db, 7)
	var held []*database.ModuleConn
	for n := range 6 * 4 { // 7 places are the modules' own, 17 are shared
		if n < 6+17 {
			held = append(held, acquire(t, pools[n%6]))
		} else if !isExhausted(t, pools[n%6]) {
			t.Errorf("connection %d of 24 was opened; one must be left for the seventh module", n+1)
		}
	}
	own := acquire(t, pools[6])
	if !isExhausted(t, pools[6]) {
		t.Error("a 25th connection was opened, want at most 24")
	}
	second := make(chan error, 1)
	go func() { // waits for a shared place or its own connection, whichever is free first
		conn, err := pools[6].Acquire(t.Context())
		if err == nil {
			conn.Release()
		}
		second <- err
	}()
	own.Release()
	if err := <-second; err != nil {
		t.Errorf("Acquire after the own connection was released: %v, want nil", err)
	}
	for _, conn := range held {
		conn.Release() // the connections stay open and idle
	}
	for range 4 {
		acquire(t, pools[6]) // idle connections of the others are closed for it
	}
	if _, modules := db.Database(t).Figures(); modules.Open > 24 {
		t.Errorf("%d connections are open, want at most 24", modules.Open)
	}
}

func TestEachOfManyModulesHasOneConnection(t *testing.T) {
	t.Parallel()
	pools := openModules(t, databasetest.Empty(t), 27)
	for _, pool := range pools {
		acquire(t, pool)
	}
	if !isExhausted(t, pools[0]) {
		t.Error("a second connection was opened, though no place is shared")
	}
}

func TestASessionIsResetBeforeTheNextUse(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	pool := openModules(t, db, 1)[0]
	for _, leave := range []string{
		`SET search_path = pg_catalog`, `SET statement_timeout = 1`, `SELECT pg_advisory_lock(1)`,
		`LISTEN gossip`, `PREPARE kept AS SELECT 1`,
		`BEGIN`, `DECLARE c CURSOR WITH HOLD FOR SELECT 1`, `CREATE TEMP TABLE left_behind ()`,
	} {
		conn := acquire(t, pool)
		if _, err := conn.Exec(t.Context(), leave); err != nil {
			t.Fatal(err)
		}
		conn.Release()
		conn.Release() // does nothing
		conn = acquire(t, pool)
		var path, timeout string
		var left int
		if err := conn.QueryRow(t.Context(), `
			SELECT current_setting('search_path'), current_setting('statement_timeout'),
			       (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())
			       + (SELECT count(*) FROM pg_listening_channels())
			       + (SELECT count(*) FROM pg_prepared_statements WHERE from_sql)
			       + (SELECT count(*) FROM pg_cursors WHERE is_holdable)
			       + (SELECT count(*) FROM pg_class WHERE relname = 'left_behind')`,
		).Scan(&path, &timeout, &left); err != nil || path != "public" || timeout != "30s" || left != 0 {
			t.Errorf("after %s: search_path %s, statement_timeout %s, %d things left behind, %v", leave, path,
				timeout, left, err)
		}
		conn.Release()
	}
	// The server process of a session that was closed ends a moment later.
	eventually(t, "there is only the session that was used last", func() bool {
		return sessions(t, db, "m0") == 1
	})
}

func TestSessionsEndWithTheProcess(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	pool := openModules(t, db, 1)[0]
	idle, used := acquire(t, pool), acquireToRelease(t, pool)
	idle.Release()
	cut, cancel := context.WithCancel(t.Context())
	slept := make(chan error, 1)
	var statement sync.WaitGroup
	t.Cleanup(func() { cancel(); statement.Wait() })
	statement.Go(func() { // what the end of a process does to a statement in progress
		_, err := used.Exec(cut, `SELECT pg_sleep(60)`)
		used.Release()
		slept <- err
	})
	eventually(t, "a statement is under way", func() bool {
		var n int
		err := db.Pool(t).QueryRow(t.Context(), `
			SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND query = 'SELECT pg_sleep(60)'`).Scan(&n)
		return err == nil && n == 1
	})
	cancel()
	if err := <-slept; err == nil {
		t.Error("pg_sleep(60) with its context cancelled: no error, want it interrupted")
	}
	pool.EndSessions()
	eventually(t, "no session is left", func() bool { return sessions(t, db, "m0") == 0 })
	if err := acquire(t, pool).Ping(t.Context()); err != nil {
		t.Errorf("the next process's session: %v", err)
	}
}

func TestAPoolIsOpenedAgainAfterAFailureToConnect(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	pool, err := db.Database(t).OpenModule(database.ModuleRole{ModuleID: "a", Schema: "public", Role: "late",
		Password: environment.NewSecret("late")})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := pool.Acquire(t.Context()); !errors.Is(err, database.ErrUnreachable) {
			t.Fatalf("Acquire without a role: %v, want %v", err, database.ErrUnreachable)
		}
	}
	role := "late_" + db.Settings.Name
	db.Exec(t, `CREATE ROLE `+role+` LOGIN PASSWORD 'late'`)
	pool, err = db.Database(t).OpenModule(database.ModuleRole{ModuleID: "b", Schema: "public", Role: role,
		Password: environment.NewSecret("late")})
	if err != nil {
		t.Fatal(err)
	}
	conn := acquire(t, pool)
	if _, err := conn.Exec(t.Context(),
		`ALTER ROLE CURRENT_USER SET search_path = pg_temp;
		ALTER ROLE CURRENT_USER SET statement_timeout = 0`); err != nil {
		t.Fatal(err)
	}
	pool.EndSessions()
	conn.Release()
	var path, timeout string
	if err := acquire(t, pool).QueryRow(t.Context(),
		`SELECT current_setting('search_path'), current_setting('statement_timeout')`).Scan(&path,
		&timeout); err != nil || path != "public" || timeout != "30s" {
		t.Errorf("after the role changed its own settings: search_path %s, statement_timeout %s, %v", path,
			timeout, err)
	}
}

func TestNoModuleIsOpenedAfterTheEnd(t *testing.T) {
	t.Parallel()
	opened, err := database.Open(databasetest.Empty(t).Settings)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := opened.OpenModule(database.ModuleRole{ModuleID: "a", Schema: "public"})
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Acquire(t.Context()); !errors.Is(err, database.ErrClosed) {
		t.Errorf("Acquire after Close: another error, want %v", database.ErrClosed)
	}
	_, err = opened.OpenModule(database.ModuleRole{ModuleID: "b", Schema: "public"})
	if !errors.Is(err, database.ErrClosed) {
		t.Errorf("OpenModule after Close: got %v, want %v", err, database.ErrClosed)
	}
}
