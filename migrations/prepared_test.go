package migrations_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
)

// verifierOfX is a SCRAM verifier, so that a call is not refused because of its password.
const verifierOfX = `SCRAM-SHA-256$4096:AAAAAAAAAAAAAAAAAAAAAA==$` +
	`AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=`

// prepared runs roles.sql as an administrator does.
func (f *fixture) prepared() {
	f.t.Helper()
	text, err := os.ReadFile("../deploy/postgresql/roles.sql")
	if err != nil {
		f.t.Fatal(err)
	}
	f.Exec(f.t, string(text))
}

// as opens a session as the platform's user.
func (f *fixture) as(user, password string) *pgx.Conn {
	f.t.Helper()
	settings := f.Settings
	settings.User, settings.Password = user, environment.NewSecret(password)
	conn, err := pgx.ConnectConfig(f.t.Context(), database.Config(settings))
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// TestPreparedDatabaseNeedsNoCreaterole: roles are made, and made again when a module changed them.
func TestPreparedDatabaseNeedsNoCreaterole(t *testing.T) {
	f := setup(t)
	f.owner("")
	f.prepared()
	f.prepared() // as after an upgrade
	f.mustApply(line("a", kept))
	module := f.asModule("a")
	for _, statement := range []string{`ALTER ROLE CURRENT_USER PASSWORD 'mine'`,
		`ALTER ROLE CURRENT_USER SET statement_timeout = 0`,
		`ALTER ROLE CURRENT_USER IN DATABASE ` + f.Settings.Name + ` SET search_path = mine`} {
		if _, err := module.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	f.mustApply(line("a", kept), line("b", kept))
	f.asModule("a")
	f.asModule("b")
	var settings []string
	if err := module.QueryRow(t.Context(), `
		SELECT array_agg(setting ORDER BY setting)
		FROM pg_db_role_setting, unnest(setconfig) AS setting
		WHERE setrole = (SELECT oid FROM pg_roles WHERE rolname = current_user)`).Scan(&settings); err != nil ||
		strings.Join(settings, " ") !=
			"idle_in_transaction_session_timeout=60s search_path=module_a statement_timeout=30s" {
		t.Errorf("the settings of the role: %q, %v", settings, err)
	}
	if may, err := migrations.MayMakeRoles(t.Context(), f.as(f.connect.User, "secret")); !may || err != nil {
		t.Errorf("MayMakeRoles: %v, %v", may, err)
	}
}

// TestInstallationGivesCreateroleUp: one that has it works on, before and after the file was run and when the
// right is gone. A user who has something elsewhere is not taken over.
func TestInstallationGivesCreateroleUp(t *testing.T) {
	f := setup(t)
	f.owner("CREATEROLE")
	f.mustApply(line("a", kept))
	elsewhere := "module_e_" + strings.Repeat("a", 12)
	f.Exec(t, `CREATE ROLE `+elsewhere+` LOGIN; CREATE SCHEMA module_e AUTHORIZATION `+elsewhere)
	f.Exec(t, `CREATE DATABASE `+elsewhere+` OWNER `+elsewhere)
	defer f.Exec(t, `DROP OWNED BY `+elsewhere+`; DROP ROLE `+elsewhere)
	defer f.Exec(t, `DROP DATABASE `+elsewhere+` WITH (FORCE)`)
	f.prepared()
	f.mustApply(line("a", kept), line("b", kept))
	f.Exec(t, `ALTER ROLE `+f.connect.User+` NOCREATEROLE`)
	if _, err := f.asModule("a").Exec(t.Context(), `ALTER ROLE CURRENT_USER PASSWORD 'mine'`); err != nil {
		t.Fatal(err)
	}
	f.mustApply(line("a", kept), line("b", kept), line("c", kept))
	for _, id := range []string{"a", "b", "c"} {
		f.asModule(id)
	}
	if queryValue[bool](f, `SELECT narthex_roles.made_here($1)`, elsewhere) {
		t.Error("a user with a database of its own was taken over")
	}
}

// TestPreparedUserDoesNotEscape: the platform's user, as a program in its process has it, tries to become
// somebody else, to reach other databases, programs and files, and to change the functions.
func TestPreparedUserDoesNotEscape(t *testing.T) {
	f := setup(t)
	f.owner("CREATEDB")
	other := "module_other_" + strings.Repeat("a", 12)
	beside := "beside_" + f.Settings.Name
	f.Exec(t, `CREATE ROLE `+other+` LOGIN PASSWORD 'other'`)
	f.Exec(t, `CREATE DATABASE `+beside)
	f.Exec(t, `REVOKE ALL ON DATABASE `+beside+` FROM PUBLIC`)
	defer f.Exec(t, `DROP ROLE `+other)
	defer f.Exec(t, `DROP DATABASE `+beside+` WITH (FORCE)`)
	f.prepared()
	f.mustApply(line("a", kept))
	conn, me := f.as(f.connect.User, "secret"), f.connect.User
	admin := queryValue[string](f, `SELECT current_user`)
	make := func(name, schema, password string) string {
		return `SELECT narthex_roles.make('` + strings.ReplaceAll(name, `'`, `''`) + `', '` + schema + `', '` +
			password + `')`
	}
	fresh := "module_b_" + strings.Repeat("b", 12)
	for _, statement := range []string{
		make(other, "module_other", verifierOfX), make(admin, "module_a", verifierOfX),
		make(me, "module_a", verifierOfX), make(`x"; ALTER ROLE "`+me+`" SUPERUSER; --`, "module_a", verifierOfX),
		make("module_x\n_"+strings.Repeat("a", 12), "module_a", verifierOfX),
		make(fresh, "module_a, public", verifierOfX), make(fresh, "module_a", "known to all"),
		make(fresh, "module_a", "md5"+strings.Repeat("0", 32)), make("pg_read_all_data", "module_a", verifierOfX),
		`SELECT narthex_roles.remove('` + other + `')`, `SELECT narthex_roles.remove('` + admin + `')`,
		`INSERT INTO narthex_roles.made SELECT oid FROM pg_roles WHERE rolname = '` + other + `'`,
		`UPDATE narthex_roles.platform SET role = 10`, `DELETE FROM narthex_roles.made`,
		`CREATE FUNCTION narthex_roles.more() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
		`DROP SCHEMA narthex_roles CASCADE`, `ALTER SCHEMA narthex_roles RENAME TO mine`,
		`ALTER FUNCTION narthex_roles.make(text, text, text) OWNER TO ` + me,
		`ALTER FUNCTION narthex_roles.make(text, text, text) RESET search_path`,
		`CREATE ROLE mine`, `CREATE ROLE mine SUPERUSER`, `ALTER ROLE ` + me + ` CREATEROLE`,
		`ALTER ROLE ` + me + ` SUPERUSER`, `ALTER ROLE ` + other + ` PASSWORD 'mine'`,
		`ALTER ROLE ` + other + ` SET search_path = mine`, `DROP ROLE ` + other,
		`GRANT ` + other + ` TO ` + me, `GRANT ` + admin + ` TO ` + me,
		`GRANT pg_execute_server_program TO ` + me, `GRANT pg_read_server_files TO ` + me,
		`GRANT pg_write_server_files TO ` + me, `GRANT pg_read_all_data TO ` + me,
		`SET ROLE ` + admin, `SET ROLE ` + other, `SET SESSION AUTHORIZATION ` + admin,
		`COPY (SELECT 1) TO PROGRAM 'true'`, `CREATE TEMP TABLE got (line text); COPY got FROM PROGRAM 'id'`,
		`COPY (SELECT 1) TO '/tmp/narthex-escape'`, `SELECT pg_read_file('/etc/passwd')`,
		`SELECT pg_ls_dir('/')`, `SELECT lo_import('/etc/passwd')`, `CREATE EXTENSION file_fdw`,
		`CREATE FUNCTION c() RETURNS int LANGUAGE c AS 'libc.so.6', 'getpid'`,
		`ALTER SYSTEM SET archive_command = 'true'`, `SELECT pg_reload_conf()`,
		`ALTER DATABASE ` + beside + ` OWNER TO ` + me, `DROP DATABASE ` + beside,
		`GRANT CONNECT ON DATABASE ` + beside + ` TO ` + me, `CREATE DATABASE copied TEMPLATE ` + beside,
		`CREATE EVENT TRIGGER mine ON ddl_command_end EXECUTE FUNCTION pg_catalog.now()`,
	} {
		_, err := conn.Exec(t.Context(), statement)
		if refused := (*pgconn.PgError)(nil); !errors.As(err, &refused) || !isRefusal(refused.Code) {
			t.Errorf("%s: %v, want it refused", statement, err)
		}
	}
	settings := f.Settings
	settings.User, settings.Password, settings.Name = me, environment.NewSecret("secret"), beside
	if conn, err := pgx.ConnectConfig(t.Context(), database.Config(settings)); err == nil {
		_ = conn.Close(t.Context())
		t.Error("the platform's user can connect to another database")
	}
	// what the caller's own schema offers in place of the operators of PostgreSQL has no effect
	for _, statement := range []string{`CREATE SCHEMA mine`,
		`CREATE FUNCTION mine.never(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT false'`,
		`CREATE OPERATOR mine.!~ (FUNCTION = mine.never, LEFTARG = text, RIGHTARG = text)`,
		`SET search_path = mine, pg_catalog`} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.Exec(t.Context(), make("mine", "module_a", verifierOfX)); err == nil {
		t.Error("an operator of the caller is used by the functions")
	}
	if _, err := f.asModule("a").Exec(t.Context(), make(fresh, "module_b", verifierOfX)); err == nil {
		t.Error("a module can use the functions")
	}
	rights := queryValue[string](f, `
		SELECT concat_ws(' ', rolsuper, rolcreaterole, rolreplication, rolbypassrls,
			(SELECT count(*) FROM pg_auth_members WHERE member = r.oid))
		FROM pg_roles AS r WHERE rolname = $1`, me)
	if rights != "f f f f 1" { // member of module a's role
		t.Errorf("afterwards the user has %s", rights)
	}
}

// isRefusal reports whether a SQLSTATE means that the user may not do it, or may not make a role because it
// exists.
func isRefusal(state string) bool { return state == "42501" || state == "42710" }

// TestPreparationRefusesAForeignSchema: a schema of that name which somebody else made is not used, and an
// ordinary user cannot prepare.
func TestPreparationRefusesAForeignSchema(t *testing.T) {
	f := setup(t)
	f.owner("")
	text, err := os.ReadFile("../deploy/postgresql/roles.sql")
	if err != nil {
		t.Fatal(err)
	}
	conn := f.as(f.connect.User, "secret")
	if _, err := conn.Exec(t.Context(), string(text)); err == nil {
		t.Error("an ordinary user can prepare")
	}
	if _, err := conn.Exec(t.Context(), "ROLLBACK; CREATE SCHEMA narthex_roles"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Pool(t).Exec(t.Context(), string(text)); err == nil ||
		!strings.Contains(err.Error(), "belongs to somebody else") {
		t.Errorf("a schema of the platform's user: %v, want it refused", err)
	}
}
