package backup_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/services/backup"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/storage"
)

// TestTargetNotEmpty: an existing table or object is not changed, and nothing is added.
func TestTargetNotEmpty(t *testing.T) {
	t.Parallel()
	p := installed(t)
	path, _ := p.create(backup.CreateOptions{})
	want := p.rows()
	if _, err := backup.Restore(t.Context(), p.Installation, path, "", nil); !errors.Is(
		err,
		backup.ErrTargetNotEmpty,
	) {
		t.Errorf("restore over itself: %v, want %v", err, backup.ErrTargetNotEmpty)
	}
	for table, rows := range p.rows() {
		if rows != want[table] {
			t.Errorf("after the refusal %s has changed", table)
		}
	}
	into := empty(t)
	into.pictures.objects["mine.jpg"] = storedObject{"image/jpeg", []byte("mine")}
	if _, err := backup.Restore(t.Context(), into.Installation, path, "", nil); !errors.Is(
		err,
		backup.ErrTargetNotEmpty,
	) {
		t.Errorf("restore over an object: %v, want %v", err, backup.ErrTargetNotEmpty)
	}
	if len(into.pictures.objects) != 1 {
		t.Errorf("after the refusal there are %d objects, want 1", len(into.pictures.objects))
	}
	delete(into.pictures.objects, "mine.jpg")
	into.Exec(t, `CREATE TABLE public.mine AS SELECT 1 AS n`)
	if _, err := backup.Restore(t.Context(), into.Installation, path, "", nil); !errors.Is(
		err,
		backup.ErrTargetNotEmpty,
	) {
		t.Errorf("restore beside a table: %v, want %v", err, backup.ErrTargetNotEmpty)
	}
	into.Exec(t, `DROP TABLE public.mine`) // it is still there
	into.isEmpty()
}

// TestFailedRestore: whatever step fails, nothing is left, and the next restore works.
func TestFailedRestore(t *testing.T) {
	if testing.Short() {
		t.Skip("restores once for each step that fails")
	}
	t.Parallel()
	p := installed(t)
	path, _ := p.create(backup.CreateOptions{})
	into := empty(t)
	lost := errors.New("lost")
	for what, spoil := range map[string]func() (context.Context, func(context.Context) error){
		"the last object": func() (context.Context, func(context.Context) error) {
			into.pictures.failAt = into.pictures.puts + len(p.pictures.objects)
			return t.Context(), nil
		},
		"the end": func() (context.Context, func(context.Context) error) {
			return t.Context(), func(context.Context) error { return lost }
		},
		"the operator": func() (context.Context, func(context.Context) error) {
			ctx, cancel := context.WithCancel(t.Context())
			return ctx, func(context.Context) error { cancel(); return ctx.Err() }
		},
	} {
		ctx, finish := spoil()
		if _, err := backup.Restore(ctx, into.Installation, path, "", finish); err == nil {
			t.Errorf("restore, %s fails: no error", what)
		}
		into.isEmpty()
	}
	if _, err := backup.Restore(t.Context(), into.Installation, path, "", nil); err != nil {
		t.Errorf("restore after failures: %v: %v", err, causes(err))
	}
}

// TestCutRestore: after a killed restore the platform does not start, and a restore of the same file
// succeeds.
func TestCutRestore(t *testing.T) {
	if testing.Short() {
		t.Skip("restores several times")
	}
	t.Parallel()
	p := installed(t)
	path, _ := p.create(backup.CreateOptions{})
	other, _ := p.create(backup.CreateOptions{})
	into := empty(t)
	func() {
		defer func() { _ = recover() }() // nothing is undone, as if the process were killed
		_, _ = backup.Restore(t.Context(), into.Installation, path, "", func(ctx context.Context) error {
			_, err := backup.Restore(ctx, into.Installation, path, "", nil)
			if !errors.Is(err, backup.ErrTargetNotEmpty) {
				t.Errorf("a second restore meanwhile: %v, want %v", err, backup.ErrTargetNotEmpty)
			}
			panic("killed")
		})
	}()
	modules := []migrations.Line{choir}
	err := migrations.Check(t.Context(), into.Pool(t), modules)
	if !errors.Is(err, migrations.ErrRestoreUnfinished) {
		t.Errorf("a start on half a restore: %v, want %v", err, migrations.ErrRestoreUnfinished)
	}
	_, err = migrations.Apply(t.Context(), migrations.Options{Connect: into.Connect, Modules: modules})
	if !errors.Is(err, migrations.ErrRestoreUnfinished) {
		t.Errorf("migrations on half a restore: %v, want %v", err, migrations.ErrRestoreUnfinished)
	}
	_, err = backup.Restore(t.Context(), into.Installation, other, "", nil)
	if !errors.Is(err, backup.ErrTargetNotEmpty) {
		t.Errorf("another file into half a restore: %v, want %v", err, backup.ErrTargetNotEmpty)
	}
	if _, err := backup.Restore(t.Context(), into.Installation, path, "", nil); err != nil {
		t.Fatalf("the same file again: %v: %v", err, causes(err))
	}
	if got, want := into.rows(), p.rows(); !maps.Equal(got, want) {
		t.Errorf("restored rows\n%v, want\n%v", got, want)
	}
}

