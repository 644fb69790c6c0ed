package migrations_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

// fixture is one empty database and the configuration of connections to it.
type fixture struct {
	*databasetest.DB
	t       *testing.T
	connect *pgx.ConnConfig
}

func setup(t *testing.T) *fixture {
	t.Helper()
	t.Parallel()
	db := databasetest.Empty(t)
	return &fixture{DB: db, t: t, connect: database.Config(db.Settings)}
}

// line builds a module's files 1, 2, 3 from their SQL.
func line(id string, sql ...string) migrations.Line {
	made := migrations.Line{ID: id}
	for i, text := range sql {
		made.Files = append(made.Files, migrations.File{Version: i + 1, Name: "step", SQL: []byte(text)})
	}
	return made
}

func (f *fixture) apply(modules ...migrations.Line) (migrations.Report, error) {
	return migrations.Apply(f.t.Context(), migrations.Options{Connect: f.connect, Modules: modules})
}

func (f *fixture) mustApply(modules ...migrations.Line) migrations.Report {
	f.t.Helper()
	report, err := f.apply(modules...)
	if err != nil {
		f.t.Fatalf("Apply: %v: %v; want nil", err, causes(err))
	}
	return report
}

// causes returns the server's error, which the platform's errors do not print.
func causes(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused
	}
	return err
}

// queryValue reads one value as Core's user.
func queryValue[T any](f *fixture, sql string, args ...any) T {
	f.t.Helper()
	rows, err := f.Pool(f.t).Query(f.t.Context(), sql, args...)
	if err != nil {
		f.t.Fatal(err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	if err != nil {
		f.t.Fatalf("%s: error %v, want one row", sql, err)
	}
	return found
}

// asModule opens a session with the module's own role.
func (f *fixture) asModule(id string) *pgx.Conn {
	f.t.Helper()
	roles, err := f.Database(f.t).ModuleRoles(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	settings := f.Settings
	settings.User, settings.Password = roles[id].Role, roles[id].Password
	conn, err := pgx.ConnectConfig(f.t.Context(), withoutStatementTimeout(database.Config(settings)))
	if err != nil {
		f.t.Fatalf("log in as %s: %v", id, err)
	}
	f.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func withoutStatementTimeout(config *pgx.ConnConfig) *pgx.ConnConfig {
	config.AfterConnect = nil
	return config
}

// owner creates an ordinary user with the given attributes, makes it the owner of the database, and uses it
// for all later migrations.
func (f *fixture) owner(attributes string) {
	f.t.Helper()
	name := "owner_" + f.Settings.Name
	f.Exec(f.t, `CREATE ROLE `+name+` LOGIN `+attributes+` PASSWORD 'secret'`)
	f.Exec(f.t, `ALTER DATABASE `+f.Settings.Name+` OWNER TO `+name)
	settings := f.Settings
	settings.User, settings.Password = name, environment.NewSecret("secret")
	f.connect = database.Config(settings)
}

// assertCode checks an error's code, and that its text contains nothing of the server's message.
func assertCode(t *testing.T, err error, code migrations.Error) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("got %v (%v), want %s", err, causes(err), code.Code())
	}
	var coded interface{ Code() string }
	if !errors.As(err, &coded) || coded.Code() != code.Code() || !strings.HasPrefix(err.Error(), code.Error()) {
		t.Errorf("%q does not begin with %q", err, code)
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) && strings.Contains(err.Error(), refused.Message) {
		t.Errorf("%q repeats the server's words", err)
	}
}
