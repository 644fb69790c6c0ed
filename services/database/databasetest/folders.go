package databasetest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const folderPrefix = "narthex-databasetest-"

// memoryFolder is Linux's file system in memory. Most of the time for a new database is spent creating its
// 300 files, which takes a quarter of the time in memory.
const memoryFolder = "/dev/shm"

// roomNeeded is more than the largest of the tests' clusters ever takes.
const roomNeeded = 4 << 30

// inMemory reports whether memoryFolder has room and lets this process write.
func inMemory() bool {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memoryFolder, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < roomNeeded {
		return false
	}
	probe, err := os.MkdirTemp(memoryFolder, folderPrefix)
	return err == nil && os.Remove(probe) == nil
}

// parents returns the folders in which servers' folders are made, the preferred one first.
func parents() []string {
	if inMemory() {
		return []string{memoryFolder, os.TempDir()}
	}
	return []string{os.TempDir()}
}

// sweep removes the folders of test processes that were killed. Their servers have ended with them. A folder
// whose lock is held is in use. Recent folders are kept, because they may not be locked yet.
func sweep() {
	var folders []string
	for _, parent := range parents() {
		found, _ := filepath.Glob(filepath.Join(parent, folderPrefix+"*"))
		folders = append(folders, found...)
	}
	for _, folder := range folders {
		info, err := os.Lstat(folder)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < 2*time.Minute {
			continue
		}
		lock, err := os.OpenFile(filepath.Join(folder, "server", "lock"), os.O_RDWR|syscall.O_NOFOLLOW, 0)
		if errors.Is(err, fs.ErrNotExist) { // the process was killed before its server was started
			_ = os.RemoveAll(folder)
		}
		if err != nil {
			continue
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(folder)
		}
		_ = lock.Close()
	}
}

// tools returns the folder in which .ci/postgresql puts a fetched server: .tools of the checkout that the
// tests run in.
func tools() string {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return filepath.Join(dir, ".tools")
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return ""
}
