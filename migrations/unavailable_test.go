package migrations_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

func TestWithoutTheRightToCreateRolesAnAdministratorGetsTheStatements(t *testing.T) {
	f := setup(t)
	f.owner("")
	modules := []migrations.Line{line("a", kept), line("b", kept)}
	_, err := f.apply(modules...)
	assertCode(t, err, migrations.ErrRoleUnavailable)
	if !strings.HasSuffix(err.Error(), "(a, b)") {
		t.Errorf("the error is %q, want it to end with (a, b)", err)
	}
	if queryValue[bool](f, `SELECT EXISTS (SELECT FROM core.migration WHERE line <> 'core')`) {
		t.Error("a module's file was applied")
	}
	assertCode(t, f.check(modules...), migrations.ErrSchemaOutdated)
	for _, statement := range migrations.Statements(err) {
		f.Exec(t, statement) // as superuser
	}
	f.mustApply(modules...)
	if err := f.check(modules...); err != nil {
		t.Error(err)
	}
	if user := f.asModule("a").Config().User; !strings.HasPrefix(user, "module_a_") {
		t.Errorf("module a works as %q, want a role of its own", user)
	}
}

func TestARoleMayBePreparedTooLittle(t *testing.T) {
	f := setup(t)
	f.owner("")
	_, err := f.apply(line("a", kept))
	assertCode(t, err, migrations.ErrRoleUnavailable)
	for _, statement := range migrations.Statements(err) {
		if strings.HasPrefix(statement, "CREATE ROLE") {
			f.Exec(t, statement)
		}
	}
	_, err = f.apply(line("a", kept))
	assertCode(t, err, migrations.ErrRoleUnavailable)
	for _, statement := range migrations.Statements(err) {
		if strings.HasPrefix(statement, "CREATE ROLE") {
			t.Errorf("Statements contain %q, want nothing for the role that exists", statement)
		}
		f.Exec(t, statement)
	}
	f.mustApply(line("a", kept))
}

func TestDevelopmentMayShareCoresUser(t *testing.T) {
	f := setup(t)
	f.owner("")
	options := migrations.Options{Connect: f.connect, SharedRole: true,
		Modules: []migrations.Line{line("a", kept, `INSERT INTO kept VALUES (1)`)}}
	for range 2 {
		if _, err := migrations.Apply(t.Context(), options); err != nil {
			t.Fatalf("Apply with a shared role: error %v (%v), want none", err, causes(err))
		}
	}
	roles, err := f.Database(t).ModuleRoles(t.Context())
	if err != nil || roles["a"].Role != "" || roles["a"].Schema != "module_a" {
		t.Errorf("ModuleRoles: %+v, error %v; want module_a without a role of its own", roles, err)
	}
	if rows := queryValue[int](f, `SELECT count(*) FROM module_a.kept`); rows != 1 {
		t.Errorf("module_a.kept has %d rows, want 1", rows)
	}
	if err := f.check(options.Modules...); err != nil {
		t.Error(err)
	}
	// A schema that was shared in development is never used in production.
	options.SharedRole = false
	_, err = migrations.Apply(t.Context(), options)
	if !errors.Is(err, migrations.ErrRoleUnavailable) || !strings.Contains(err.Error(),
		"which only development allows") {
		t.Errorf("in production: got %v, want MODULE_DATABASE_ROLE_UNAVAILABLE that says why", err)
	}
}

func TestDevelopmentIsolatesWhereItCan(t *testing.T) {
	f := setup(t)
	_, err := migrations.Apply(t.Context(), migrations.Options{Connect: f.connect, SharedRole: true,
		Modules: []migrations.Line{line("a", kept)}})
	if err != nil {
		t.Fatal(err)
	}
	f.asModule("a")
}

func TestStatementsOfOtherErrors(t *testing.T) {
	t.Parallel()
	if list := migrations.Statements(migrations.ErrFailed); list != nil {
		t.Errorf("Statements(%v): %v, want none", migrations.ErrFailed, list)
	}
}

func TestAnUnusableServerIsSaidToBeSo(t *testing.T) {
	databasetest.NeedsSessions(t, "a new session has a new setting")
	f := setup(t)
	nobody := f.connect.Copy()
	nobody.Port = 1
	_, err := migrations.Apply(t.Context(), migrations.Options{Connect: nobody})
	assertCode(t, err, migrations.ErrUnreachable)

	// A function earlier in the search path imitates an old server.
	f.Exec(t, `CREATE SCHEMA old`)
	f.Exec(t, `CREATE FUNCTION old.current_setting(text) RETURNS text LANGUAGE sql AS $$ SELECT '140011' $$`)
	f.Exec(t, `ALTER DATABASE `+f.Settings.Name+` SET search_path = old, pg_catalog`)
	_, err = f.apply()
	assertCode(t, err, migrations.ErrVersionUnsupported)
}

// For a user that does not own the database, PUBLIC's rights on it must not be revoked, and an administrator
// must not be asked to do so.
func TestStatementsLeaveRightsOnAnothersDatabase(t *testing.T) {
	f := setup(t)
	owner := f.connect.User
	f.owner("")
	f.Exec(t, `ALTER DATABASE `+f.Settings.Name+` OWNER TO `+owner)
	f.Exec(t, `GRANT CREATE ON DATABASE `+f.Settings.Name+` TO `+f.connect.User)
	_, err := f.apply(line("a", kept))
	assertCode(t, err, migrations.ErrRoleUnavailable)
	for _, statement := range migrations.Statements(err) {
		if strings.Contains(statement, "ON DATABASE") {
			t.Errorf("Statements contain %q, want nothing about the database", statement)
		}
	}
}
