package backup_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/backup"
	"github.com/narthex-platform/narthex/storage"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// TestFigures measures a backup, and for comparison pg_dump and a copy of the objects, which are 8 MiB each.
// FIGURES_MIB is the size of the database, and of the objects.
func TestFigures(t *testing.T) {
	size, err := strconv.Atoi(os.Getenv("FIGURES_MIB"))
	if err != nil {
		t.Skip("set FIGURES_MIB, such as 1024")
	}
	p := installed(t)
	for done := 0; done < size; done += 16 {
		p.Exec(t, `INSERT INTO module_choir.song (body)
			SELECT (SELECT string_agg(sha512((n || '.' || k)::bytea), '') FROM generate_series(1, 160) AS k)
			FROM generate_series($1::int * 100, ($1::int + 16) * 100 - 1) AS n`, done)
	}
	files := p.storeFiles(t, size)
	folder := t.TempDir()
	took := func(f func() error) time.Duration {
		t.Helper()
		began := time.Now()
		if err := f(); err != nil {
			t.Fatalf("%v: %v", err, causes(err))
		}
		return time.Since(began)
	}
	for range 3 {
		dump := took(func() error {
			command := exec.Command("pg_dump", "--format=custom", "--schema=module_choir",
				"--file="+filepath.Join(folder, "plain"))
			command.Env = append(os.Environ(), p.Programs...)
			return command.Run()
		})
		objects := took(func() error {
			for n, file := range files {
				if err := copyFile(file, filepath.Join(folder, "object"+strconv.Itoa(n))); err != nil {
					return err
				}
			}
			return nil
		})
		file := filepath.Join(folder, "made")
		create := took(func() error {
			_, err := backup.Create(t.Context(), p.Installation, file, backup.CreateOptions{})
			return err
		})
		peak := peakMemory(t)
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		check := took(func() error { _, err := backup.Check(t.Context(), file, ""); return err })
		copied := took(func() error { return copyFile(file, filepath.Join(folder, "copy")) })
		t.Logf("%d MiB and as much of objects: pg_dump %v, objects %v, create %v (%.2f of both), %d MiB, "+
			"check %v, copy %v, peak memory %d MiB", size, dump, objects, create,
			create.Seconds()/(dump+objects).Seconds(), info.Size()>>20, check, copied, peak>>10)
	}
	verify := took(func() error {
		_, err := backup.Verify(t.Context(), p.Installation, filepath.Join(folder, "made"), "", nil)
		return err
	})
	t.Logf("verify %v, peak memory %d MiB", verify, peakMemory(t)>>10)
}

// storeFiles replaces the bucket in memory by one in an object storage, with objects. It also writes the same
// content into files and returns their paths.
func (p *place) storeFiles(t *testing.T, size int) (files []string) {
	t.Helper()
	provider, err := storage.New(storagetest.New(t).Settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(provider.Close)
	bucket := provider.Bucket("choir", "pictures")
	p.Buckets = []backup.Bucket{{Module: "choir", Bucket: "pictures", Store: bucket}}
	content, source, folder := make([]byte, 8<<20), rand.NewChaCha8([32]byte{}), t.TempDir()
	for n := range size / 8 {
		_, _ = source.Read(content)
		name := fmt.Sprintf("picture%d", n)
		files = append(files, filepath.Join(folder, name))
		err := os.WriteFile(files[n], content, 0o600)
		if err == nil {
			_, err = bucket.Put(t.Context(), name, "image/jpeg", bytes.NewReader(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { _ = target.Close() }()
	if _, err := io.Copy(target, source); err != nil {
		return err
	}
	return target.Sync()
}

var peakLine = regexp.MustCompile(`VmHWM:\s+([0-9]+) kB`)

// peakMemory returns the process's peak memory so far, in KiB.
func peakMemory(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	match := peakLine.FindSubmatch(status)
	if err != nil || match == nil {
		t.Fatalf("the peak of the memory cannot be read: %v", err)
	}
	peak, _ := strconv.Atoi(string(match[1]))
	return peak
}
