package migrations_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/services/database"
)

// check returns the result of Check. It fails the test if QuickCheck does not agree with it.
func (f *fixture) check(modules ...migrations.Line) error {
	f.t.Helper()
	err := migrations.Check(f.t.Context(), f.Pool(f.t), modules)
	quick := migrations.NewQuickCheck(modules)
	read, failed := f.Database(f.t).CheckAndRead(f.t.Context(), database.NewReading(quick.Ledger()),
		database.NewReading(quick.Roles()))
	if passed := failed == nil && read && quick.Passed(); passed != (err == nil) {
		f.t.Errorf("QuickCheck passed: %v, want it to agree with Check, which returned %v", passed, err)
	}
	return err
}

func TestCheckDuringARestore(t *testing.T) {
	f := setup(t)
	f.mustApply(line("a", kept))
	if err := f.check(line("a", kept)); err != nil {
		t.Error(err)
	}
	conn, err := pgx.ConnectConfig(t.Context(), f.connect)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if err := migrations.BeginRestore(t.Context(), conn, "sunday.backup"); err != nil {
		t.Fatal(err)
	}
	assertCode(t, f.check(line("a", kept)), migrations.ErrRestoreUnfinished)
	assertCode(t, f.check(), migrations.ErrRestoreUnfinished)
}

func TestCheckFindsALostRole(t *testing.T) {
	f := setup(t)
	f.mustApply(line("a", kept))
	f.Exec(t, `UPDATE core.module_database_role SET role_name = 'lost'`)
	assertCode(t, f.check(line("a", kept)), migrations.ErrSchemaOutdated)
	if err := f.check(); err != nil {
		t.Errorf("Check without module a: %v, want nil", err)
	}
}
