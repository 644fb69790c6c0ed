package link

import (
	"errors"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// blocking is a socket on which a thread waits in the kernel instead of in the runtime's poller. Arriving
// bytes wake only that thread, and a goroutine that reads, serves and writes stays on it (measured: this
// saves a fifth of a lone call's time). It needs a thread, so it is only for a module's own process. It has
// no read deadline, and only one writer at a time is allowed.
type blocking struct {
	*unpolled
	until time.Time // the deadline for writes

	// for the wait of Read
	events [1]unix.PollFd
	wait   func(fd uintptr) bool
	err    error
}

// NewBlocking takes over a descriptor for ServeCalls in a module's process: the goroutine that reads waits in
// the kernel. It fails if the descriptor is not a socket.
func NewBlocking(descriptor int) (net.Conn, error) {
	for _, option := range []int{unix.SO_RCVBUF, unix.SO_SNDBUF} {
		if err := unix.SetsockoptInt(descriptor, unix.SOL_SOCKET, option, socketBuffer); err != nil {
			return nil, err
		}
	}
	u, err := newUnpolled(descriptor, "link")
	if err != nil {
		return nil, err
	}
	b := &blocking{unpolled: u, events: [1]unix.PollFd{{Fd: int32(descriptor), Events: unix.POLLIN}}}
	b.wait = b.waitToRead
	return b, nil
}

// Read waits in poll(2), because a thread that waits in read(2) is also woken whenever the peer receives
// something (measured: 1.05 of a lone call's processor time).
func (b *blocking) Read(p []byte) (int, error) {
	for {
		n, err := b.receiver.read(p)
		if err != unix.EAGAIN {
			return n, err
		}
		if err := errors.Join(b.raw.Read(b.wait), b.err); err != nil {
			return 0, err
		}
	}
}

func (b *blocking) waitToRead(uintptr) bool {
	if _, b.err = unix.Poll(b.events[:], -1); b.err == unix.EINTR {
		b.err = nil
	}
	return true
}

// SetWriteDeadline sets the deadline of the next Write, which must have one.
func (b *blocking) SetWriteDeadline(until time.Time) error {
	b.until = until
	return nil
}

// Write waits at most until the deadline; then it returns os.ErrDeadlineExceeded and how many bytes were
// sent.
func (b *blocking) Write(p []byte) (written int, err error) {
	for {
		n, err := b.sender.write(p[written:])
		if written += n; written == len(p) || err != nil {
			return written, err
		}
		failed := b.raw.Write(func(fd uintptr) bool {
			err = waitToWrite(int(fd), time.Until(b.until))
			return true
		})
		if err := errors.Join(failed, err); err != nil {
			return written, err
		}
	}
}

func waitToWrite(fd int, within time.Duration) error {
	ready, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}},
		max(int(within.Milliseconds()), 0)+1)
	switch {
	case err == unix.EINTR:
		return nil
	case err == nil && ready == 0:
		return os.ErrDeadlineExceeded
	}
	return err
}

func (b *blocking) LocalAddr() net.Addr  { return &net.UnixAddr{Net: "unix"} }
func (b *blocking) RemoteAddr() net.Addr { return &net.UnixAddr{Net: "unix"} }
