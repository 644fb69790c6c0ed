// Package link implements the communication between host and module: framed calls over one inherited socket
// (docs/link.md).
//
// A link has two ends. A Client makes calls, Serve serves them, and nothing is ever sent the other way round.
// A module has two links, one on which the host makes calls and one on which the module makes them, so
// neither direction can block the other. docs/link.md describes the bytes for authors of other SDKs.
//
// A link either works or is lost. Anything unexpected (a frame that breaks the rules, a write that takes
// longer than two seconds, an end of stream) loses it: the socket is closed and every call in progress
// returns ErrLost. A link cannot be repaired: after a part of a frame the following bytes have no meaning.
package link

import (
	"io"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Method identifies the method of a call. The users of a link define the numbers; for modules they are
// abi.Method.
type Method uint8

// MaxMessage is the largest payload of a frame in bytes: 1.25 MiB, so that a page or snapshot of 1 MiB fits
// with its envelope.
const MaxMessage = 1280 << 10

const (
	// writeWithin bounds one write. A peer that reads nothing for so long has stopped.
	writeWithin = 2 * time.Second
	// socketBuffer is large enough for a whole batch of large frames to be sent with one write that does not
	// block.
	socketBuffer = 1 << 20
	// keptBuffer is the largest buffer that is kept for reuse, so that a rare large frame does not occupy memory
	// as long as the link lasts.
	keptBuffer = 256 << 10
)

// enlarge requests large buffers of a socket, and returns it; nil if stream is none. The kernel may grant
// less, which costs only speed.
func enlarge(stream io.Writer) syscall.RawConn {
	socket, ok := stream.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, socketBuffer)
		_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUF, socketBuffer)
	})
	return raw
}
