package manifest

import (
	"errors"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// openAttempts limits the retries: openat2 returns EAGAIN when a rename anywhere on the machine raced with
// its look-up.
const openAttempts = 16

// openBeneath lets the kernel resolve the path in one step, so that no part of it can be replaced meanwhile.
// If the kernel is older than 5.6 or a filter forbids the call, os.Root walks the path instead.
func openBeneath(p *Package, path string, flags int) (*os.File, error) {
	how := &unix.OpenHow{Flags: uint64(flags), Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS}
	var fd int
	err := error(unix.EAGAIN)
	for attempt := 0; attempt < openAttempts && (errors.Is(err, unix.EAGAIN) ||
		errors.Is(err, unix.EINTR)); attempt++ {
		fd, err = unix.Openat2(int(p.folder.Fd()), path, how)
	}
	runtime.KeepAlive(p)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		return openInRoot(p, path, flags)
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), ""), nil
}
