package storage

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/services/environment"
)

// SpoolState is what there is to say of the directory that objects pass through.
type SpoolState int

// The states. In the last two a module's files take memory that nobody has counted, or cannot be stored at
// all.
const (
	SpoolOnDisk SpoolState = iota
	SpoolInMemory
	SpoolUnusable
)

// Spool looks at the directory and changes nothing.
func Spool(settings environment.Storage) SpoolState {
	dir := settings.Spool
	if dir == "" {
		dir = os.TempDir()
	}
	var system unix.Statfs_t
	if unix.Access(dir, unix.W_OK|unix.X_OK) != nil || unix.Statfs(dir, &system) != nil {
		return SpoolUnusable
	}
	switch int64(system.Type) {
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC:
		return SpoolInMemory
	}
	return SpoolOnDisk
}
