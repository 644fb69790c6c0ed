package process

import (
	"net"
	"os"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// The descriptors that a module inherits, besides its output.
const (
	hostCallsDescriptor   = 3 // the host calls, the module serves
	moduleCallsDescriptor = 4 // the module calls, the host serves
	firstBodyDescriptor   = 5
	lanesDescriptor       = firstBodyDescriptor + bodySockets // memory
	// only for the launcher
	executableDescriptor = lanesDescriptor + 1 // O_PATH
	folderDescriptor     = lanesDescriptor + 2 // O_PATH
	cgroupDescriptor     = lanesDescriptor + 3 // cgroup.procs of its group
)

// descriptors are the files that a start passes to its child. The host closes its own copies right after the
// start, because the end of a stream arrives only when nobody else has the other end open. All are
// close-on-exec, so no other child inherits one.
type descriptors []*os.File

func (d *descriptors) close() {
	for _, file := range *d {
		_ = file.Close()
	}
}

func (d *descriptors) open(path string, flags int) (*os.File, error) {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return d.keep(os.NewFile(uintptr(fd), "")), nil
}

// socketpair returns the host's end as a connection, which the caller closes, and the child's end as a file.
func (d *descriptors) socketpair() (net.Conn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	near := os.NewFile(uintptr(fds[0]), "")
	far := d.keep(os.NewFile(uintptr(fds[1]), ""))
	defer near.Close() // FileConn has duplicated the descriptor
	conn, err := net.FileConn(near)
	return conn, far, err
}

// bodies makes the body sockets and stores the child's ends in far.
func (d *descriptors) bodies(far []*os.File) (*link.Bodies, error) {
	near := make([]*link.Socket, 0, len(far))
	for i := range far {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err == nil {
			far[i] = d.keep(os.NewFile(uintptr(fds[1]), ""))
			if err = unix.SetNonblock(fds[0], true); err != nil {
				_ = unix.Close(fds[0])
			}
		}
		if err != nil {
			link.NewBodies(near).Close()
			return nil, err
		}
		near = append(near, link.NewSocket(firstBodyDescriptor+i, os.NewFile(uintptr(fds[0]), "")))
	}
	bodies := link.NewBodies(near)
	bodies.WaitAtMost(deadlines.BodySocket)
	return bodies, nil
}

// pipe returns the host's end, which the caller closes, and the child's end.
func (d *descriptors) pipe() (read, write *os.File, err error) {
	if read, write, err = os.Pipe(); err != nil {
		return nil, nil, err
	}
	return read, d.keep(write), nil
}

func (d *descriptors) keep(file *os.File) *os.File {
	*d = append(*d, file)
	return file
}
