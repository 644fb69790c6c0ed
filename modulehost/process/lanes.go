package process

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

const lanesBytes = link.MaxLanes * link.LaneBytes

// lanes is the memory that the host shares with one child for long bodies. The host creates it, and seals its
// size before the child gets it: if the child could shorten it, the host's next access would be a SIGBUS. A
// page exists from the first write to it, is not counted as data of any process, and belongs to this child
// only, so the number of lanes is bounded and no other child ever maps them.
type lanes struct {
	file   *os.File
	memory *link.LaneMemory
	lent   bool // memory belongs to link.Bodies, which frees it
}

// lanes returns nil if this kernel has no such memory; bodies then use only the sockets.
func (d *descriptors) lanes() (*lanes, *os.File) {
	fd, err := unix.MemfdCreate("bodies", unix.MFD_CLOEXEC|unix.MFD_NOEXEC_SEAL)
	if err == unix.EINVAL { // Linux before 6.3
		fd, err = unix.MemfdCreate("bodies", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err != nil {
		return nil, nil
	}
	far := d.keep(os.NewFile(uintptr(fd), ""))
	if seal(fd) != nil {
		return nil, nil
	}
	near, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, nil
	}
	l := &lanes{file: os.NewFile(uintptr(near), "")}
	mapped, err := unix.Mmap(fd, 0, lanesBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		_ = l.file.Close()
		return nil, nil
	}
	l.memory = &link.LaneMemory{Bytes: mapped, Empty: l.empty, Free: func() { _ = unix.Munmap(mapped) }}
	return l, far
}

// seal fixes the memory's size and makes it non-executable.
func seal(fd int) error {
	err := unix.Fchmod(fd, 0o600)
	if err == nil {
		err = unix.Ftruncate(fd, lanesBytes)
	}
	if err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL)
	}
	return err
}

// empty releases all pages.
func (l *lanes) empty() {
	raw, err := l.file.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.Fallocate(int(fd), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, lanesBytes)
	})
}

// offeredLanes returns how many of the body sockets may have a lane.
func (c *child) offeredLanes() uint32 {
	if c.lanes == nil {
		return 0
	}
	return link.MaxLanes
}

// useLanes is called when the module has registered that it uses lanes.
func (c *child) useLanes() {
	if c.lanes != nil {
		c.lanes.lent = true
		c.bodies.Share(c.lanes.memory)
	}
}

// close must be called after link.Bodies.Close.
func (l *lanes) close() {
	if l == nil {
		return
	}
	if !l.lent {
		l.memory.Free()
	}
	_ = l.file.Close()
}
