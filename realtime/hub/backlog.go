package hub

import "time"

// backlog holds messages that a hub has taken from its inbox and not handled yet. It is handled no faster
// than readers can write, because a burst is longer than a mailbox and would otherwise disconnect every
// reader.
type backlog struct {
	queue  []message
	next   int  // index of the first message that is not handled
	lost   bool // updates were dropped after the last message of queue
	resume *time.Timer
}

// crowdedPoll is the interval at which a waiting hub checks again.
const crowdedPoll = 2 * time.Millisecond

func newBacklog() backlog {
	resume := time.NewTimer(time.Hour)
	resume.Stop()
	return backlog{resume: resume}
}

// work handles messages until the readers need time to write.
func (h *hub) work() {
	b := &h.backlog
	for {
		for b.next < len(b.queue) {
			if h.crowded() {
				b.resume.Reset(crowdedPoll)
				return
			}
			m := b.queue[b.next]
			b.queue[b.next] = nil // does not keep the message in memory
			b.next++
			m.handle(h)
			drop(m)
		}
		if b.lost {
			h.overflowed()
		}
		b.next = 0
		if b.queue, b.lost = h.inbox.Take(b.queue); len(b.queue) == 0 && !b.lost {
			return
		}
	}
}

// crowded reports whether the next message should wait: for readers that keep writing, or for a snapshot
// whose log fills up. If the inbox fills up meanwhile, nothing waits any more, because a full inbox would
// lose updates for all readers. Then readers that are too slow are disconnected.
func (h *hub) crowded() bool {
	if h.latest != nil { // newer values replace older ones, so nothing fills up
		return false
	}
	place, filling := h.events.HalfFull()
	logging := h.snapshots.filling(time.Now())
	if !filling && !logging || h.inbox.Crowded() {
		return false
	}
	return logging || h.events.Settle(place)
}

// rest returns the messages that are not handled.
func (b *backlog) rest() []message { return b.queue[b.next:] }
