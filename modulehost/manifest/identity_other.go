//go:build unix && !linux

package manifest

import (
	"io/fs"
	"syscall"
)

// identityOf returns the file's identity and its number of hard links. These systems do not agree on the
// name of the ctime field, so development on them uses mtime.
func identityOf(info fs.FileInfo) (Identity, uint64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Identity{}, 0
	}
	return Identity{
		Device: uint64(stat.Dev), Inode: uint64(stat.Ino), Size: info.Size(), Changed: info.ModTime().UnixNano(),
	}, uint64(stat.Nlink)
}
