package migrations_test

import (
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/migrations"
)

// TestStoppedTellsThePlace checks the line, the statement and the server's message for a failing file,
// whatever precedes the statement. The error's own text contains none of them.
func TestStoppedTellsThePlace(t *testing.T) {
	t.Parallel()
	const before = `CREATE TABLE seat (id int PRIMARY KEY, "odd;name" text DEFAULT 'it''s; $$'); -- one; line
/* a comment; /* with another; */
   and an end; */
INSERT INTO seat VALUES (1, E'back\'slash;'), (2, $x$dollar; 'quoted'$x$);
CREATE FUNCTION seats() RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM seat; $$;
CREATE OR REPLACE FUNCTION body() RETURNS int LANGUAGE sql BEGIN ATOMIC
	SELECT CASE WHEN true THEN 1 END; SELECT 2;
END;
CREATE RULE twice AS ON DELETE TO seat DO ALSO (SELECT 1; SELECT 2);
`
	const first = 10 // the line after those
	for name, c := range map[string]struct {
		sql       string
		at        int
		statement string
		message   string
	}{
		"a syntax error": {"SELECT 1;\n\nSELEKT 2\n ;SELECT 3", first + 2, "SELEKT 2",
			`syntax error at or near "SELEKT"`},
		"an unknown column": {"SELECT 1;\nSELECT id,\n  nothing FROM seat;", first + 2,
			"SELECT id,\n  nothing FROM seat", `column "nothing" does not exist`},
		"the end": {"SELECT 1; SELECT (2", first, "SELECT (2", "syntax error at end of input"},
		"a key": {"SELECT 1;\n\n-- why\nINSERT INTO seat\nVALUES (3, ';');\nINSERT INTO seat " +
			"VALUES (1, 'x');", first + 5, "INSERT INTO seat VALUES (1, 'x')",
			`duplicate key value violates unique constraint "seat_pkey"`},
		"a division": {"SELECT 'ä;' ;SELECT\n1/0", first, "SELECT\n1/0", "division by zero"},
		"inside a function": {"CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1/0 $$;\nSELECT f();",
			first + 1, "SELECT f()", "division by zero"},
		"an unknown function": {"SELECT\n  nothing();", first + 1, "SELECT\n  nothing()",
			"function nothing() does not exist"},
		"another search_path": {"SET LOCAL search_path = pg_catalog;\nSELECT * FROM seat;", first + 1,
			"SELECT * FROM seat", `relation "seat" does not exist`},
		"a forbidden one": {"SELECT 1;\nCOMMIT;", first + 1, "COMMIT",
			"EXECUTE of transaction commands is not implemented"},
		"raised": {"DO $$ BEGIN\n  RAISE EXCEPTION 'no; %', 7;\nEND $$;", first,
			"DO $$ BEGIN\n  RAISE EXCEPTION 'no; %', 7;\nEND $$", "no; 7"},
		"the end of the whole": {"CREATE TABLE link (id int REFERENCES seat DEFERRABLE INITIALLY " +
			"DEFERRED);\nINSERT INTO link VALUES (9);", 0, "",
			`insert or update on table "link" violates foreign key constraint "link_id_fkey"`},
		"NUL": {"SELECT 1;\nSELECT '\x00';", first + 1, "SELECT '\x00'",
			"the file holds a NUL character"},
	} {
		t.Run(name, func(t *testing.T) {
			f := setup(t)
			_, err := f.apply(line("a", before+c.sql))
			assertCode(t, err, migrations.ErrFailed)
			stop, failed := migrations.Stopped(err)
			expected := migrations.Stop{Line: "a", File: "0001_step.sql", At: c.at, Statement: c.statement,
				Message: c.message}
			if !failed || stop != expected {
				t.Errorf("got %+v, %v, want %+v", stop, failed, expected)
			}
			if strings.Contains(err.Error(), c.message) || c.statement != "" &&
				strings.Contains(err.Error(), c.statement) {
				t.Errorf("the error prints it: %q", err)
			}
			if queryValue[bool](f, `SELECT to_regclass('module_a.seat') IS NOT NULL`) {
				t.Error("something of it was kept")
			}
		})
	}
}

// TestStoppedIsAboutFiles: Stopped returns false for other failures.
func TestStoppedIsAboutFiles(t *testing.T) {
	f := setup(t)
	f.mustApply(line("a", `SELECT 1`))
	_, changed := f.apply(line("a", `SELECT 2`))
	for _, err := range []error{nil, changed, migrations.ErrFailed, migrations.ErrUnreachable} {
		if stop, failed := migrations.Stopped(err); failed {
			t.Errorf("Stopped(%v): %+v, want no stop at a file", err, stop)
		}
	}
}