// TestFailedCreate: an unfinished backup does not get its final name, and the next run works without cleaning
// up.
func TestFailedCreate(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a backup for each step that fails")
	}
	t.Parallel()
	p := installed(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "sunday.backup")
	good := p.Buckets[0].Store
	p.Buckets[0].Store = denied{good}
	if _, err := backup.Create(t.Context(), p.Installation, path, backup.CreateOptions{}); !errors.Is(
		err,
		storage.ErrAccessDenied,
	) {
		t.Errorf("create without the right to read objects: %v, want %v", err, storage.ErrAccessDenied)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v; want nothing", left, err)
	}
	killed := filepath.Join(folder, ".sunday.backup.partial")
	if err := os.WriteFile(killed, []byte("of a killed run"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.Buckets[0].Store = good
	if _, err := backup.Create(t.Context(), p.Installation, path, backup.CreateOptions{}); err != nil {
		t.Fatalf("create: %v: %v", err, causes(err))
	}
	if _, err := backup.Check(t.Context(), path, ""); err != nil {
		t.Errorf("check: %v", err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 2 {
		t.Errorf("in the folder: %v, %v; want the backup and its list alone", left, err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p.Buckets[0].Store = denied{good}
	_, _ = backup.Create(t.Context(), p.Installation, path, backup.CreateOptions{})
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("a run that failed has changed the file that was there, %v", err)
	}
}

type denied struct{ backup.Store }

func (denied) List(context.Context, string, string, int) (storage.Page, error) {
	return storage.Page{}, storage.ErrAccessDenied
}

// TestTrialDatabase: for a user who may not create databases, the error contains the statement that allows
// it, and nothing is left. The scratch database of a killed run is dropped by the next run.
func TestTrialDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("restores several times")
	}
	p := installed(t)
	path, _ := p.create(backup.CreateOptions{})
	p.Exec(t, `CREATE DATABASE scratch_aaaaaaaaaaaa`)
	p.Exec(t, `CREATE ROLE scratch_aaaaaaaaaaaa_module_choir`)
	p.Exec(t, `CREATE ROLE scratch_bbbbbbbbbbbb_module_choir`) // of a run that was killed between the two drops
	const another = "scratch_cccccccccccc"                     // of another installation's run in progress
	p.Exec(t, `CREATE DATABASE `+another)
	elsewhere := databasetest.Empty(t).Pool(t)
	hold, err := elsewhere.Acquire(t.Context())
	if err == nil {
		defer hold.Release()
		_, err = hold.Exec(t.Context(), `SELECT pg_advisory_lock(hashtext($1))`, another)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Verify(t.Context(), p.Installation, path, "", nil); err != nil {
		t.Errorf("verify beside what a killed one has left: %v: %v", err, causes(err))
	}
	if left := p.trials(); !slices.Equal(left, []string{another}) {
		t.Errorf("left behind: %v, want what is under way alone", left)
	}
	p.Exec(t, `DROP DATABASE `+another)
	err = backup.Clone(t.Context(), p.Installation, func(ctx context.Context, made backup.Scratch) error {
		if left := p.trials(); len(left) == 0 || made.Manifest.Rows() == 0 ||
			made.Connect.Database == p.Settings.Name {
			t.Errorf("a clone: %v, %d rows, in %s", left, made.Manifest.Rows(), made.Connect.Database)
		}
		return context.Canceled
	})
	if left := p.trials(); !errors.Is(err, context.Canceled) || len(left) > 0 {
		t.Errorf("after a clone: %v, left behind %v", err, left)
	}
	p.Exec(t, `CREATE ROLE humble LOGIN PASSWORD 'humble' IN ROLE pg_read_all_data`)
	defer p.Exec(t, `DROP OWNED BY humble; DROP ROLE humble`)
	p.Exec(t, `GRANT USAGE ON SCHEMA core TO humble; GRANT INSERT ON core.backup_run TO humble;
		GRANT CONNECT ON DATABASE `+p.Settings.Name+` TO humble`)
	humble := p.Installation
	humble.Connect = p.Connect.Copy()
	humble.Connect.User, humble.Connect.Password = "humble", "humble"
	_, err = backup.Verify(t.Context(), humble, path, "", nil)
	if !errors.Is(err, backup.ErrScratch) {
		t.Errorf("verify without the right to create databases: %v, want %v", err, backup.ErrScratch)
	}
	p.Exec(t, `ALTER ROLE humble CREATEDB`)
	if _, err = backup.Verify(t.Context(), humble, path, "", nil); !errors.Is(err, backup.ErrScratch) {
		t.Errorf("verify without the right to create roles: %v, want %v", err, backup.ErrScratch)
	}
	if left := p.trials(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
