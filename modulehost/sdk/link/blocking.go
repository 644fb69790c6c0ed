package link

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// blocking is a socket on which a thread waits in the kernel instead of in the runtime's poller. Arriving
// bytes wake only that thread, and a goroutine that reads, serves and writes stays on it (measured: this
// saves a fifth of a lone call's time). It needs a thread, so it is only for a module's own process. It has
// no read deadline, and only one writer at a time is allowed.
type blocking struct {
	*os.File
	raw   syscall.RawConn
	until time.Time // the deadline for writes
}

// NewBlocking takes over a descriptor for ServeCalls in a module's process: the goroutine that reads waits in
// the kernel. It fails if the descriptor is not a socket.
func NewBlocking(descriptor int) (net.Conn, error) {
	for _, option := range []int{unix.SO_RCVBUF, unix.SO_SNDBUF} {
		if err := unix.SetsockoptInt(descriptor, unix.SOL_SOCKET, option, socketBuffer); err != nil {
			return nil, err
		}
	}
	if err := unix.SetNonblock(descriptor, false); err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(descriptor), "link")
	raw, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	return &blocking{File: file, raw: raw}, nil
}

// SetWriteDeadline sets the deadline of the next Write, which must have one.
func (b *blocking) SetWriteDeadline(until time.Time) error {
	b.until = until
	return nil
}

// Write waits at most until the deadline; then it returns os.ErrDeadlineExceeded and how many bytes were
// sent.
func (b *blocking) Write(p []byte) (written int, err error) {
	for written < len(p) && err == nil {
		failed := b.raw.Write(func(fd uintptr) bool {
			var n int
			n, err = sendNow(int(fd), p[written:])
			written += max(n, 0)
			if err == unix.EAGAIN {
				err = waitToWrite(int(fd), time.Until(b.until))
			}
			if err == unix.EINTR {
				err = nil
			}
			return true
		})
		err = errors.Join(failed, err)
	}
	return written, err
}

func waitToWrite(fd int, within time.Duration) error {
	ready, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}},
		max(int(within.Milliseconds()), 0)+1)
	if err == nil && ready == 0 {
		return os.ErrDeadlineExceeded
	}
	return err
}

// sendNow writes without waiting, although the descriptor is in blocking mode.
func sendNow(fd int, p []byte) (int, error) {
	return syscall.SendmsgN(fd, p, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
}

// Close also ends a Read in progress.
func (b *blocking) Close() error {
	_ = b.raw.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_RDWR) })
	return b.File.Close()
}

func (b *blocking) LocalAddr() net.Addr  { return &net.UnixAddr{Net: "unix"} }
func (b *blocking) RemoteAddr() net.Addr { return &net.UnixAddr{Net: "unix"} }
