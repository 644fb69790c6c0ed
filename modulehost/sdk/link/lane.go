package link

import (
	"errors"
	"io"
)

// A body socket may have a lane: memory that both ends have mapped (docs/link.md). The bytes of a long body
// lie there, while the pieces on the socket say where one ends. What decides anything travels on the socket,
// so the memory has nothing to parse, and the other end, which may change it at any time, spoils its own
// bodies alone.

const (
	laneSlots = 4
	// SlotBytes is the most that a shared piece has (measured: 4 or 8 slots of 256 KiB are fastest).
	SlotBytes = 256 << 10
	// LaneBytes is the memory of one lane.
	LaneBytes = laneSlots * SlotBytes
	// MaxLanes of the body sockets, the first ones, have a lane.
	MaxLanes = 8
	// returned slots are told of together: one piece for two of them.
	returned = 2
)

// lane is how one end uses it. Either direction takes the slots in turn, over the ends of bodies. A sender
// counts what it has not got back, a receiver what it has not told yet.
type lane struct {
	memory []byte

	next, used int // sending
	at, told   int // receiving; told lags behind what is free
}

// Share gives the socket a lane in LaneBytes of memory. It is called before the socket's first body.
func (s *Socket) Share(memory []byte) { s.lane = &lane{memory: memory} }

func (l *lane) slot(n int) []byte { return l.memory[n*SlotBytes : (n+1)*SlotBytes : (n+1)*SlotBytes] }

// room waits until the sender may fill a slot, which it returns. in and from are what the other end sends.
func (l *lane) room(in *heads, from io.Reader) ([]byte, error) {
	for l.used == laneSlots {
		if err := in.fill(from); err != nil {
			return nil, err
		}
		kind, n := in.head()
		switch {
		case kind != pieceFreed:
			return nil, errAnswered // the head is left for the body's reader
		case !l.free(n):
			return nil, lost(errPiece)
		}
		in.have = 0
	}
	return l.slot(l.next), nil
}

var errAnswered = errors.New("the other side has ended the exchange")

// send says that n bytes of the slot that room returned were filled, and what is behind them, as buffer.last
// does.
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

// free notes that the other end has returned n slots, unless it never had them.
func (l *lane) free(n int) bool {
	if l == nil || n == 0 || n > l.used {
		return false
	}
	l.used -= n
	return true
}

// received returns the n bytes of a shared piece; false: there is no such piece.
func (l *lane) received(n int) ([]byte, bool) {
	if l == nil || n == 0 || n > SlotBytes {
		return nil, false
	}
	return l.slot(l.at)[:n], true
}

// done gives up the slot that was received last, and returns what is to be sent to say so.
func (l *lane) done() []byte {
	l.at = (l.at + 1) % laneSlots
	if l.told++; l.told < returned {
		return nil
	}
	l.told = 0
	return appendPieceHead(nil, pieceFreed, returned)
}
