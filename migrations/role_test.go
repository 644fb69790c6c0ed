package migrations_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/narthex-platform/narthex/migrations"
)

func TestAModulesRoleHasItsSchemaAndNothingElse(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*fixture){
		"made by a superuser":        func(*fixture) {},
		"made by a plain CREATEROLE": func(f *fixture) { f.owner("CREATEROLE") },
	} {
		t.Run(name, func(t *testing.T) {
			f := setup(t)
			f.Exec(t, `CREATE TABLE public.anybodys (n int); GRANT SELECT ON public.anybodys TO PUBLIC`)
			prepare(f)
			modules := []migrations.Line{line("seat-plan", `CREATE TABLE seat (n int)`),
				line("other", `CREATE TABLE theirs (n int)`)}
			f.mustApply(modules...)
			f.mustApply(modules...)
			conn := f.asModule("seat-plan")
			for sql, state := range map[string]string{
				`INSERT INTO seat VALUES (1)`: "",
				`CREATE TABLE more (n int)`:   "",
				`ALTER TABLE seat ADD m int`:  "",
				`DO $$ BEGIN ASSERT current_setting('statement_timeout') = '30s'; END $$`:  "",
				`DO $$ BEGIN ASSERT current_schemas(false) = '{module_seat_plan}'; END $$`: "",
				`SELECT 1 FROM core.person`:                                         "42501",
				`SELECT 1 FROM core.module_database_role`:                           "42501",
				`INSERT INTO core.migration VALUES ('core', 99, '', '', 'applied')`: "42501",
				`SELECT 1 FROM module_other.theirs`:                                 "42501",
				`CREATE TABLE module_other.mine (n int)`:                            "42501",
				`CREATE TABLE public.mine (n int)`:                                  "42501",
				`CREATE TABLE core.mine (n int)`:                                    "42501",
				`SELECT 1 FROM public.anybodys`:                                     "42501",
				`CREATE TEMPORARY TABLE mine (n int)`:                               "42501",
				`CREATE SCHEMA mine`:                                                "42501",
				`CREATE ROLE mine`:                                                  "42501",
				`CREATE DATABASE mine`:                                              "42501",
				`CREATE EXTENSION dblink`:                                           "42501",
				`COPY seat TO PROGRAM 'true'`:                                       "42501",
				`SELECT pg_read_file('/etc/hostname')`:                              "42501",
				`ALTER ROLE CURRENT_USER SUPERUSER`:                                 "42501",
				`SET ROLE ` + f.connect.User:                                        "42501",
				`SET SESSION AUTHORIZATION ` + f.connect.User:                       "42501",
				`GRANT ALL ON SCHEMA core TO CURRENT_USER`:                          "42501",
				`GRANT ` + f.connect.User + ` TO CURRENT_USER`:                      "42501",
			} {
				_, err := conn.Exec(t.Context(), sql)
				var refused *pgconn.PgError
				got := ""
				if errors.As(err, &refused) {
					got = refused.Code
				}
				if got != state {
					t.Errorf("%s: %v, want SQLSTATE %q", sql, err, state)
				}
			}
			if err := f.check(modules...); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCoresUserCanReadTheModulesTablesForABackup(t *testing.T) {
	f := setup(t)
	f.owner("CREATEROLE")
	f.mustApply(line("a", `CREATE TABLE kept (n int)`))
	_, err := migrations.ApplyWithCore(t.Context(), append(coreFiles(t), migrations.File{
		Version: len(coreFiles(t)) + 1, Name: "reads", SQL: []byte(`SELECT n FROM module_a.kept`),
	}), migrations.Options{Connect: f.connect})
	if err != nil {
		t.Errorf("a Core file that reads module_a.kept: error %v (%v), want none", err, causes(err))
	}
}

func TestLongIDsGetDistinctRolesWithinPostgreSQLsLimit(t *testing.T) {
	f := setup(t)
	long := strings.Repeat("a", 47)
	f.mustApply(line(long+"b", kept), line(long+"c", kept))
	if roles := queryValue[int](f, `
		SELECT count(*) FROM core.module_database_role JOIN pg_roles ON rolname = role_name`); roles != 2 {
		t.Errorf("%d roles, want 2", roles)
	}
}

func TestWhatAModuleChangedOfItsRoleIsFoundAndRepaired(t *testing.T) {
	t.Parallel()
	makers := map[string]func(*fixture){
		"made by a superuser":        func(*fixture) {},
		"made by a plain CREATEROLE": func(f *fixture) { f.owner("CREATEROLE") },
	}
	if testing.Short() {
		delete(makers, "made by a superuser") // five databases less
	}
	for name, prepare := range makers {
		for _, change := range []string{
			`ALTER ROLE CURRENT_USER PASSWORD 'mine'`,
			`ALTER ROLE CURRENT_USER SET search_path = pg_catalog`,
			`ALTER ROLE CURRENT_USER RESET ALL`,
			`ALTER ROLE CURRENT_USER SET default_transaction_read_only = on`,
			`DO $$ BEGIN EXECUTE format('ALTER ROLE CURRENT_USER IN DATABASE %I SET statement_timeout = 0',
				current_database()); END $$`,
		} {
			t.Run(name+": "+change, func(t *testing.T) {
				f := setup(t)
				prepare(f)
				modules := []migrations.Line{line("a", kept), line("b", kept)}
				f.mustApply(modules...)
				f.assertChanged(modules)
				if _, err := f.asModule("a").Exec(t.Context(), change); err != nil {
					t.Fatal(err)
				}
				f.assertChanged(modules, "a")
				f.mustApply(modules...)
				f.assertChanged(modules)
				var path, timeout, readOnly string
				err := f.asModule("a").QueryRow(t.Context(), `
					SELECT current_setting('search_path'), current_setting('statement_timeout'),
					current_setting('default_transaction_read_only')`).Scan(&path, &timeout, &readOnly)
				if err != nil || path != "module_a" || timeout != "30s" || readOnly != "off" {
					t.Errorf("after apply: search_path %s, statement_timeout %s, read only %s, %v", path, timeout,
						readOnly, err)
				}
			})
		}
	}
}

func (f *fixture) assertChanged(modules []migrations.Line, want ...string) {
	f.t.Helper()
	got, err := migrations.ChangedRoles(f.t.Context(), f.connect, modules)
	if err != nil || !slices.Equal(got, want) {
		f.t.Errorf("ChangedRoles: %q, %v; want %q", got, err, want)
	}
}

func TestPasswordsReachTheServerAsVerifiersOnly(t *testing.T) {
	f := setup(t)
	f.owner("")
	_, err := f.apply(line("a", kept))
	assertCode(t, err, migrations.ErrRoleUnavailable)
	password := queryValue[string](f, `SELECT password FROM core.module_database_role WHERE module_id = 'a'`)
	for _, statement := range migrations.Statements(err) {
		if strings.Contains(statement, password) {
			t.Errorf("the password is in %s", statement)
		}
	}
}

func TestASchemaOfAnotherOwnerIsNotTaken(t *testing.T) {
	f := setup(t)
	f.Exec(t, `CREATE SCHEMA module_a`)
	_, err := f.apply(line("a", kept))
	assertCode(t, err, migrations.ErrFailed)
	if owner := queryValue[string](f,
		`SELECT nspowner::regrole::text FROM pg_namespace WHERE nspname = 'module_a'`); owner != "narthex" {
		t.Errorf("schema module_a belongs to %s, want narthex as before", owner)
	}
	if queryValue[bool](f, `SELECT EXISTS (SELECT FROM core.module_database_role)`) {
		t.Error("a role was recorded for the module, want none")
	}
}
