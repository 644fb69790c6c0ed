package storage

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/supervisor/setting"
)

// SpoolState is the state of the directory for spooled objects.
type SpoolState int

// The states. With SpoolInMemory a module's files use memory that no limit counts. With SpoolUnusable they
// cannot be stored.
const (
	SpoolOnDisk SpoolState = iota
	SpoolInMemory
	SpoolUnusable
)

// Spool returns the state of the configured directory. It changes nothing.
func Spool(settings setting.Storage) SpoolState {
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
