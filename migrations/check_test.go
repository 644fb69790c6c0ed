package migrations_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/migrations"
)

func (f *fixture) check(modules ...migrations.Line) error {
	f.t.Helper()
	return migrations.Check(f.t.Context(), f.Pool(f.t), modules)
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
