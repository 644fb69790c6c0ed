package link

import (
	"errors"
	"io"
)

// A body socket may have a lane: memory that both ends have mapped (docs/link.md). The bytes of a long body
// are there, while the pieces on the socket give their lengths. Everything that affects the protocol is sent
// on the socket, so nothing in the memory is parsed. The other end may change the memory at any time, but
// that corrupts only its own bodies.

const (
	laneSlots = 4
	// SlotBytes is the most bytes of a shared piece. With fewer, smaller or larger slots a long body takes more
	// time.
	SlotBytes = 256 << 10
	// LaneBytes is the memory of one lane.
	LaneBytes = laneSlots * SlotBytes
	// MaxLanes is how many body sockets, the first ones, have a lane.
	MaxLanes = 8
	// returned is how many free slots one piece reports.
	returned = 2
)

// lane is one end's state of a lane. Each direction uses the slots in turn, across the ends of bodies. A
// sender counts the slots that are not free again; a receiver counts the free slots that it has not reported
// yet.
type lane struct {
	memory []byte

	next, used         int // for sending
	at, unreportedFree int // for receiving; unreportedFree is the number of free slots that are not reported yet
}

// Share gives the socket a lane in LaneBytes of memory. It must be called before the socket's first body.
func (s *Socket) Share(memory []byte) { s.lane = &lane{memory: memory} }

func (l *lane) slot(n int) []byte { return l.memory[n*SlotBytes : (n+1)*SlotBytes : (n+1)*SlotBytes] }

// room waits until there is a free slot and returns it. in and from read from the other end.
func (l *lane) room(in *heads, from io.Reader) ([]byte, error) {
	for l.used == laneSlots {
		if err := in.fill(from); err != nil {
			return nil, err
		}
		kind, n := in.head()
		switch {
		case kind != pieceFreed:
			return nil, errAnswered // the head stays for the reader of the body
		case !l.free(n):
			return nil, lost(errPiece)
		}
		in.have = 0
	}
	return l.slot(l.next), nil
}

var errAnswered = errors.New("the other side has ended the exchange")

// send records that n bytes of the slot returned by room were filled, and returns the pieces to send: the
// shared piece and the one for behind, as buffer.last does.
func (l *lane) send(n int, behind pieceKind) []byte {
	b := make([]byte, 0, 2*pieceHead)
	if n > 0 {
		l.next = (l.next + 1) % laneSlots
		l.used++
		b = appendPieceHead(b, pieceShared, n)
	}
	if behind != nothing {
		b = appendPieceHead(b, behind, 0)
	}
	return b
}

// free records that the other end has freed n slots. It returns false if that many were not in use.
func (l *lane) free(n int) bool {
	if l == nil || n == 0 || n > l.used {
		return false
	}
	l.used -= n
	return true
}

// received returns the n bytes of a shared piece; false if n is invalid or there is no lane.
func (l *lane) received(n int) ([]byte, bool) {
	if l == nil || n == 0 || n > SlotBytes {
		return nil, false
	}
	return l.slot(l.at)[:n], true
}

// done frees the slot that was received last. It returns the piece to send, if any.
func (l *lane) done() []byte {
	l.at = (l.at + 1) % laneSlots
	if l.unreportedFree++; l.unreportedFree < returned {
		return nil
	}
	l.unreportedFree = 0
	return appendPieceHead(nil, pieceFreed, returned)
}
