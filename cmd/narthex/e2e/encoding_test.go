package e2e

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// TestDatabaseEncoding: every command refuses a database that is not in UTF8, names its encoding and says how
// to make one that is; none writes into it.
func TestDatabaseEncoding(t *testing.T) {
	if testing.Short() {
		t.Skip("every command, for each of three encodings")
	}
	t.Parallel()
	i := install(t, "board")
	file := filepath.Join(t.TempDir(), "backup")
	i.mustRun(t, "backup:create", "--to", file)
	commands := [][]string{
		{"migrations:apply"}, {"migrations:status"}, {"api:start"}, {"doctor"},
		{"identity:create-initial-owner", "--email", ownerAddress},
		{"authorization:bootstrap-owner", "--email", ownerAddress},
		{"authorization:transfer-owner", "--to-email", ownerAddress},
		{"identity:invite", "--email", ownerAddress}, {"identity:reset-link", "--email", ownerAddress},
		{"identity:deactivate", "--email", ownerAddress},
		{"identity:export", "--user-id", "somebody", "--to", filepath.Join(t.TempDir(), "export")},
		{"modules:enable", "--module", "board"}, {"modules:disable", "--module", "board"}, {"modules:list"},
		{"backup:create", "--to", filepath.Join(t.TempDir(), "refused")}, {"backup:verify", file},
		{"backup:restore", file}, {"upgrade:rehearse"},
	}
	i.db.Pool(t) // open until the end of the whole test
	for _, encoding := range []string{"LATIN1", "SQL_ASCII", "EUC_JP"} {
		t.Run(encoding, func(t *testing.T) {
			name := strings.ToLower(i.db.Settings.Name + "_" + encoding)
			i.db.Exec(t, `CREATE DATABASE `+name+` ENCODING '`+encoding+`' LOCALE 'C' TEMPLATE template0`)
			address, err := url.Parse(i.db.URL)
			if err != nil {
				t.Fatal(err)
			}
			address.Path = "/" + name
			another := *i
			another.environment = map[string]string{}
			for variable, value := range i.environment {
				another.environment[variable] = value
			}
			another.environment["DATABASE_URL"] = address.String()
			for _, command := range commands {
				r := runCommand(t, another.environment, ownerPassword+"\n", command...)
				status, said := r.awaitExit(t), r.stdout.String()+r.stderr.String()
				for _, want := range []string{"DATABASE_ENCODING_UNSUPPORTED: ", encoding,
					"ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0"} {
					if status != cli.ExitFailure || !strings.Contains(said, want) || strings.Contains(said, "UNREACHABLE") {
						t.Errorf("%s on a database in %s: exit status %d, want %d and %q:\n%s", command, encoding, status,
							cli.ExitFailure, want, said)
						break
					}
				}
			}
			settings := i.db.Settings
			settings.Name = name
			conn, err := pgx.Connect(t.Context(), address.String()+"?sslmode=disable&client_encoding="+encoding)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = conn.Close(t.Context())
				i.db.Exec(t, `DROP DATABASE `+name)
			}()
			var written int
			if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_namespace
				WHERE nspname IN ('core', 'narthex_restore') OR nspname LIKE 'module%'`,
				pgx.QueryExecModeExec).Scan(&written); err != nil || written > 0 {
				t.Errorf("the database in %s has %d schemas of the platform, error %v; want none", encoding, written, err)
			}
		})
	}
}

// TestServerOfAnotherEncoding: on a server whose new databases are not in UTF8, a backup can be verified and
// an upgrade rehearsed, and a role that asks for another encoding does not decide how the platform reads.
func TestServerOfAnotherEncoding(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes a cluster of its own")
	}
	t.Parallel()
	server, err := cluster.Start(t.Context(), cluster.Options{Dir: filepath.Join(sharedFolder(t), "server"),
		FsyncOff: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Remove() })
	conn, err := pgx.Connect(t.Context(), server.URL("postgres")+"?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`UPDATE pg_database SET encoding = pg_char_to_encoding('LATIN1'), datcollate = 'C', datctype = 'C'
			WHERE datistemplate`,
		`CREATE DATABASE house ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0`,
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	i := prepare(t, &databasetest.DB{URL: server.URL("house")}, "board")
	i.migrateWithOwner(t)
	file := filepath.Join(t.TempDir(), "backup")
	conn, err = pgx.Connect(t.Context(), server.URL("house")+"?sslmode=disable&client_encoding=UTF8")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), `UPDATE core.person SET name = 'Öğ 🎶'`); err != nil {
		t.Fatal(err)
	}
	i.mustRun(t, "identity:invite", "--email", "first@example.org", "--name", "Öğ 🎶")
	i.mustRun(t, "backup:create", "--to", file)
	i.mustRun(t, "backup:verify", file)
	i.mustRun(t, "upgrade:rehearse")

	if _, err := conn.Exec(t.Context(), `ALTER ROLE CURRENT_USER SET client_encoding = 'LATIN1'`); err != nil {
		t.Fatal(err)
	}
	i.mustRun(t, "identity:invite", "--email", "second@example.org", "--name", "Öğ 🎶")
	i.mustRun(t, "backup:create", "--to", file+"2")
	i.mustRun(t, "backup:verify", file+"2")
	var names int
	if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM core.invitation WHERE name = 'Öğ 🎶'`).
		Scan(&names); err != nil || names != 2 {
		t.Errorf("%d of 2 names are stored as they were given, error %v", names, err)
	}
}
