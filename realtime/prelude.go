package realtime

import (
	"time"

	"github.com/r3labs/sse/v2"
)

// prelude is the beginning of all streams that start at the same moment: the snapshot, a heartbeat, and the
// updates that were released since the snapshot's number. It is never modified, and all these streams share
// its bytes.
type prelude struct {
	id        uint64 // the snapshot's id
	last      uint64 // the id of the last of missing
	snapshot  []byte // from after its id to before the digits of its retry
	heartbeat []byte
	missing   [][]byte
	charges   charges
}

// placeholder is the retry in a snapshot's frame, and the end of the frame. Each stream gets its own digits
// instead.
const placeholder = "3000\n\n"

// snapshotFrame returns the frame of a snapshot with the placeholder and id 0.
func (h *hub) snapshotFrame(data []byte) []byte {
	event := newEvent(0, snapshotEvent, data)
	event.Retry = []byte(placeholder[:4])
	return h.events.frames.encode(event)
}

// prelude returns the beginning of streams whose snapshot gets the id at.
func (h *hub) prelude(at uint64, state State, missing []*update) *prelude {
	snapshot := withoutID(state.frame)
	p := &prelude{
		id:        at,
		snapshot:  snapshot[:len(snapshot)-len(placeholder)],
		heartbeat: h.events.frames.encode(heartbeat(at, time.Now())),
		charges:   charges{state.charge},
	}
	for _, u := range missing {
		if at++; h.latest != nil {
			at = u.id
		}
		frame := u.frame
		if u.id != at {
			frame = withID(frame, at)
		}
		p.missing, p.charges = append(p.missing, frame), append(p.charges, u.charge)
	}
	p.last = at
	return p
}

// pieces returns head and the beginning of one stream. Small parts are joined, because each piece is written
// at once.
func (p *prelude) pieces(head []byte) (pieces [][]byte) {
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

// reconnect returns the last event of a stream.
func reconnect(id uint64) *sse.Event { return newEvent(id, reconnectEvent, nothing) }

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

// charges are the charges of one holder.
type charges []*charge

func (c charges) keep() {
	for _, each := range c {
		each.keep(0)
	}
}

func (c charges) drop() {
	for _, each := range c {
		each.drop(0)
	}
}
