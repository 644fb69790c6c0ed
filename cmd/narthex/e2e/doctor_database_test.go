package e2e

import (
	"context"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// TestDoctorComparesTheDatabaseWithThePlatform: doctor finds what a module changed in its role, and whether
// the server accepts as many connections as are needed.
func TestDoctorComparesTheDatabaseWithThePlatform(t *testing.T) {
	t.Parallel()
	i := install(t, "board")
	const changed, connections = "warning   MODULE_DATABASE_ROLE_CHANGED: Module board has changed",
		"Database connections: a process of the platform may open 40, "
	report := runCommand(t, i.environment, "", "doctor").stdout.String()
	if strings.Contains(report, "ROLE_CHANGED") || !strings.Contains(report, connections) {
		t.Errorf("doctor on a sound database, want %q:\n%s", connections, report)
	}
	db := i.db.Database(t)
	roles, err := db.ModuleRoles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pool, err := db.OpenModule(roles["board"])
	if err != nil {
		t.Fatal(err)
	}
	asModule := func(sql string) {
		t.Helper()
		conn, err := pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Release()
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, sql := range []string{`ALTER ROLE CURRENT_USER SET work_mem = '1GB'`,
		`ALTER ROLE CURRENT_USER PASSWORD 'mine'`} {
		asModule(sql)
		report := runCommand(t, i.environment, "", "doctor").stdout.String()
		if !strings.Contains(report, changed) {
			t.Errorf("doctor after %s, want %q:\n%s", sql, changed, report)
		}
		if r := runCommand(t, i.environment, "", "migrations:apply"); r.awaitExit(t) != cli.ExitSuccess {
			t.Fatalf("migrations:apply after %s: exit status %d, want %d; stderr %s", sql, r.awaitExit(t),
				cli.ExitSuccess, r.stderr.String())
		}
		if report := runCommand(t, i.environment, "", "doctor").stdout.String(); strings.Contains(report, changed) {
			t.Errorf("doctor after migrations:apply:\n%s", report)
		}
	}
	if needed := database.Connections(i.db.Settings, 30); needed != 46 {
		t.Errorf("30 modules need %d connections, want 46", needed)
	}
	if offered, err := db.ServerConnections(context.Background()); err != nil || offered < 40 {
		t.Errorf("the server takes %d connections, want at least 40; error %v", offered, err)
	}
}

// TestDoctorOnSchemas: a database schema that does not match the program is a blocking finding with advice.
func TestDoctorOnSchemas(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ change, want string }{
		"older": {`DELETE FROM core.migration WHERE line = 'board' AND version =
			(SELECT max(version) FROM core.migration WHERE line = 'board')`, "SCHEMA_OUTDATED"},
		"newer": {`INSERT INTO core.migration (line, version, name, checksum, state)
			SELECT 'core', max(version) + 1, 'later', 'x', 'applied'
			FROM core.migration WHERE line = 'core'`, "MIGRATION_DOWNGRADE"},
		"newer with a gap": {`INSERT INTO core.migration (line, version, name, checksum, state)
			SELECT 'core', max(version) + 2, 'later', 'x', 'applied'
			FROM core.migration WHERE line = 'core'`, "MIGRATION_DOWNGRADE"},
		"changed": {`UPDATE core.migration SET checksum = 'x' WHERE line = 'core' AND version = 1`,
			"MIGRATION_HISTORY_CHANGED"},
		"none":      {`DROP SCHEMA core CASCADE`, "SCHEMA_MISSING"},
		"restoring": {`CREATE SCHEMA narthex_restore`, "BACKUP_INCOMPLETE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := install(t, "board")
			i.db.Exec(t, row.change)
			r := runCommand(t, i.environment, "", "doctor")
			if r.awaitExit(t) != cli.ExitFailure || !strings.Contains(r.stdout.String(), "blocking  "+row.want+": ") {
				t.Errorf("doctor after %s: exit %d, want %d and %s blocking:\n%s", row.change, r.awaitExit(t),
					cli.ExitFailure, row.want, r.stdout.String())
			}
		})
	}
}

// TestDoctorOnTheRightsOfTheDatabaseUser: CREATEROLE is a finding where it amounts to the whole server, and
// the commands of the finding remedy it.
func TestDoctorOnTheRightsOfTheDatabaseUser(t *testing.T) {
	t.Parallel()
	i := prepare(t, databasetest.Empty(t), "board")
	i.useHandbookUser(t)
	user := "keeper_" + i.db.Settings.Name
	i.db.Exec(t, `DROP SCHEMA narthex_roles CASCADE`)
	i.db.Exec(t, `ALTER ROLE `+user+` CREATEROLE`)
	i.migrateWithOwner(t)
	var powerful bool
	if err := i.db.Pool(t).QueryRow(t.Context(), `SELECT current_setting('server_version_num')::int < 160000`).
		Scan(&powerful); err != nil {
		t.Fatal(err)
	}
	const code = "warning   DATABASE_ROLE_TOO_POWERFUL: "
	remedy := `/usr/share/narthex/roles.sql, and then: ALTER ROLE "` + user + `" NOCREATEROLE;`
	report := runCommand(t, i.environment, "", "doctor").stdout.String()
	if strings.Contains(report, code) != powerful || strings.Contains(report, remedy) != powerful {
		t.Errorf("doctor with CREATEROLE, which amounts to the server: %v\n%s", powerful, report)
	}
	i.prepareRoles(t)
	i.db.Exec(t, `ALTER ROLE `+user+` NOCREATEROLE`)
	report = runCommand(t, i.environment, "", "doctor").stdout.String()
	if strings.Contains(report, code) || !strings.Contains(report, "it has no power over other users") {
		t.Errorf("doctor without CREATEROLE:\n%s", report)
	}
	if r := runCommand(t, i.environment, "", "migrations:apply"); r.awaitExit(t) != cli.ExitSuccess {
		t.Errorf("migrations:apply without CREATEROLE: %s", r.stderr.String())
	}
}
