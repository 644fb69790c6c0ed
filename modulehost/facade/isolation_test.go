package facade_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// TestStatementsCannotLeaveTheSchema tries statements that would reach Core, another module, roles, settings
// or the server's machine. Every statement is refused, and afterwards nothing outside the module has changed.
func TestStatementsCannotLeaveTheSchema(t *testing.T) {
	m := open(t)
	var core, other string
	err := m.db.Pool(t).QueryRow(t.Context(), `
		SELECT quote_ident(current_user),
		       (SELECT quote_ident(role_name) FROM core.module_database_role WHERE module_id = 'rota')`).
		Scan(&core, &other)
	if err != nil {
		t.Fatal(err)
	}
	before := m.outside(t)
	for subject, statements := range map[string][]string{
		"Core": {
			`SELECT * FROM core.person`, `SELECT password FROM core.module_database_role`, `TABLE core.session`,
			`INSERT INTO core.platform_owner SELECT`, `UPDATE core.person SET email_verified = true`,
			`DELETE FROM core.person`, `TRUNCATE core.person`,
			`LOCK TABLE core.person IN ACCESS SHARE MODE`, `DROP TABLE core.person`, `DROP SCHEMA core CASCADE`,
			`CREATE TABLE core.mine ()`,
			`CREATE TABLE mine (id uuid REFERENCES core.person)`, `CREATE VIEW mine AS SELECT * FROM core.person`,
			`CREATE INDEX ON core.person (name)`, `ALTER TABLE core.person ADD mine int`,
			`GRANT ALL ON core.person TO CURRENT_USER`,
			`ALTER DEFAULT PRIVILEGES FOR ROLE ` + core + ` GRANT ALL ON TABLES TO CURRENT_USER`,
		},
		"another module": {
			`SELECT * FROM module_rota.duties`, `INSERT INTO module_rota.duties VALUES (2)`,
			`DROP TABLE module_rota.duties`,
			`CREATE TABLE module_rota.mine ()`, `DROP SCHEMA module_rota CASCADE`,
			`ALTER SCHEMA module_rota RENAME TO mine`,
			`SET search_path = module_rota; SELECT 1`, `SELECT * FROM module_rota.narthex_migration`,
		},
		"roles": {
			`SET ROLE ` + core, `SET ROLE ` + other, `SET SESSION AUTHORIZATION ` + core,
			`SELECT set_config('role', '` + core + `', false)`,
			`GRANT ` + other + ` TO CURRENT_USER`, `GRANT ` + core + ` TO CURRENT_USER`,
			`GRANT pg_read_all_data TO CURRENT_USER`,
			`CREATE ROLE mine`, `DROP ROLE ` + other, `ALTER ROLE ` + other + ` PASSWORD 'x'`,
			`ALTER ROLE ` + core + ` PASSWORD 'x'`,
			`ALTER ROLE CURRENT_USER SUPERUSER`, `ALTER ROLE CURRENT_USER CREATEROLE`,
			`ALTER ROLE CURRENT_USER BYPASSRLS`,
			`ALTER ROLE CURRENT_USER REPLICATION`, `ALTER ROLE CURRENT_USER CONNECTION LIMIT 1000`,
			`REASSIGN OWNED BY ` + other + ` TO CURRENT_USER`,
			`DROP OWNED BY ` + other, `SELECT rolpassword FROM pg_authid`, `SELECT passwd FROM pg_shadow`,
		},
		"settings": {
			`ALTER SYSTEM SET log_statement = 'none'`, `ALTER ROLE ALL SET statement_timeout = 1`,
			`ALTER ROLE ` + core + ` SET search_path = mine`,
			`ALTER ROLE ` + other + ` SET statement_timeout = 1`,
			`ALTER DATABASE ` + pgx.Identifier{m.db.Settings.Name}.Sanitize() + ` SET statement_timeout = 1`,
			`SET session_replication_role = replica`, `SET log_statement = 'none'`,
			`SET session_preload_libraries = 'mine'`, `SELECT pg_reload_conf()`,
		},
		"server": {
			`CREATE DATABASE mine`, `DROP DATABASE ` + pgx.Identifier{m.db.Settings.Name}.Sanitize(),
			`CREATE SCHEMA mine`, `CREATE TABLE public.mine ()`,
			`CREATE TEMP TABLE mine ()`, `CREATE EXTENSION dblink`, `CREATE EXTENSION pgcrypto`,
			`CREATE FOREIGN DATA WRAPPER mine`,
			`CREATE PUBLICATION mine FOR ALL TABLES`, `CREATE FUNCTION mine() RETURNS int LANGUAGE c AS 'mine'`,
			`LOAD '/tmp/mine'`,
			`SELECT pg_read_file('/etc/passwd')`, `SELECT pg_ls_dir('/')`, `SELECT lo_import('/etc/passwd')`,
			`COPY seats TO '/tmp/mine'`,
			`COPY seats FROM '/etc/passwd'`, `COPY seats TO PROGRAM 'id'`, `SELECT pg_rotate_logfile()`, `CHECKPOINT`,
			`SELECT pg_create_physical_replication_slot('mine')`, `CREATE TABLESPACE mine LOCATION '/tmp'`,
			`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename <> current_user`,
		},
	} {
		for _, sql := range statements {
			if _, err := m.exec(t, 0, sql); code(err) != abi.CodeDatabaseFailed {
				t.Errorf("%v: exec: code %v, want %v; subject %v",
					sql, code(err), abi.CodeDatabaseFailed, subject)
			}
		}
	}
	page, err := m.query(t, 0, `
		SELECT query FROM pg_stat_activity
		WHERE usename <> current_user AND query NOT IN ('', '<insufficient privilege>')`)
	if seen := cells(t, page); err != nil || len(seen) > 0 {
		t.Errorf("of others' statements it sees %q, %v", seen, err)
	}
	if after := m.outside(t); !slices.Equal(before, after) {
		t.Errorf("outside the module was\n%q\nand is\n%q", before, after)
	}
	if m.count(t) != 0 {
		t.Error("its own table is not as it was")
	}
}

// outside returns the state of everything that the module must not change.
func (m *module) outside(t *testing.T) []string {
	t.Helper()
	rows, err := m.db.Pool(t).Query(t.Context(), `
		SELECT to_jsonb(r)::text FROM pg_authid r
		UNION ALL SELECT to_jsonb(a)::text FROM pg_auth_members a
		UNION ALL SELECT to_jsonb(s)::text FROM pg_db_role_setting s
		UNION ALL SELECT to_jsonb(d)::text FROM (SELECT datname, datdba, datacl FROM pg_database) d
		UNION ALL SELECT to_jsonb(n)::text FROM pg_namespace n
		UNION ALL SELECT to_jsonb(c)::text FROM
			(SELECT oid, relname, relnamespace, relowner, relacl, relnatts FROM pg_class
			 WHERE relkind IN ('r', 'i', 'v')) c
		UNION ALL SELECT to_jsonb(e)::text FROM pg_extension e
		UNION ALL SELECT to_jsonb(d)::text FROM module_rota.duties d
		ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
