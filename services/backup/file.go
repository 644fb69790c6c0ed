package backup

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// newFile is a file that is written under the temporary name ".<name>.partial", which only its owner may
// read. If the process is killed, the next run with the same name overwrites it.
type newFile struct {
	*os.File
	path string
}

const notWritten = "The file could not be written; check its folder, and whether the disk is full."

func createFile(path string) (*newFile, error) {
	if there, err := os.Lstat(path); err == nil && !there.Mode().IsRegular() {
		return nil, fail(
			ErrFailed,
			"That name is taken by something that is not a regular file; choose another name.",
			nil,
		)
	}
	partial := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".partial")
	file, err := os.OpenFile(partial, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fail(ErrFailed, notWritten, err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		return nil, fail(ErrFailed, "Another run is writing this backup.", err)
	}
	if err := errors.Join(file.Chmod(0o600), file.Truncate(0)); err != nil {
		_ = file.Close()
		return nil, fail(ErrFailed, notWritten, err)
	}
	return &newFile{file, path}, nil
}

// publish writes the file to the disk and then renames it to its final name, replacing an older file.
func (f *newFile) publish() error {
	if err := f.Sync(); err != nil {
		return fail(ErrFailed, notWritten, errors.Join(err, f.discard()))
	}
	if err := os.Rename(f.Name(), f.path); err != nil {
		return fail(ErrFailed, notWritten, errors.Join(err, f.discard()))
	}
	if err := errors.Join(f.Close(), syncFolder(filepath.Dir(f.path))); err != nil {
		return fail(ErrFailed, notWritten, err)
	}
	return nil
}

// discard removes the unfinished file.
func (f *newFile) discard() error { return errors.Join(os.Remove(f.Name()), f.Close()) }

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
