package migrations_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/narthex-platform/narthex/migrations"
)

func coreFiles(t *testing.T) []migrations.File {
	t.Helper()
	core, err := migrations.Core()
	if err != nil {
		t.Fatal(err)
	}
	return core.Files
}

func TestAnEmptyDatabaseIsBroughtUpToDateOnce(t *testing.T) {
	f := setup(t)
	files := len(coreFiles(t))
	first := f.mustApply()
	if core := first.Lines[0]; core.Line != "core" || len(core.Applied) != files || !core.Applied[0].New ||
		first.Pending() {
		t.Errorf("first run: %+v, want all %d files applied and new", core, files)
	}
	if err := f.check(); err != nil {
		t.Error(err)
	}
	second := f.mustApply()
	for _, entry := range second.Lines[0].Applied {
		if entry.New || entry.AppliedAt == nil {
			t.Errorf("second run: %+v, want it applied and not new", entry)
		}
	}
}

func TestStatusAndCheckOfAnEmptyDatabaseCreateNothing(t *testing.T) {
	f := setup(t)
	report, err := migrations.Status(t.Context(), f.Pool(t), []migrations.Line{line("a", "SELECT 1")})
	if err != nil || len(report.Lines) != 2 || len(report.Lines[0].Pending) != len(coreFiles(t)) ||
		len(report.Lines[1].Pending) != 1 {
		t.Errorf("Status of an empty database: %+v, error %v; want all of Core's files and one of "+
			"a's pending", report,
			err)
	}
	assertCode(t, f.check(), migrations.ErrSchemaMissing)
	if queryValue[bool](f, `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'core')`) {
		t.Error("Status and Check created schema core, want nothing created")
	}
}

func TestReportIsPlainJSON(t *testing.T) {
	f := setup(t)
	report, err := migrations.Status(t.Context(), f.Pool(t), []migrations.Line{line("a", "SELECT 1")})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(report.Lines[1])
	if got := string(text); err != nil ||
		got != `{"line":"a","applied":[],"pending":[{"version":1,"name":"step"}]}` {
		t.Errorf("the report as JSON: %s, error %v; want one pending file of line a", got, err)
	}
}

func TestRunsAtTheSameTimeApplyEachFileOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many migrations at the same time")
	}
	f := setup(t)
	modules := []migrations.Line{
		line("a", `CREATE TABLE one (n int)`, `CREATE TABLE two (n int)`, `INSERT INTO two VALUES (1)`),
		line("b", `CREATE TABLE one (n int); INSERT INTO one VALUES (1)`),
	}
	var runs sync.WaitGroup
	var mu sync.Mutex
	applied := map[string]int{} // how often a file was reported as new, in all runs
	for range 5 {
		runs.Go(func() {
			report, err := f.apply(modules...)
			if err != nil {
				t.Errorf("Apply beside four others: error %v (%v), want none", err, causes(err))
			}
			mu.Lock()
			defer mu.Unlock()
			for _, line := range report.Lines {
				for _, entry := range line.Applied {
					if entry.New {
						applied[line.Line]++
					}
				}
			}
		})
	}
	runs.Wait()
	if applied["core"] != len(coreFiles(t)) || applied["a"] != 3 || applied["b"] != 1 {
		t.Errorf("files reported as new over all runs: %v, want core %d, a 3, b 1", applied, len(coreFiles(t)))
	}
	if rows := queryValue[int](f, `
		SELECT (SELECT count(*) FROM module_a.two) + (SELECT count(*) FROM module_b.one)`); rows != 2 {
		t.Errorf("the two inserts left %d rows, want 2", rows)
	}
	if err := f.check(modules...); err != nil {
		t.Error(err)
	}
}

func TestAFailedCoreFileLeavesNothing(t *testing.T) {
	f := setup(t)
	files := append(coreFiles(t), migrations.File{Version: len(coreFiles(t)) + 1, Name: "broken", SQL: []byte(`
		CREATE TABLE core.half (n int);
		INSERT INTO core.half VALUES ('secret words');`)})
	_, err := migrations.ApplyWithCore(t.Context(), files, migrations.Options{Connect: f.connect})
	assertCode(t, err, migrations.ErrFailed)
	if !strings.Contains(err.Error(), fmt.Sprintf("core %04d_broken, SQLSTATE 22P02", len(files))) ||
		strings.Contains(err.Error(), "secret") {
		t.Errorf("the error is %q, want the file and SQLSTATE 22P02 and no value", err)
	}
	if queryValue[bool](f, `SELECT to_regclass('core.half') IS NOT NULL`) {
		t.Error("a table of the failed file exists, want none")
	}
	if rows := queryValue[int](f, `SELECT count(*) FROM core.migration`); rows != len(files)-1 {
		t.Errorf("%d rows in the ledger, want %d", rows, len(files)-1)
	}
	f.mustApply()
}

func TestAFileThatFailsAtItsCommitLeavesNothing(t *testing.T) {
	f := setup(t)
	_, err := f.apply(line("a", `
		CREATE TABLE parent (id int PRIMARY KEY);
		CREATE TABLE child (id int REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
		INSERT INTO child VALUES (1);`))
	assertCode(t, err, migrations.ErrFailed)
	if queryValue[bool](f, `SELECT to_regclass('module_a.parent') IS NOT NULL`) ||
		queryValue[int](f, `SELECT count(*) FROM core.migration WHERE line = 'a'`) != 0 {
		t.Error("a table or a ledger row of the failed file exists, want neither")
	}
}

func TestTheLedgerIsCoresAlone(t *testing.T) {
	f := setup(t)
	f.mustApply(line("a", `SELECT 1`))
	_, err := f.asModule("a").Exec(t.Context(), `SELECT 1 FROM core.migration`)
	if refused := (*pgconn.PgError)(nil); !errors.As(err, &refused) || refused.Code != "42501" {
		t.Errorf("a module reads core.migration: got %v, want SQLSTATE 42501", err)
	}
}
