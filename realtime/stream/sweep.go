package stream

import (
	"slices"
	"time"

	"github.com/r3labs/sse/v2"

	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// sweep checks each reader of a shard once a second, which replaces a timer and a write deadline for each.
func (s *shard) sweep(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.mu.Lock()
	ends := s.log.ends
	s.log.mu.Unlock()
	beats := frameCache{frames: s.log.frames, event: func(id uint64) *sse.Event { return heartbeat(id, now) }}
	last := frameCache{frames: s.log.frames, event: reconnect}
	for _, r := range s.readers {
		switch {
		case r.gone:
		case r.rest != nil:
			s.flush(r) // its socket may have some room, but too little to be reported
			s.limit(r, ends, now)
		case r.next != s.place: // the next pass will write to it
		case !now.Before(r.stops):
			s.send(r, last.of(s.at.of(r)), true)
		case !now.Before(r.beats):
			r.beats = now.Add(deadlines.Heartbeat)
			s.send(r, beats.of(s.at.of(r)), false)
		}
	}
	s.remove()
}

// limit ends a stream that is behind for too long.
func (s *shard) limit(r *Reader, ends ends, now time.Time) {
	switch {
	case r.gone || r.rest == nil:
	case now.Sub(r.moved) > deadlines.Reader:
		s.log.counts.Cut.Add(1)
		s.close(r, Stalled)
	case now.Sub(r.stops) > deadlines.Hubs,
		r.joinedEnd != ends.count && now.Sub(ends.at) > deadlines.Hubs, s.fallen(r):
		s.cut(r)
	}
}

func (s *shard) fallen(r *Reader) bool {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.log.fallen(r.next)
}

// send writes an event that is not an entry of the log to a reader that has taken all entries.
func (s *shard) send(r *Reader, frame []byte, last bool) {
	if frame == nil { // the run has ended
		return
	}
	r.ending, r.moved = last, time.Now()
	r.rest = [][]byte{frame}
	s.flush(r)
}

// remove removes the readers whose streams have ended.
func (s *shard) remove() {
	s.readers = slices.DeleteFunc(s.readers, func(r *Reader) bool { return r.gone })
}
