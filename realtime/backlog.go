package realtime

import "time"

// backlog is what a hub has taken from its inbox and not yet handled. It is handed out no faster than
// readers write: a burst is longer than a mailbox, and would cut every reader.
type backlog struct {
	queue  []message
	next   int  // the first of queue that is not handled
	lost   bool // updates were dropped after the last of queue
	resume *time.Timer
}

const (
	// slowReaderWait is how long a hub waits for a reader that writes nothing, and for a snapshot: a blocked
	// reader delays the others by it at most once, and only in a burst.
	slowReaderWait = 250 * time.Millisecond
	// crowdedPoll is how often a hub that waits looks again.
	crowdedPoll = 2 * time.Millisecond
)

func newBacklog() backlog {
	resume := time.NewTimer(time.Hour)
	resume.Stop()
	return backlog{resume: resume}
}

// work handles what is there, until readers need time to write.
func (h *hub) work() {
	b := &h.backlog
	for {
		for b.next < len(b.queue) {
			if h.crowded() {
				b.resume.Reset(crowdedPoll)
				return
			}
			m := b.queue[b.next]
			b.queue[b.next] = nil // what is handled is not held
			b.next++
			m.handle(h)
		}
		if b.lost {
			h.overflowed()
		}
		b.next = 0
		if b.queue, b.lost = h.inbox.take(b.queue); len(b.queue) == 0 && !b.lost {
			return
		}
	}
}

// crowded tells whether the next message should wait: for readers that keep writing, or for a snapshot
// whose log fills up. Nothing waits when the inbox fills up meanwhile, for it holds what all readers would
// miss; then those that are too slow are cut.
func (h *hub) crowded() bool {
	if h.latest != nil { // nothing fills up
		return false
	}
	place, filling := h.events.halfFull()
	logging := h.snapshots.filling(time.Now())
	if !filling && !logging || h.inbox.crowded() {
		return false
	}
	return logging || h.events.settle(place)
}

// rest is what has not been handled.
func (b *backlog) rest() []message { return b.queue[b.next:] }
