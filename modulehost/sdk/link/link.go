// Package link owns how host and module talk: framed calls over one inherited socket (docs/link.md).
//
// A link has two ends. A Client calls, Serve answers; nothing else ever travels the other way. A module has
// two links, one on which the host calls and one on which the module calls, so neither direction can hold
// up the other. docs/link.md describes the bytes for authors of other SDKs.
//
// A link either works or is lost. Anything unexpected (a frame that breaks the rules, a write that takes
// longer than two seconds, an end of stream) loses it: the socket is closed and every call in flight
// returns ErrLost. There is no repair: once half a frame is out, the bytes that follow mean nothing.
package link

import (
	"net"
	"time"
)

// Method says which call a frame carries. The numbers belong to the two that talk; for modules they are
// abi.Method.
type Method uint8

// MaxMessage is the largest payload of a frame in bytes: 1.25 MiB, so that a page or
// snapshot of 1 MiB fits with its envelope.
const MaxMessage = 1280 << 10

const (
	// writeWithin bounds one write. A peer that takes nothing for so long has stopped.
	writeWithin = 2 * time.Second
	// socketBuffer lets a whole batch of frames leave with one write (measured: 64 KiB stalls at three large
	// frames).
	socketBuffer = 1 << 20
	// keptBuffer is the largest buffer that is kept for reuse, so that a rare large frame does not hold memory
	// as long as the link lasts.
	keptBuffer = 256 << 10
)

// enlarge asks for large socket buffers. The kernel may grant less; that costs speed, not correctness.
func enlarge(conn net.Conn) {
	if unix, ok := conn.(*net.UnixConn); ok {
		_ = unix.SetReadBuffer(socketBuffer)
		_ = unix.SetWriteBuffer(socketBuffer)
	}
}
