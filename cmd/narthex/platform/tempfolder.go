package platform

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// temporaryFolder creates a folder for one run of a command; remove deletes it. It first deletes the folders
// of killed runs, which nobody has locked any more.
func temporaryFolder() (path string, remove func() error, err error) {
	const prefix = "narthex-run-"
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	for _, folder := range left {
		if lock, err := lockFolder(folder); err == nil {
			_ = os.RemoveAll(folder)
			_ = lock.Close()
		}
	}
	for range 5 { // another run may delete a new folder that has no lock yet
		if path, err = os.MkdirTemp("", prefix); err != nil {
			return "", nil, err
		}
		var lock *os.File
		if lock, err = lockFolder(path); err == nil {
			return path, func() error { return errors.Join(os.RemoveAll(path), lock.Close()) }, nil
		}
		_ = os.RemoveAll(path)
	}
	return "", nil, err
}

// lockFolder fails if another process holds the lock, or if the path is not a folder of this user.
func lockFolder(path string) (*os.File, error) {
	folder, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	var info syscall.Stat_t
	if err = syscall.Fstat(int(folder.Fd()), &info); err == nil && int(info.Uid) != os.Geteuid() {
		err = syscall.EPERM
	}
	if err == nil {
		err = syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		_ = folder.Close()
		return nil, err
	}
	return folder, nil
}
