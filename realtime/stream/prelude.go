package stream

import (
	"time"

	"github.com/r3labs/sse/v2"

	"github.com/narthex-platform/narthex/realtime/update"
)

// Prelude is the beginning of all streams that start at the same moment: the snapshot, a heartbeat, and the
// updates that were released since the snapshot's number. It is never modified, and all these streams share
// its bytes.
type Prelude struct {
	id        uint64 // the snapshot's id
	last      uint64 // the id of the last of missing
	snapshot  []byte // from after its id to before the digits of its retry
	heartbeat []byte
	missing   [][]byte
	charges   []*update.Charge
}

// placeholder is the retry in a snapshot's frame, and the end of the frame. Each stream gets its own digits
// instead.
const placeholder = "3000\n\n"

// SnapshotFrame returns the frame of a snapshot, for Prelude.
func (l *Log) SnapshotFrame(data []byte) []byte {
	event := newEvent(0, snapshotEvent, data)
	event.Retry = []byte(placeholder[:4])
	return l.frames.encode(event)
}

// Prelude returns the beginning of streams whose snapshot gets the id at. snapshot is a SnapshotFrame, and
// charge that of its data.
func (l *Log) Prelude(at uint64, snapshot []byte, charge *update.Charge, missing []*Update) *Prelude {
	snapshot = withoutID(snapshot)
	p := &Prelude{
		id:        at,
		snapshot:  snapshot[:len(snapshot)-len(placeholder)],
		heartbeat: l.frames.encode(heartbeat(at, time.Now())),
		charges:   []*update.Charge{charge},
	}
	for _, u := range missing {
		if at++; l.latest {
			at = u.ID
		}
		frame := u.Frame
		if u.ID != at {
			frame = withID(frame, at)
		}
		p.missing, p.charges = append(p.missing, frame), append(p.charges, u.Charge)
	}
	p.last = at
	return p
}

// keep adds a stream to the holders of the prelude's memory.
func (p *Prelude) keep() {
	for _, charge := range p.charges {
		charge.Keep()
	}
}

func (p *Prelude) drop() {
	for _, charge := range p.charges {
		charge.Drop()
	}
}

// pieces returns head and the beginning of one stream. Small parts are joined, because each piece is written
// at once.
func (p *Prelude) pieces(head []byte) (pieces [][]byte) {
	put := func(b []byte) {
		if last := len(pieces) - 1; last >= 0 && len(pieces[last])+len(b) <= batch {
			pieces[last] = append(pieces[last], b...)
			return
		}
		if len(b) <= batch {
			b = append(make([]byte, 0, 2*len(b)), b...) // a copy, so that shared bytes stay unmodified
		}
		pieces = append(pieces, b)
	}
	put(append(head, idLine(p.id)...))
	put(p.snapshot)
	put(append(retryAfter(), '\n', '\n'))
	put(p.heartbeat)
	for _, frame := range p.missing {
		put(frame)
	}
	return pieces
}

// frameCache holds the frame of one event for all readers with the same id.
type frameCache struct {
	frames *frames
	event  func(id uint64) *sse.Event
	made   map[uint64][]byte
}

func (c *frameCache) of(id uint64) []byte {
	frame, made := c.made[id]
	if !made {
		frame = c.frames.encode(c.event(id))
		if c.made == nil {
			c.made = make(map[uint64][]byte)
		}
		c.made[id] = frame
	}
	return frame
}
