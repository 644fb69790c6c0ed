package backup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// newFile is a backup that is being written beside its name: ".<name>.partial", for its owner alone. A run
// that was killed leaves it, and the next run to the same name takes it over.
type newFile struct {
	*os.File
	path string
}

var (
	errExists  = fail(ErrFailed, "A file of that name exists; choose another name.", nil)
	errWritten = "The file could not be written; check its folder, and whether the disk is full."
)

func createFile(path string) (*newFile, error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil, errExists
	}
	partial := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".partial")
	file, err := os.OpenFile(partial, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fail(ErrFailed, errWritten, err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		return nil, fail(ErrFailed, "Another run is writing this backup.", err)
	}
	if err := errors.Join(file.Chmod(0o600), file.Truncate(0)); err != nil {
		_ = file.Close()
		return nil, fail(ErrFailed, errWritten, err)
	}
	return &newFile{file, path}, nil
}

// publish gives the file its name, when everything of it is on the disk.
func (f *newFile) publish() error {
	if err := f.Sync(); err != nil {
		return fail(ErrFailed, errWritten, errors.Join(err, f.discard()))
	}
	if _, err := os.Lstat(f.path); !errors.Is(err, fs.ErrNotExist) { // it came there meanwhile
		return errors.Join(errExists, f.discard())
	}
	if err := errors.Join(os.Rename(f.Name(), f.path), f.Close(), syncFolder(filepath.Dir(f.path))); err != nil {
		return fail(ErrFailed, errWritten, err)
	}
	return nil
}

// discard removes the unfinished name.
func (f *newFile) discard() error { return errors.Join(os.Remove(f.Name()), f.Close()) }

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
