package link

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Stream is a body socket of the operating system: a net.Conn, or an *os.File that is not in blocking mode.
type Stream interface {
	io.ReadWriteCloser
	SetReadDeadline(t time.Time) error
	SetWriteDeadline(t time.Time) error
}

// Socket is one end of a body socket. Each direction carries one body at a time.
type Socket struct {
	descriptor uint32
	stream     Stream

	reading    sync.Mutex // in the module: held until the last request's body is read to its ending
	readUntil  time.Time  // the read deadline that is currently set
	writeUntil time.Time
	in         heads
	lane       *lane           // nil: there is none
	raw        syscall.RawConn // nil: stream is not a socket
}

// NewSocket takes over a stream; descriptor is its number in the module's process.
func NewSocket(descriptor int, stream Stream) *Socket {
	return &Socket{descriptor: uint32(descriptor), stream: stream, raw: enlarge(stream)}
}

// NewBodyStream takes over the descriptor of a body socket in a module's process. It fails if there is none.
func NewBodyStream(descriptor int) (Stream, error) {
	if err := unix.SetNonblock(descriptor, true); err != nil { // otherwise the runtime's poller refuses it
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(descriptor), "body"), nil
}

// Descriptor returns the socket's number in the module's process.
func (s *Socket) Descriptor() uint32 { return s.descriptor }

var longAgo = time.Unix(1, 0)

// read makes one read. It lasts until due (zero: no deadline) or until ended returns an error (nil: never);
// ended is called after every wake-up. The stream's own deadline only causes a wake-up. It stays set from one
// body to the next and is moved when it has passed, because moving it for every piece costs more than the
// piece.
func (s *Socket) read(p []byte, due time.Time, ended func() error) (int, error) {
	for {
		if rearm(&s.readUntil, due) {
			_ = s.stream.SetReadDeadline(due)
		}
		if err := over(time.Time{}, ended); err != nil {
			return 0, err
		}
		n, err := s.stream.Read(p)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if err := over(due, ended); err != nil {
			return 0, err
		}
		s.readUntil = time.Time{}
		_ = s.stream.SetReadDeadline(time.Time{})
	}
}

// write returns how many bytes of p were written; otherwise it is like read.
func (s *Socket) write(p []byte, due time.Time, ended func() error) (written int, err error) {
	for {
		if rearm(&s.writeUntil, due) {
			_ = s.stream.SetWriteDeadline(due)
		}
		if err := over(time.Time{}, ended); err != nil {
			return written, err
		}
		n, err := s.stream.Write(p[written:])
		written += n
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return written, err
		}
		if err := over(due, ended); err != nil {
			return written, err
		}
		s.writeUntil = time.Time{}
		_ = s.stream.SetWriteDeadline(time.Time{})
	}
}

// rearm sets the stored deadline to due, and returns true, if it is later than due, has passed or is not set.
func rearm(until *time.Time, due time.Time) bool {
	switch {
	case due.IsZero(), !until.IsZero() && !until.After(due) && until.After(time.Now()):
		return false
	}
	*until = due
	return true
}

func over(due time.Time, ended func() error) error {
	if ended != nil {
		if err := ended(); err != nil {
			return err
		}
	}
	if !due.IsZero() && !time.Now().Before(due) {
		return context.DeadlineExceeded
	}
	return nil
}

// wakeOn wakes a blocked read or write when ctx ends, so that it checks ctx. It may leave behind a deadline
// in the past, which is only a wake-up for the next user, too.
func (s *Socket) wakeOn(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, s.wake)
}

func (s *Socket) wake() {
	_ = s.stream.SetReadDeadline(longAgo)
	_ = s.stream.SetWriteDeadline(longAgo)
}

// Close closes this end.
func (s *Socket) Close() { _ = s.stream.Close() }
