package backup_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"filippo.io/age"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/services/backup"
)

// TestRoundTrip: after a restore all rows and bytes are the same as before the backup, plain and encrypted.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	from := installed(t)
	want := from.rows()
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	keyFile := filepath.Join(t.TempDir(), "key.txt")
	if err := os.WriteFile(keyFile, []byte(key.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		recipients []string
		identity   string
	}{
		"plain":     {},
		"encrypted": {[]string{key.Recipient().String()}, keyFile},
	} {
		t.Run(name, func(t *testing.T) {
			path, m := from.create(backup.CreateOptions{Recipients: c.recipients})
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the file has mode %v, %v; want 0600", info.Mode(), err)
			}
			into := empty(t)
			restored, err := backup.Restore(t.Context(), into.Installation, path, c.identity, nil)
			if err != nil {
				t.Fatalf("restore: %v: %v", err, causes(err))
			}
			if !reflect.DeepEqual(m, restored) {
				t.Errorf("the manifest is\n%+v, want\n%+v", restored, m)
			}
			if got := into.rows(); !maps.Equal(got, want) {
				t.Errorf("restored rows\n%v, want\n%v", got, want)
			}
			if !reflect.DeepEqual(into.pictures.objects, from.pictures.objects) {
				t.Errorf("restored %d objects, want the same %d", len(into.pictures.objects), len(from.pictures.objects))
			}
			if err := migrations.Check(t.Context(), into.Pool(t), []migrations.Line{choir}); err != nil {
				t.Errorf("the platform would not start: %v", err)
			}
			into.Exec(t, `INSERT INTO module_choir.singer (label) VALUES ('one more')`) // sequence and trigger work
			if c.recipients != nil {
				if _, err := backup.Check(t.Context(), path, ""); !errors.Is(err, backup.ErrInvalid) {
					t.Errorf("check without the key: %v, want %v", err, backup.ErrInvalid)
				}
			}
		})
	}
}

// TestNoRowPointsToOneThatIsOmitted: otherwise the backup could not be restored.
func TestNoRowPointsToOneThatIsOmitted(t *testing.T) {
	t.Parallel()
	var pointing []string
	if err := installed(t).Pool(t).QueryRow(t.Context(), `
		SELECT coalesce(array_agg(DISTINCT source.relname::text), '{}')
		FROM pg_constraint c
		JOIN pg_class source ON source.oid = c.conrelid
		JOIN pg_class target ON target.oid = c.confrelid
		WHERE c.contype = 'f' AND target.relnamespace = 'core'::regnamespace
			AND target.relname = ANY ($1) AND source.relname <> ALL ($1)`, backup.Omitted,
	).Scan(&pointing); err != nil {
		t.Fatal(err)
	}
	if len(pointing) > 0 {
		t.Errorf("%v have foreign keys to tables without rows in a backup", pointing)
	}
}

// TestVerify: the backup is restored into a scratch database. The installation keeps its rows and records the
// result.
func TestVerify(t *testing.T) {
	p := installed(t)
	want := p.rows()
	path, _ := p.create(backup.CreateOptions{})
	if _, err := backup.Verify(t.Context(), p.Installation, path, "", []migrations.Line{choir}); err != nil {
		t.Fatalf("verify: %v: %v", err, causes(err))
	}
	if got := p.rows(); !maps.Equal(got, want) {
		t.Errorf("after verify the rows are\n%v, want\n%v", got, want)
	}
	var good, bad int
	read := func() {
		t.Helper()
		if err := p.Pool(t).QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE verdict IS NULL),
			count(*) FILTER (WHERE verdict = 'BACKUP_INVALID') FROM core.backup_run`).Scan(&good, &bad); err != nil {
			t.Fatal(err)
		}
	}
	if read(); good != 1 || bad != 0 {
		t.Errorf("verdicts: %d good, %d bad; want 1, 0", good, bad)
	}
	damage(t, path, 700)
	if _, err := backup.Verify(t.Context(), p.Installation, path, "", nil); !errors.Is(err, backup.ErrInvalid) {
		t.Errorf("verify of a damaged file: %v, want %v", err, backup.ErrInvalid)
	}
	if read(); good != 1 || bad != 1 {
		t.Errorf("verdicts: %d good, %d bad; want 1, 1", good, bad)
	}
	if left := p.trials(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// damage changes one byte.
func damage(t *testing.T, path string, at int64) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1)
	if _, err := file.ReadAt(b, at); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 0x20
	if _, err := file.WriteAt(b, at); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
