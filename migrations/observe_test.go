package migrations_test

import (
	"slices"
	"testing"

	"github.com/narthex-platform/narthex/migrations"
)

// TestObserve checks the observation of each file: its duration, its locks on existing tables, also on one
// that it drops, and no locks on tables that it creates.
func TestObserve(t *testing.T) {
	f := setup(t)
	const table = `CREATE TABLE seat (id int); CREATE TABLE old (id int); INSERT INTO seat VALUES (1)`
	f.mustApply(line("hall", table))
	var seen []migrations.Observation
	options := migrations.Options{Connect: f.connect,
		Observe: func(o migrations.Observation) { seen = append(seen, o) },
		Modules: []migrations.Line{line("hall", table,
			`SELECT pg_sleep(1); LOCK TABLE seat IN SHARE ROW EXCLUSIVE MODE; SELECT pg_sleep(0.2)`,
			`CREATE TABLE fresh (id int); ALTER TABLE seat ADD row int; DROP TABLE old`,
			`UPDATE seat SET row = 1 / (id - 1)`)}}
	if _, err := migrations.Apply(t.Context(), options); err == nil {
		t.Fatal("Apply of a file that divides by zero: no error")
	}
	if len(seen) != 3 {
		t.Fatalf("seen %d files, want the three that were run: %+v", len(seen), seen)
	}
	assertLocks := func(o migrations.Observation, want ...string) {
		t.Helper()
		var got []string
		for _, lock := range o.Locks {
			got = append(got, lock.Table+" "+lock.Mode)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: locks %q, want %q", o.File, got, want)
		}
	}
	assertLocks(seen[0], "module_hall.seat ShareRowExclusiveLock")
	assertLocks(seen[1], "module_hall.old AccessExclusiveLock", "module_hall.seat AccessExclusiveLock")
	if held, took := seen[0].Locks[0].Seconds, seen[0].Seconds; held < 0.2 || held >= took {
		t.Errorf("the lock was held for %v s of %v s, want the part after it was taken", held, took)
	}
	if !seen[2].Failed || seen[1].Failed || seen[2].File != "0004_step.sql" {
		t.Errorf("failed: %+v", seen)
	}
}
