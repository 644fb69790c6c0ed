package databasetest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// TestPreparedData: test processes that find no archive at the same time all work and leave one. One that
// finds a damaged archive, or somebody else's, works too and replaces it.
func TestPreparedData(t *testing.T) {
	if testing.Short() {
		t.Skip("makes the data of four servers")
	}
	t.Parallel()
	caches := t.TempDir()
	run := func() {
		process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestE", "-test.short")
		process.Env = append(os.Environ(), "XDG_CACHE_HOME="+caches)
		if said, err := process.CombinedOutput(); err != nil {
			t.Errorf("a test process: %v, want success; it says %s", err, said)
		}
	}
	archive := func() (path string, size int64) {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(caches, "*", "*"))
		if err != nil || len(found) != 1 || filepath.Ext(found[0]) != ".tar" {
			t.Fatalf("in the cache folder are %v, want one archive; error %v", found, err)
		}
		info, err := os.Stat(found[0])
		if err != nil {
			t.Fatal(err)
		}
		return found[0], info.Size()
	}
	var processes sync.WaitGroup
	for range 2 {
		processes.Go(run)
	}
	processes.Wait()
	path, size := archive()

	if err := os.Truncate(path, size/2+1); err != nil {
		t.Fatal(err)
	}
	run()
	if _, got := archive(); got < size*9/10 {
		t.Errorf("after a damaged archive it has %d bytes, want about %d", got, size)
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Chown(path, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	run()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; owner != 0 {
		t.Errorf("the archive belongs to user %d, want one that was made again", owner)
	}
}
