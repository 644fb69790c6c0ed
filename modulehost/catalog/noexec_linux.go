package catalog

import "golang.org/x/sys/unix"

// forbidsPrograms reports whether the file is on a volume that is mounted with noexec, from which nobody can
// start a program.
func forbidsPrograms(path string) bool {
	var volume unix.Statfs_t
	return unix.Statfs(path, &volume) == nil && volume.Flags&unix.ST_NOEXEC != 0
}
