package ratelimit

import "time"

// window stores the keys of all rules with one length of window, ordered by their last allowed request. They
// expire in the same order.
type window struct {
	length  time.Duration
	entries map[Key]*entry
	ends    entry // sentinel of a ring: its next is the oldest entry, its previous the newest
}

type entry struct {
	key            Key
	allowed        time.Duration // time of the last allowed request, on the limiter's clock
	count          int
	next, previous *entry
}

func newWindow(length time.Duration) *window {
	w := &window{length: length, entries: make(map[Key]*entry)}
	w.ends.next, w.ends.previous = &w.ends, &w.ends
	return w
}

func (w *window) expired(e *entry, now time.Duration) bool { return now-e.allowed >= w.length }

// oldest returns the oldest key, or nil when the window is empty.
func (w *window) oldest() *entry {
	if w.ends.next == &w.ends {
		return nil
	}
	return w.ends.next
}

func (w *window) add(key Key) *entry {
	e := &entry{key: key}
	e.next, e.previous = e, e
	w.entries[key] = e
	return e
}

func (w *window) toNewest(e *entry) {
	e.unlink()
	e.next, e.previous = &w.ends, w.ends.previous
	e.previous.next, w.ends.previous = e, e
}

func (w *window) dropOldest() {
	e := w.ends.next
	e.unlink()
	delete(w.entries, e.key)
	if len(w.entries) == 0 {
		w.entries = make(map[Key]*entry) // a map never shrinks: a new one frees the memory after a flood
	}
}

func (e *entry) unlink() { e.previous.next, e.next.previous = e.next, e.previous }
