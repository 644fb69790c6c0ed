package database_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
)

// TestProcessesAreThoseThatServe: not a command, not one that has ended, and not one on another database.
func TestProcessesAreThoseThatServe(t *testing.T) {
	t.Parallel()
	db, other := databasetest.New(t), databasetest.New(t)
	open := func(db *databasetest.DB) *database.Database {
		t.Helper()
		opened, err := database.Open(db.Settings)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = opened.Close() })
		return opened
	}
	serve := func(d *database.Database) (stop func()) {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- d.Serve(ctx) }()
		left := make(chan error, 1)
		go func() { left <- d.Presence(1).Serve(ctx) }()
		stop = func() { cancel(); <-left; <-ended }
		return stop
	}
	command := open(db)
	await := func(when string, want int) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		eventually(t, when, func() bool {
			got, err := command.Processes(ctx)
			if err != nil {
				t.Fatalf("%s: %d processes, want %d; error %v", when, got, want, err)
			}
			return got == want
		})
	}
	await("none serves", 0)
	stopOther := serve(open(other))
	defer stopOther()
	stopFirst := serve(open(db))
	await("one serves", 1)
	stopSecond := serve(open(db))
	await("two serve", 2)
	stopFirst()
	await("one has stopped", 1)
	stopSecond()
	await("both have stopped", 0)
}

// TestModuleIsNoProcess: a module may take any advisory lock. It is then not counted as a process and does
// not delay a ping.
func TestModuleIsNoProcess(t *testing.T) {
	t.Parallel()
	for name, lock := range map[string]string{
		"as a process does": "pg_advisory_lock_shared(1315009619, 1)",
		"for itself":        "pg_advisory_lock(1315009619, 1)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := databasetest.New(t)
			connect := func(settings environment.Database) *pgx.Conn {
				t.Helper()
				conn, err := pgx.ConnectConfig(t.Context(), database.Config(settings))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = conn.Close(context.Background()) })
				return conn
			}
			owner := connect(db.Settings) // db.Exec would start a database service, which counts as a process
			role := "module_of_" + db.Settings.Name
			if _, err := owner.Exec(t.Context(), "CREATE ROLE "+role+" LOGIN PASSWORD 'module'"); err != nil {
				t.Fatal(err)
			}
			defer func() { _, _ = owner.Exec(context.Background(), "DROP ROLE "+role) }()
			settings := db.Settings
			settings.User, settings.Password = role, environment.NewSecret("module")
			if _, err := connect(settings).Exec(t.Context(), "SELECT "+lock); err != nil {
				t.Fatal(err)
			}
			platform, err := database.Open(db.Settings)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = platform.Close() }()
			if n, err := platform.Processes(t.Context()); n != 0 || err != nil {
				t.Errorf("%d processes, %v; want none", n, err)
			}
			within, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if err := platform.Ping(within); err != nil {
				t.Errorf("Ping: %v, want nil", err)
			}
		})
	}
}
