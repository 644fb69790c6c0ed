package migrations_test

import (
	"testing"

	"github.com/narthex-platform/narthex/migrations"
)

// TestResetRepeatsOneModule checks that only this module begins again, and that the edited file is then
// applied.
func TestResetRepeatsOneModule(t *testing.T) {
	f := setup(t)
	b := line("b", `CREATE TABLE kept (n int)`)
	f.mustApply(line("a-b", `CREATE TABLE seat (id int); INSERT INTO seat VALUES (1)`,
		`CREATE TABLE more (n int)`), b)
	for name, edited := range map[string]migrations.Line{
		"edited":  line("a-b", `CREATE TABLE seat (id bigint)`, `CREATE TABLE more (n int)`),
		"removed": line("a-b", `CREATE TABLE seat (id int); INSERT INTO seat VALUES (1)`),
	} {
		if _, err := f.apply(edited, b); migrations.Edited(err) != "a-b" {
			t.Errorf("%s: %v is about %q, want a-b", name, err, migrations.Edited(err))
		}
	}
	if err := migrations.Reset(t.Context(), f.connect, "a-b"); err != nil {
		t.Fatal(err)
	}
	f.mustApply(line("a-b", `CREATE TABLE seat (id bigint)`), b)
	if kind := queryValue[string](f,
		`SELECT data_type::text FROM information_schema.columns
			WHERE table_schema = 'module_a_b' AND column_name = 'id'`); kind != "bigint" {
		t.Errorf("the edited file made a column of type %s, want bigint", kind)
	}
	if rows := queryValue[int](f, `SELECT count(*) FROM module_a_b.seat`); rows != 0 {
		t.Errorf("%d rows outlived the reset", rows)
	}
	if !queryValue[bool](f, `
		SELECT to_regclass('module_b.kept') IS NOT NULL AND to_regclass('module_a_b.more') IS NULL`) {
		t.Error("another module was reset, or this one was not")
	}
	_, err := f.asModule("a-b").Exec(t.Context(), `INSERT INTO seat VALUES (2)`)
	if err != nil {
		t.Errorf("the module's role in its new schema: %v", err)
	}
}

func TestResetOfNothing(t *testing.T) {
	f := setup(t)
	for _, id := range []string{"a", "never"} { // before the ledger exists, and after
		if err := migrations.Reset(t.Context(), f.connect, id); err != nil {
			t.Error(err)
		}
		f.mustApply()
	}
	for _, id := range []string{"core", "", "A", "a.b", `a"; DROP SCHEMA core; --`} {
		assertCode(t, migrations.Reset(t.Context(), f.connect, id), migrations.ErrFiles)
	}
	for _, err := range []error{nil, migrations.ErrFailed, migrations.ErrHistoryChanged} {
		if line := migrations.Edited(err); line != "" {
			t.Errorf("Edited(%v): line %q, want none", err, line)
		}
	}
}
