package migrations_test

import (
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/migrations"
)

// A file cannot leave its transaction: whatever it tries, nothing of it and nothing after it is kept or
// recorded.
func TestNoFileBreaksOutOfItsTransaction(t *testing.T) {
	t.Parallel()
	for name, attempt := range map[string]string{
		"commit":                "COMMIT",
		"commit and begin":      "COMMIT; BEGIN",
		"commit and chain":      "COMMIT AND CHAIN",
		"end":                   "END",
		"rollback":              "ROLLBACK",
		"rollback and begin":    "ROLLBACK; BEGIN",
		"abort":                 "ABORT",
		"begin":                 "BEGIN",
		"savepoint":             "SAVEPOINT s",
		"two-phase":             "PREPARE TRANSACTION 'x'",
		"commit in a block":     "DO $$ BEGIN COMMIT; END $$",
		"commit in a procedure": "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN COMMIT; END $$; CALL p()",
		"closing our quotes":    "$narthex$; COMMIT; $narthex$",
		"closing our block":     "SELECT 1 $$; END $$; COMMIT",
		"behind a comment":      "/* ; */ COMMIT --",
		"session as another":    "SET SESSION AUTHORIZATION narthex",
		"outside transactions":  "CREATE INDEX CONCURRENTLY ON broken_out (n)",
		"bad UTF-8":             "SELECT '\xff'",
		"NUL":                   "SELECT 1\x00",
	} {
		t.Run(name, func(t *testing.T) {
			f := setup(t)
			_, err := f.apply(line("a", `CREATE TABLE kept (n int)`,
				"CREATE TABLE broken_out (n int);\n"+attempt+";\nCREATE TABLE after_it (n int);"))
			assertCode(t, err, migrations.ErrFailed)
			if !strings.Contains(err.Error(), "a 0002_step") {
				t.Errorf("the error is %q, want the file a 0002_step in it", err)
			}
			if !queryValue[bool](f, `SELECT to_regclass('module_a.kept') IS NOT NULL`) {
				t.Error("the table of the file before is missing")
			}
			if queryValue[bool](f, `
				SELECT to_regclass('module_a.broken_out') IS NOT NULL OR to_regclass('module_a.after_it') IS NOT NULL`) {
				t.Error("a table of the failed file exists, want none")
			}
			rows := queryValue[int](f, `
				SELECT (SELECT count(*) FROM core.migration WHERE line = 'a')
				       + (SELECT count(*) FROM module_a.narthex_migration)`)
			if rows != 2 { // file 1, in both places
				t.Errorf("%d rows in ledger and markers, want 2", rows)
			}
		})
	}
}

func TestFilesMayHoldWhatFilesHold(t *testing.T) {
	f := setup(t)
	report := f.mustApply(line("a",
		`-- A comment, and functions that quote with $$.
		 CREATE TABLE seat (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, label text NOT NULL DEFAULT '$1');
		 CREATE FUNCTION seats() RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM seat $$;
		 CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $body$
		 BEGIN NEW.label := NEW.label || ';'; RETURN NEW; END $body$;
		 CREATE TRIGGER touch BEFORE INSERT ON seat FOR EACH ROW EXECUTE FUNCTION touch();
		 INSERT INTO seat DEFAULT VALUES;
		 SELECT seats();
		 ALTER TABLE seat ADD taken boolean NOT NULL DEFAULT false`,
		``,
		`-- nothing but a comment`,
		`SET search_path = public; CREATE TYPE module_a.mood AS ENUM ('glad')`,
		`CREATE TABLE found_its_schema_again (mood mood)`,
	))
	if applied := report.Lines[1].Applied; len(applied) != 5 {
		t.Errorf("applied files: %+v, want 5", applied)
	}
	if label := queryValue[string](f, `SELECT label FROM module_a.seat`); label != "$1;" {
		t.Errorf("label %q, want $1;", label)
	}
	if !queryValue[bool](f, `SELECT to_regclass('module_a.found_its_schema_again') IS NOT NULL`) {
		t.Error("the last file did not start in its own schema")
	}
}

func TestAMendedFileRunsAfterItFailed(t *testing.T) {
	f := setup(t)
	_, err := f.apply(line("a", `CREATE TABLE kept (n int); SELEKT`))
	assertCode(t, err, migrations.ErrFailed)
	f.mustApply(line("a", `CREATE TABLE kept (n int)`))
}
