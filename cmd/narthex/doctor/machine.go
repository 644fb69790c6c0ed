package doctor

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/services/environment"
)

// leastFree is the free space below which doctor warns: an upgrade needs some, and so do files on their way
// to the object storage.
const leastFree = 1 << 30

// disks checks the file systems that the platform itself uses.
func (e *Examination) disks() {
	if e.Sound&(environment.ModulesSection|environment.HostSection) == 0 {
		return
	}
	temporary := e.Settings.Storage.Spool
	if temporary == "" {
		temporary = os.TempDir()
	}
	least := int64(-1)
	for _, dir := range []string{e.Settings.Modules.Dir, temporary} {
		var system unix.Statfs_t
		if dir == "" || unix.Statfs(dir, &system) != nil {
			continue
		}
		if free := int64(system.Bavail) * system.Bsize; least < 0 || free < least {
			least = free
		}
	}
	switch {
	case least < 0:
	case least < leastFree:
		e.warn("DISK_ALMOST_FULL", fmt.Sprintf("A disk that the platform uses has %d MiB left; make room.",
			least>>20))
	default:
		e.ok("Disk: %d GiB free for modules and files on their way.", least>>30)
	}
}
