package realtime

import (
	"time"

	"github.com/r3labs/sse/v2"
)

// prelude is how the streams begin that begin at the same moment: the snapshot, a heartbeat, and what was
// released since the snapshot's number. It is never changed, and all of them share its bytes.
type prelude struct {
	id        uint64 // the snapshot's
	last      uint64 // of what goes with it
	snapshot  []byte // from behind its id to before its retry's digits
	heartbeat []byte
	missing   [][]byte
	charges   charges
}

// placeholder is the retry that a snapshot is framed with, before the end of its frame: each stream has its
// own digits.
const placeholder = "3000\n\n"

// snapshotFrame is a snapshot with the placeholder and any id.
func (h *hub) snapshotFrame(data []byte) []byte {
	event := newEvent(0, snapshotEvent, data)
	event.Retry = []byte(placeholder[:4])
	return h.events.frames.encode(event)
}

// prelude begins streams at an id with a snapshot's frame.
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

// pieces are one stream's beginning behind head. What is small is joined, for it is written at once.
func (p *prelude) pieces(head []byte) (pieces [][]byte) {
	put := func(b []byte) {
		if last := len(pieces) - 1; last >= 0 && len(pieces[last])+len(b) <= batch {
			pieces[last] = append(pieces[last], b...)
			return
		}
		if len(b) <= batch {
			b = append(make([]byte, 0, 2*len(b)), b...) // room, and never another's bytes
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

// reconnect is the last event of a stream.
func reconnect(id uint64) *sse.Event { return newEvent(id, reconnectEvent, nothing) }

// frameCache is the frame of one event that readers with the same id share.
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
