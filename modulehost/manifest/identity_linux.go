package manifest

import (
	"io/fs"
	"syscall"
)

// identityOf returns the file's identity and its number of hard links.
func identityOf(info fs.FileInfo) (Identity, uint64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Identity{}, 0
	}
	return Identity{Device: uint64(stat.Dev), Inode: stat.Ino, Size: stat.Size, Changed: stat.Ctim.Nano()},
		uint64(stat.Nlink)
}
