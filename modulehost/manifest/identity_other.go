//go:build unix && !linux

package manifest

import (
	"io/fs"
	"syscall"
)

// identityOf answers also the number of names that the file has. The systems disagree on the name of
// ctime's field, so that development there goes by mtime.
func identityOf(info fs.FileInfo) (Identity, uint64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Identity{}, 0
	}
	return Identity{
		Device: uint64(stat.Dev), Inode: uint64(stat.Ino), Size: info.Size(), Changed: info.ModTime().UnixNano(),
	}, uint64(stat.Nlink)
}
