package link

import (
	"errors"
	"io"
	"slices"

	"golang.org/x/sys/unix"
)

// LaneBody is a buffered request's body that is read into a lane before its call. Only Begin changes the
// state of the lane, so a body that is given up leaves nothing behind. It is not safe for concurrent use.
type LaneBody struct {
	bodies *Bodies
	socket *Socket // nil: given back, or lent with the call
	bytes  int
	slots  int
	filled int    // slots
	pieces []byte // for the filled slots
}

// TakeLane lends a lane that has room for a body of this many bytes; Release must follow. It returns nil if
// no free lane has room. It also leaves half of all lanes free, because the sender of the body may be slow.
func (b *Bodies) TakeLane(bytes int) *LaneBody {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over || len(b.lanes) <= b.shared/2 {
		return nil
	}
	for i, socket := range slices.Backward(b.lanes) {
		if slots := socket.slotsFor(bytes); slots > 0 {
			b.lanes = slices.Delete(b.lanes, i, i+1)
			return &LaneBody{bodies: b, socket: b.lendLocked(socket), bytes: bytes, slots: slots}
		}
	}
	return nil
}

// slotsFor returns how many slots a body uses; 0 if fewer are known to be free. It leaves an even number in
// use, because the module reports two free slots with one piece: one more would not be known to be free.
func (s *Socket) slotsFor(bytes int) int {
	s.readFreed()
	slots := (bytes + SlotBytes - 1) / SlotBytes
	slots += (s.lane.used + slots) % returned
	if s.lane.used+slots > laneSlots {
		return 0
	}
	return slots
}

// readFreed reads the reports of free slots that have arrived. Nothing else arrives between two calls. If it
// does, the reader of the next response finds it.
func (s *Socket) readFreed() {
	for s.lane.used > 0 && s.in.fill(arrived{s}) == nil {
		kind, n := s.in.head()
		if kind != pieceFreed || !s.lane.free(n) {
			return
		}
		s.in.have = 0
	}
}

// arrived reads what has arrived, without waiting. It needs no deadline, and ignores one that has passed.
type arrived struct{ *Socket }

func (a arrived) Read(p []byte) (n int, err error) {
	if a.raw == nil {
		return 0, unix.EAGAIN
	}
	failed := a.raw.Control(func(fd uintptr) {
		n, _, err = unix.Recvfrom(int(fd), p, unix.MSG_DONTWAIT)
	})
	if err = errors.Join(failed, err); n == 0 && err == nil {
		err = io.EOF
	}
	return max(n, 0), err
}

// Fill calls fill with one part of the body's memory after the other, until it returns an error.
func (l *LaneBody) Fill(fill func([]byte) error) error {
	lane, part := l.socket.lane, (l.bytes+l.slots-1)/l.slots
	for left := l.bytes; left > 0; left -= part {
		n := min(part, left)
		if err := fill(lane.slot((lane.next + l.filled) % laneSlots)[:n]); err != nil {
			return err
		}
		l.filled++
		l.pieces = appendPieceHead(l.pieces, pieceShared, n)
	}
	return nil
}

// Lend sends the body with this call. It returns ErrLost if the lane is that of an earlier process.
func (l *LaneBody) Lend(o *Outgoing) error {
	if o.Bodies != l.bodies {
		return ErrLost
	}
	o.Socket, o.lane, l.socket = l.socket, l, nil
	return nil
}

// begin takes the slots into use, and returns the pieces to send.
func (l *LaneBody) begin(lane *lane) []byte {
	lane.next = (lane.next + l.filled) % laneSlots
	lane.used += l.filled
	return append(l.pieces, endingPiece(pieceEnd)...)
}

// Release gives the lane back, unless it was lent with a call. It may be called twice.
func (l *LaneBody) Release() {
	if l.socket != nil {
		l.bodies.leaveLane()
		l.bodies.give(l.socket)
		l.socket = nil
	}
}
