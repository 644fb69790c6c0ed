package backup_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/backup"
)

// TestFigures measures a backup beside pg_dump alone. FIGURES_MIB is the size of the database.
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
		t.Logf("%d MiB: pg_dump %v, create %v (%.2f), %d MiB, check %v, copy %v, peak memory %d MiB",
			size, dump, create, create.Seconds()/dump.Seconds(), info.Size()>>20, check, copied, peak>>10)
	}
	verify := took(func() error {
		_, err := backup.Verify(t.Context(), p.Installation, filepath.Join(folder, "made"), "", nil)
		return err
	})
	t.Logf("verify %v, peak memory %d MiB", verify, peakMemory(t)>>10)
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

// peakMemory is the process's so far, in KiB.
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
