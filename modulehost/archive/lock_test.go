package archive_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/archive"
)

// TestWaitIsBounded checks a wait for a lock that another process holds: for ever, or for a while.
func TestWaitIsBounded(t *testing.T) {
	t.Parallel()
	files := small(t, "people", "1.0.0")
	path, dir := pack(t, files), t.TempDir()
	writeTree(t, filepath.Join(dir, "people"), files)
	other, err := os.Open(dir)
	must(t, err)
	defer other.Close()
	must(t, unix.Flock(int(other.Fd()), unix.LOCK_EX))
	synctest.Test(t, func(t *testing.T) {
		for name, run := range map[string]func() error{
			"install": func() error { _, err := archive.Install(dir, path, platform, archive.Checks{}); return err },
			"remove":  func() error { return archive.Remove(dir, "people") },
		} {
			began := time.Now()
			if err := run(); !errors.Is(err, archive.ErrUnderWay) {
				t.Errorf("%v: run: error %v, want %v", name, err, archive.ErrUnderWay)
			}
			if waited := time.Since(began); waited < archive.LockWait || waited > archive.LockWait+time.Second {
				t.Errorf("%s waited %v for the lock, want %v", name, waited, archive.LockWait)
			}
		}
		assertInstalled(t, dir, files)
		go func() {
			time.Sleep(archive.LockWait / 2)
			must(t, unix.Flock(int(other.Fd()), unix.LOCK_UN))
		}()
		if _, err := archive.Install(dir, path, platform, archive.Checks{}); err != nil {
			t.Errorf("install after the lock was released: %v", err)
		}
	})
	assertInstalled(t, dir, files)
}

// TestConcurrentInstallsKeepTheHighestVersion installs rising versions from several processes and goroutines
// at once. The highest version is installed in the end.
func TestConcurrentInstallsKeepTheHighestVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const versions = 8
	var installs sync.WaitGroup
	for n := range versions {
		path := pack(t, small(t, "people", fmt.Sprintf("1.%d.0", n+1)))
		installs.Go(func() {
			if n%2 == 0 {
				if out, err := child(t, "install", []string{dir, path}).CombinedOutput(); err != nil &&
					!isDowngrade(string(out)) {
					t.Errorf("install in a child process: %v, want success or a downgrade refused; output %s",
						err, out)
				}
			} else if _, err := archive.Install(dir, path, platform, archive.Checks{}); err != nil &&
				!errors.Is(err, archive.ErrDowngrade) {
				t.Error(err)
			}
		})
	}
	installs.Wait()
	assertInstalled(t, dir, small(t, "people", fmt.Sprintf("1.%d.0", versions)))
}

// TestModuleExistsWhileItIsReplaced checks that a module exists at every moment while it is replaced again
// and again.
func TestModuleExistsWhileItIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := pack(t, small(t, "people", "1.0.0"))
	_, err := archive.Install(dir, path, platform, archive.Checks{})
	must(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 200 {
			if _, err := archive.Install(dir, path, platform, archive.Checks{}); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for module := filepath.Join(dir, "people"); ; {
		var stat unix.Stat_t // no allocation, so that the garbage collector does not pause the loop
		if err := unix.Stat(module, &stat); err != nil {
			t.Errorf("the module is not there: %v", err)
			break
		}
		select {
		case <-done:
			return
		default:
		}
	}
	<-done
}

func isDowngrade(out string) bool { return len(out) > 17 && out[:17] == "PACKAGE_DOWNGRADE" }
