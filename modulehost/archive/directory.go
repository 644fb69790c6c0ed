package archive

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/catalog"
)

// LockWait is how long Install and Remove wait for each other: 10 s.
const LockWait = 10 * time.Second

// lockPause is the time between two attempts to lock, because flock itself has no deadline.
const lockPause = 50 * time.Millisecond

// Unfinished work has one of these prefixes and a random rest. Discovery ignores names that begin with a
// dot.
const (
	installingPrefix = ".installing-"
	removingPrefix   = ".removing-"
)

// directory is the modules directory, opened once and locked. Until close, nobody else changes it through
// this package, and every change is made relative to the open directory.
type directory struct {
	path string // absolute
	root *os.Root
	self *os.File // the same directory, to be locked and synced
}

// openDirectory waits up to LockWait for the lock, then deletes what killed runs have left behind.
func openDirectory(path string) (*directory, error) {
	if strings.TrimSpace(path) == "" {
		return nil, catalog.ErrDirectoryInvalid
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, catalog.ErrDirectoryUnreadable
	}
	info, err := os.Stat(path)
	if errors.Is(err, syscall.ENOTDIR) || err == nil && !info.IsDir() {
		return nil, catalog.ErrDirectoryInvalid
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, catalog.ErrDirectoryUnreadable
	}
	self, err := root.Open(".")
	if err != nil {
		_ = root.Close()
		return nil, catalog.ErrDirectoryUnreadable
	}
	d := &directory{path: path, root: root, self: self}
	if err := d.lock(); err != nil {
		d.close()
		return nil, err
	}
	d.deleteLeftovers()
	return d, nil
}

// close also releases the lock.
func (d *directory) close() {
	_ = d.self.Close()
	_ = d.root.Close()
}

func (d *directory) lock() error {
	for deadline := time.Now().Add(LockWait); ; time.Sleep(lockPause) {
		err := unix.Flock(int(d.self.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return unwritable(err)
		}
		if !time.Now().Before(deadline) {
			return ErrUnderWay
		}
	}
}

// deleteLeftovers ignores errors, because leftovers do no harm.
func (d *directory) deleteLeftovers() {
	names, err := d.self.Readdirnames(-1)
	if err != nil {
		return
	}
	for _, name := range names {
		if strings.HasPrefix(name, installingPrefix) || strings.HasPrefix(name, removingPrefix) {
			_ = d.root.RemoveAll(name)
		}
	}
}

// hiddenName returns a new name that discovery ignores.
func hiddenName(prefix string) string { return prefix + strings.ToLower(rand.Text()) }

// has reports whether discovery would treat the name as a module: a folder, a link to one, or a broken link.
func (d *directory) has(id string) (bool, error) {
	entry, err := d.root.Lstat(id)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, unwritable(err)
	}
	if entry.Mode()&fs.ModeSymlink == 0 {
		return entry.IsDir(), nil
	}
	// the link may lead to a folder outside the modules directory
	target, err := os.Stat(filepath.Join(d.path, id))
	return err != nil || target.IsDir(), nil
}

// sync writes the directory's entries to the disk.
func (d *directory) sync() error {
	if err := d.self.Sync(); err != nil {
		return unwritable(err)
	}
	return nil
}
