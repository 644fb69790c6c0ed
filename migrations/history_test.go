package migrations_test

import (
	"testing"
	"testing/fstest"

	"github.com/narthex-platform/narthex/migrations"
)

const kept = `CREATE TABLE kept (n int)`

func TestAChangedHistoryIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	renamed := line("b", kept, `SELECT 2`)
	renamed.Files[0].Name = "other"
	for name, row := range map[string]struct {
		change string          // of the ledger
		now    migrations.Line // what module b, applied with two files, has become
		code   migrations.Error
	}{
		"changed file":        {"", line("b", kept+" ", `SELECT 2`), migrations.ErrHistoryChanged},
		"another line ending": {"", line("b", kept+"\r\n", `SELECT 2`), migrations.ErrHistoryChanged},
		"changed name":        {"", renamed, migrations.ErrHistoryChanged},
		"older installation":  {"", line("b", kept), migrations.ErrDowngrade},
		"no files left":       {"", line("b"), migrations.ErrDowngrade},
		"a lost row of the ledger": {`DELETE FROM core.migration WHERE line = 'b' AND version = 1`,
			line("b", kept, `SELECT 2`), migrations.ErrHistoryChanged},
		"an unfinished row between": {`
			UPDATE core.migration SET state = 'applying' WHERE line = 'b' AND version = 1`,
			line("b", kept, `SELECT 2`), migrations.ErrHistoryChanged},
		"Core ahead of the files": {`INSERT INTO core.migration (line, version, name, checksum, state)
			SELECT 'core', max(version) + 1, 'x', 'x', 'applied' FROM core.migration WHERE line = 'core'`,
			line("b", kept, `SELECT 2`), migrations.ErrDowngrade},
		"an older installation and a lost row": {`DELETE FROM core.migration WHERE line = 'b' AND version = 1`,
			line("b", kept), migrations.ErrDowngrade},
		"Core ahead of the files with a gap": {`INSERT INTO core.migration (line, version, name, checksum, state)
			SELECT 'core', max(version) + 2, 'x', 'x', 'applied' FROM core.migration WHERE line = 'core'`,
			line("b", kept, `SELECT 2`), migrations.ErrDowngrade},
		"Core changed": {`UPDATE core.migration SET checksum = 'x' WHERE line = 'core' AND version = 2`,
			line("b", kept, `SELECT 2`), migrations.ErrHistoryChanged},
	} {
		t.Run(name, func(t *testing.T) {
			f := setup(t)
			f.mustApply(line("b", kept, `SELECT 2`))
			if row.change != "" {
				f.Exec(t, row.change)
			}
			// Module a comes first and has files to apply, but none may be applied.
			modules := []migrations.Line{line("a", kept), row.now}
			_, err := f.apply(modules...)
			assertCode(t, err, row.code)
			if queryValue[bool](f, `
				SELECT to_regnamespace('module_a') IS NOT NULL
				    OR EXISTS (SELECT FROM core.module_database_role WHERE module_id = 'a')`) {
				t.Error("module a has a schema or a role, want nothing written")
			}
			assertCode(t, f.check(modules...), row.code)
			_, err = migrations.Status(t.Context(), f.Pool(t), modules)
			assertCode(t, err, row.code)
		})
	}
}

func TestCheckFindsWhatIsPending(t *testing.T) {
	f := setup(t)
	f.mustApply(line("a", kept))
	if err := f.check(line("a", kept)); err != nil {
		t.Error(err)
	}
	assertCode(t, f.check(line("a", kept, `SELECT 2`)), migrations.ErrSchemaOutdated)
	// no files and no role
	assertCode(t, f.check(line("a", kept), line("b")), migrations.ErrSchemaOutdated)
	f.Exec(t, `
		DELETE FROM core.migration
		WHERE line = 'core' AND version = (SELECT max(version) FROM core.migration WHERE line = 'core')`)
	assertCode(t, f.check(line("a", kept)), migrations.ErrSchemaOutdated)
}

func TestTheHistoryOfAnAbsentModuleIsRetained(t *testing.T) {
	f := setup(t)
	f.mustApply(line("a", kept), line("b", kept))
	report := f.mustApply(line("b", kept))
	if len(report.Lines) != 3 {
		t.Fatalf("Apply without module a: %+v, want 3 lines", report)
	}
	if last := report.Lines[2]; last.Line != "a" || !last.Retained || len(last.Applied) != 1 ||
		len(last.Pending) != 0 {
		t.Errorf("the absent module: %+v, want a retained with one applied file", last)
	}
	if !queryValue[bool](f, `SELECT to_regclass('module_a.kept') IS NOT NULL`) {
		t.Error("the absent module's tables are gone")
	}
	// When the module is installed again, its line continues after the applied files.
	report = f.mustApply(line("b", kept), line("a", kept, `ALTER TABLE kept ADD m int`))
	if a := report.Lines[2]; a.Line != "a" || a.Retained || len(a.Applied) != 2 || a.Applied[0].New ||
		!a.Applied[1].New {
		t.Errorf("the module is back: %+v, want two applied files, only the second new", a)
	}
}

func TestLinesThatNoCatalogHandsOutAreRefused(t *testing.T) {
	t.Parallel()
	gap := line("a", kept, kept)
	gap.Files[1].Version = 3
	for name, modules := range map[string][]migrations.Line{
		"reserved id": {line("core", kept)},
		"twice":       {line("a", kept), line("a", kept)},
		"odd id":      {line(`a"; DROP TABLE x`, kept)},
		"a gap":       {gap},
	} {
		_, err := migrations.Apply(t.Context(), migrations.Options{Modules: modules})
		t.Run(name, func(t *testing.T) { assertCode(t, err, migrations.ErrFiles) })
	}
}

func TestReadTakesNumberedFilesWithoutGaps(t *testing.T) {
	t.Parallel()
	file := &fstest.MapFile{Data: []byte("SELECT 1")}
	files, err := migrations.Read(fstest.MapFS{"0002_seat_plan.sql": file, "0001_first-of-all.sql": file})
	if err != nil || len(files) != 2 || files[1].Version != 2 || files[1].Name != "seat_plan" ||
		string(files[0].SQL) != "SELECT 1" {
		t.Errorf("Read: %+v, %v; want both files in order", files, err)
	}
	for name, folder := range map[string]fstest.MapFS{
		"gap":            {"0001_a.sql": file, "0003_c.sql": file},
		"not from one":   {"0002_b.sql": file},
		"same number":    {"0001_a.sql": file, "0001_b.sql": file},
		"other file":     {"0001_a.sql": file, "README.md": file},
		"short number":   {"1_a.sql": file},
		"no name":        {"0001_.sql": file},
		"folder":         {"0001_a.sql/x": file},
		"capital letter": {"0001_A.sql": file},
	} {
		_, err := migrations.Read(folder)
		t.Run(name, func(t *testing.T) { assertCode(t, err, migrations.ErrFiles) })
	}
}
