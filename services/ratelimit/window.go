package ratelimit

import "time"

// shelf holds the keys of one length of window, in the order in which they were last allowed: the order in which they expire.
type shelf struct {
	window  time.Duration
	entries map[Key]*entry
	ends    entry // its next is the oldest, its previous the newest: a ring needs no special cases
}

type entry struct {
	key            Key
	allowed        time.Duration // when last, on the limiter's clock
	count          int
	next, previous *entry
}

func newShelf(window time.Duration) *shelf {
	s := &shelf{window: window, entries: make(map[Key]*entry)}
	s.ends.next, s.ends.previous = &s.ends, &s.ends
	return s
}

func (s *shelf) expired(e *entry, now time.Duration) bool { return now-e.allowed >= s.window }

// oldest is nil when the shelf is empty.
func (s *shelf) oldest() *entry {
	if s.ends.next == &s.ends {
		return nil
	}
	return s.ends.next
}

func (s *shelf) add(key Key) *entry {
	e := &entry{key: key}
	e.next, e.previous = e, e
	s.entries[key] = e
	return e
}

func (s *shelf) toNewest(e *entry) {
	e.unlink()
	e.next, e.previous = &s.ends, s.ends.previous
	e.previous.next, s.ends.previous = e, e
}

func (s *shelf) dropOldest() {
	e := s.ends.next
	e.unlink()
	delete(s.entries, e.key)
	if len(s.entries) == 0 {
		s.entries = make(map[Key]*entry) // a map never shrinks: after a flood this is what gives its memory back
	}
}

func (e *entry) unlink() { e.previous.next, e.next.previous = e.next, e.previous }
