package stream

import (
	"sync"
	"time"

	"github.com/narthex-platform/narthex/realtime/update"
)

// shard owns the sockets of some of a hub's readers, and writes new entries of the log to them. There is one
// goroutine for each processor and none for a reader. A write never blocks; a reader that is behind continues
// when its socket accepts more.
type shard struct {
	log   *Log
	watch *Watch
	wake  chan struct{}

	place  uint64 // next place in the log; written with both mu and the log's lock held
	coming int    // readers that will join; guarded by the log's lock

	mu      sync.Mutex
	readers []*Reader // only remove shortens it, never a pass on its way, which would skip a reader
	at      position  // at place
	group   []entry   // reused, as buffer is
	buffer  []byte
}

// run works until the run is over and no reader is left.
func (s *shard) run() {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-s.wake:
			for more := true; more; {
				more = s.pass()
				select {
				case now := <-second.C: // even if updates arrive without a pause
					s.sweep(now)
				default:
				}
			}
		case now := <-second.C:
			s.sweep(now)
		}
		if s.over() {
			return
		}
	}
}

// over reports whether there are no readers and none will join.
func (s *shard) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.log.over && s.coming == 0 && len(s.readers) == 0
}

func (s *shard) signal() { update.Notify(s.wake) }

// pass writes the next entries of the log to every reader that is at the shard's place.
func (s *shard) pass() (more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from := s.place
	if !s.advance() {
		return false
	}
	above := s.group[0].above()
	for i := range s.group {
		above = min(above, s.group[i].above())
	}
	last := s.group[0].last
	data := s.groupBytes()
	for _, r := range s.readers {
		switch {
		case r.gone || r.ending || r.rest != nil:
		case r.next != from || r.from >= above: // it joined later than the shard's place, or its ids differ
			s.flush(r)
		default:
			r.next, r.ending = s.place, last
			if n := r.socket.Write(data); n < len(data) {
				s.keep(r, n)
			} else if last {
				s.close(r, Finished)
			}
		}
	}
	clear(s.group)
	s.group = s.group[:0]
	if cap(s.buffer) > 2*batch {
		s.buffer = nil
	}
	if last {
		s.remove()
	}
	return true
}

// advance takes the next group of entries and notifies the hub.
func (s *shard) advance() (found bool) {
	l := s.log
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.moved.Broadcast()
	s.group = l.group(s.place, s.group)
	n := len(s.group)
	if n == 0 {
		return false
	}
	s.place, s.at = s.group[n-1].place+1, s.group[n-1].position()
	return true
}

// groupBytes returns the bytes of the group. Those of a single entry are not copied.
func (s *shard) groupBytes() []byte {
	if len(s.group) == 1 {
		return s.group[0].frame
	}
	s.buffer = s.buffer[:0]
	for i := range s.group {
		s.buffer = append(s.buffer, s.group[i].frame...)
	}
	return s.buffer
}

// keep stores where in the group the socket stopped to accept bytes.
func (s *shard) keep(r *Reader, n int) {
	if n < 0 {
		s.close(r, Left)
		return
	}
	r.moved = time.Now()
	for i := range s.group {
		e := &s.group[i]
		if n < len(e.frame) {
			r.next, r.rest, r.held = e.place+1, [][]byte{e.frame[n:]}, e.charge
			r.held.Keep()
			return
		}
		n -= len(e.frame)
	}
}

// flush continues with a reader that is behind, entry by entry, until its socket is full or it has reached
// the shard's place.
func (s *shard) flush(r *Reader) {
	for !r.gone && s.writeRest(r) {
		if r.ending {
			s.close(r, Finished)
			return
		}
		if r.next >= s.place {
			return
		}
		e, found, fallen := s.next(r)
		switch {
		case fallen: // an entry was dropped because its mailbox was full
			s.cut(r)
		case !found:
			r.next = s.place
		default:
			r.next, r.ending = e.place+1, e.last
			if frame := e.frameFor(r.from); frame != nil {
				r.rest, r.held, r.moved = [][]byte{frame}, e.charge, time.Now()
			} else {
				e.charge.Drop()
			}
		}
	}
}

// next returns the reader's next entry. The caller must drop its charge.
func (s *shard) next(r *Reader) (e entry, found, fallen bool) {
	l := s.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fallen(r.next) {
		return entry{}, false, true
	}
	i := l.after(r.next)
	if i == len(l.entries) || l.entries[i].place >= s.place {
		return entry{}, false, false
	}
	e = l.entries[i]
	e.charge.Keep()
	return e, true, false
}

// writeRest writes the rest, and reports whether all of it was written.
func (s *shard) writeRest(r *Reader) bool {
	for len(r.rest) > 0 {
		n := r.socket.Write(r.rest[0])
		switch {
		case n < 0:
			s.close(r, Left)
			return false
		case n > 0:
			r.moved = time.Now()
		}
		if n < len(r.rest[0]) {
			r.rest[0] = r.rest[0][n:]
			return false
		}
		r.rest = r.rest[1:]
	}
	s.written(r)
	return true
}

// written releases the rest after it was written.
func (s *shard) written(r *Reader) {
	r.rest = nil
	r.held.Drop()
	r.held = nil
	r.release()
}

// join takes a reader over from the members of the log. pieces are written before the entries of the log.
func (s *shard) join(r *Reader, pieces [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers = append(s.readers, r)
	s.log.handOver(r)
	r.rest, r.moved = pieces, time.Now()
	if !r.socket.Watch(s.watch, r) {
		s.close(r, Left)
		return
	}
	s.flush(r)
	s.signal()
}

// handOver moves a reader from the members to its shard.
func (l *Log) handOver(r *Reader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.members.remove(r)
	r.shard.coming--
}

// refuse is called instead of join for a reader that has no stream.
func (s *shard) refuse(r *Reader) {
	s.log.leave(r)
	r.release()
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.coming--
	s.signal()
}

// ready is called when a reader's socket has room again or its client has disconnected.
func (s *shard) ready(r *Reader, left bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.gone:
	case left:
		s.close(r, Left)
	case r.rest != nil:
		s.flush(r)
	}
}

// look returns the place before which no reader needs the log, and whether a reader at or before place is
// making progress.
func (s *shard) look(place uint64, now time.Time) (floor uint64, moving bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	moving = s.place <= place && len(s.readers) > 0 // the next pass writes to them
	floor = s.place
	for _, r := range s.readers {
		if r.gone || r.ending {
			continue
		}
		floor = min(floor, r.next)
		moving = moving || r.next <= place && now.Sub(r.moved) < SlowReaderWait
	}
	return floor, moving
}

// cut ends the stream of a reader that is too slow.
func (s *shard) cut(r *Reader) {
	s.log.counts.Cut.Add(1)
	s.close(r, Cut)
}

// close ends a stream. After it the descriptor must not be written to, because it may belong to another
// connection.
func (s *shard) close(r *Reader, how End) {
	if r.gone {
		return
	}
	r.gone = true
	s.written(r)
	r.socket.Unwatch()
	r.connection.EndStream(how)
	s.log.leave(r)
	s.log.counts.Readers.Add(-1)
}
