package backup_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"filippo.io/age"

	"github.com/narthex-platform/narthex/services/backup"
	"github.com/narthex-platform/narthex/services/randomtest"
)

// TestDamage: a changed byte anywhere in the file is detected, and so is a file that was truncated anywhere.
func TestDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the backup again for each damage")
	}
	t.Parallel()
	p := installed(t)
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	keyFile := filepath.Join(t.TempDir(), "key.txt")
	if err := os.WriteFile(keyFile, []byte(key.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		recipients []string
		changes    int
	}{
		"plain":     {nil, 1000},
		"encrypted": {[]string{key.Recipient().String()}, 100}, // age authenticates each of its chunks
	} {
		path, _ := p.create(backup.CreateOptions{Recipients: c.recipients})
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := filepath.Join(t.TempDir(), "changed")
		seed := randomtest.Seed(t)
		random := randomtest.New(seed, 0)
		check := func(what string, at int, content []byte, want ...error) {
			t.Helper()
			if err := os.WriteFile(changed, content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := backup.Check(t.Context(), changed, keyFile)
			for _, code := range want {
				if errors.Is(err, code) {
					return
				}
			}
			t.Errorf("%s file %s at byte %d of %d (seed %d): %v, want %v", name, what, at, len(whole), seed, err, want)
		}
		for range c.changes {
			at := random.IntN(len(whole))
			content := bytes.Clone(whole)
			content[at] ^= byte(1 + random.IntN(255))
			check("changed", at, content, backup.ErrInvalid, backup.ErrIncomplete)
		}
		for range c.changes / 10 {
			at := random.IntN(len(whole))
			check("cut", at, whole[:at], backup.ErrIncomplete, backup.ErrInvalid)
		}
		check("followed by a byte", len(whole), append(bytes.Clone(whole), 0), backup.ErrInvalid)
		check("followed by itself", len(whole), append(bytes.Clone(whole), whole...), backup.ErrInvalid)
	}
}

// TestBackupForAnotherKey checks the error for a backup that is encrypted for another key.
func TestBackupForAnotherKey(t *testing.T) {
	t.Parallel()
	p := installed(t)
	mine, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	other, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	keyFile := filepath.Join(t.TempDir(), "key.txt")
	if err := os.WriteFile(keyFile, []byte(other.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	path, _ := p.create(backup.CreateOptions{Recipients: []string{mine.Recipient().String()}})
	into := empty(t)
	for what, identity := range map[string]string{
		"another key": keyFile, "no key": "", "no file": keyFile + "x",
	} {
		if _, err := backup.Restore(t.Context(), into.Installation, path, identity, nil); !errors.Is(
			err,
			backup.ErrInvalid,
		) {
			t.Errorf("restore with %s: %v, want %v", what, err, backup.ErrInvalid)
		}
	}
	into.isEmpty()
}
