package hub

import (
	"time"

	"github.com/narthex-platform/narthex/realtime/stream"
	"github.com/narthex-platform/narthex/realtime/update"
)

// reorderBuffer orders the publishes of one module process by their numbers. The module numbers them, but
// sends each as a separate call, and calls may overtake each other. Only its hub uses it.
type reorderBuffer struct {
	next  uint64               // 0: unknown, because the hub began in the middle of the process's run
	held  map[uint64]*numbered // publishes that arrived before their turn
	bytes int
	since time.Time // when the first of them began to wait for the missing one
}

// numbered is one publish. Without data it was refused; its number counts nevertheless.
type numbered struct {
	number uint64
	data   []byte
	charge *update.Charge // of data
}

// reorderTimeout bounds the wait for a missing number.
const reorderTimeout = 5 * time.Second

// add returns the publishes that p releases, in order; the caller drops their charges. It ignores a number
// that was released already, or that waits.
func (o *reorderBuffer) add(p numbered, now time.Time) (released []numbered) {
	switch {
	case p.number < o.next || o.held[p.number] != nil:
		return nil
	case p.number > o.next:
		if o.held == nil {
			o.held = make(map[uint64]*numbered)
		}
		if len(o.held) == 0 {
			o.since = now
		}
		p.charge.Keep()
		o.held[p.number] = &p
		o.bytes += len(p.data)
		return nil
	}
	p.charge.Keep()
	return o.releaseFrom(p, now)
}

// releaseFrom returns p, whose turn it is, and what follows it.
func (o *reorderBuffer) releaseFrom(p numbered, now time.Time) (released []numbered) {
	for following := &p; following != nil; following = o.held[o.next] {
		released = append(released, *following)
		if following != &p {
			delete(o.held, o.next)
			o.bytes -= len(following.data)
			o.since = now
		}
		o.next++
	}
	return released
}

// broken reports whether the hub must stop waiting for a missing number.
func (o *reorderBuffer) broken(now time.Time) bool {
	return len(o.held) > stream.MailboxEvents || o.bytes > stream.MailboxBytes || len(o.held) > 0 &&
		now.Sub(o.since) >= reorderTimeout
}

// giveUp continues with the lowest number that has arrived.
func (o *reorderBuffer) giveUp(now time.Time) (released []numbered) {
	lowest := uint64(0)
	for number := range o.held {
		if lowest == 0 || number < lowest {
			lowest = number
		}
	}
	if lowest == 0 {
		return nil
	}
	p := *o.held[lowest]
	delete(o.held, lowest)
	o.bytes -= len(p.data)
	o.next, o.since = lowest, now
	return o.releaseFrom(p, now)
}

// forget drops the publishes that wait for their turn, and sets the next number.
func (o *reorderBuffer) forget(next uint64) {
	for _, p := range o.held {
		p.charge.Drop()
	}
	*o = reorderBuffer{next: next}
}
