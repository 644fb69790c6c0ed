package database_test

import (
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/database/poolertest"
)

// TestSessionsThroughAPooler: a pooler in session mode takes the platform's sessions with all their settings,
// also after the reset of a module's session, and counts processes.
func TestSessionsThroughAPooler(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	db.Exec(t, `ALTER DATABASE `+db.Settings.Name+` SET timezone = 'Asia/Tokyo'`)
	opened, err := database.Open(poolertest.Start(t, db.Settings, poolertest.Session))
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
