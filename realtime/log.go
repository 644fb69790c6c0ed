package realtime

import (
	"math"
	"sort"
	"sync"
	"time"
)

// entry is an event in a hub's log, framed once for all readers.
type entry struct {
	place  uint64
	frame  []byte
	id     uint64
	number uint64 // of this process's module; 0: of none
	next   uint64 // the number that the hub expects after it; unnumbered: ids are nobody's own
	key    string // of a channel of newest values
	size   int    // what it takes of a mailbox
	last   bool   // reconnect: the streams that are open end
	charge *charge
}

// unnumbered is the next of an entry whose id is the same for every reader.
const unnumbered = math.MaxUint64

// above is the number from which on a snapshot makes a difference to what its readers are sent.
func (e *entry) above() uint64 {
	if e.number != 0 {
		return e.number
	}
	return e.next
}

// spelled is what a reader is sent whose snapshot tells of all publishes up to from. Nil: nothing, it has
// this one. While such publishes are still to come, what comes before them counts on from the snapshot's id.
func (e *entry) spelled(from uint64) []byte {
	switch {
	case from < e.above():
		return e.frame
	case e.number != 0:
		return nil
	}
	return withID(e.frame, e.id+from+1-e.next)
}

// position is where a reader is in its ids.
type position struct{ id, next uint64 }

func (e *entry) position() position {
	switch {
	case e.last:
		return position{next: unnumbered} // who joins later knows its own
	case e.number != 0 && e.next != unnumbered:
		return position{e.id, e.number + 1}
	}
	return position{e.id, e.next}
}

// of is the id that a reader has now, for an event that is no entry.
func (p position) of(r *reader) uint64 {
	if r.from >= p.next {
		p.id += r.from + 1 - p.next
	}
	return max(r.id, p.id)
}

// eventLog holds what a hub has passed on and some reader has not taken: it is every reader's mailbox, and
// an event's bytes exist once. The hub appends and drops. Shards and the goroutines of readers only read.
//
// A lock of a shard is taken before this one, never after it.
type eventLog struct {
	latest bool // of newest values: an entry leaves when a newer one of its key comes, never for want of room
	frames *frames
	counts *counts

	mu      sync.Mutex
	moved   *sync.Cond    // on mu: a shard has gone on
	changed chan struct{} // not nil: a reader's goroutine waits until it is closed
	entries []entry
	end     uint64 // the place of the next entry
	updates int    // in entries, as bytes
	bytes   int
	open    int // readers that joined and have not left
	live    int // of these, those that joined since the last end
	ends    ends
	over    bool      // the hub's run has ended
	members readerSet // those that no shard has, or has yet
	shards  []*shard
	handed  int // readers that shards were given
}

// ends is the last time that the streams were ended.
type ends struct {
	count int
	place uint64 // those of readers up to here
	at    time.Time
}

func newEventLog(latest bool, counts *counts) *eventLog {
	l := &eventLog{latest: latest, frames: &frames{}, counts: counts, end: 1}
	l.moved = sync.NewCond(&l.mu)
	return l
}

// add appends an entry. In a log that is full it waits for shards, which take a moment, and never for a
// socket: so only who does not keep up falls off. It is the hub's, like drop, settle and halfFull.
func (l *eventLog) add(e entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.key != "" {
		l.supersede(e.key)
	}
	e.place = l.end
	l.end++
	e.charge.keep(0)
	l.entries = append(l.entries, e)
	if !e.last {
		l.updates++
		l.bytes += e.size
	}
	l.cutFull()
	for !l.latest && (l.updates > mailboxEvents || l.bytes > mailboxBytes) {
		first := l.entries[0].place
		for _, s := range l.shards {
			for s.place <= first {
				s.signal()
				l.moved.Wait()
			}
		}
		l.dropFirst()
	}
	l.wake()
}

// cutFull cuts the members whose mailbox has no room for what was appended. Those of shards fall off the log.
func (l *eventLog) cutFull() {
	if l.latest || l.updates+opening <= mailboxEvents && l.bytes <= mailboxBytes {
		return
	}
	for _, r := range l.members.readers {
		updates, bytes := r.opening, 0
		for _, e := range l.entries[l.after(r.next):] {
			updates++
			bytes += e.size
		}
		if !r.cut && (updates > mailboxEvents || bytes > mailboxBytes) {
			if r.cut = true; r.response != nil {
				r.response.cut()
			} else {
				l.counts.cut.Add(1)
			}
		}
	}
}

// wake tells all readers that there is something. It is called under the lock.
func (l *eventLog) wake() {
	for _, s := range l.shards {
		s.signal()
	}
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

func (l *eventLog) supersede(key string) {
	for i := range l.entries {
		if l.entries[i].key == key {
			l.forget(&l.entries[i])
			last := len(l.entries) - 1
			copy(l.entries[i:], l.entries[i+1:])
			l.entries[last] = entry{}
			l.entries = l.entries[:last]
			return
		}
	}
}

func (l *eventLog) dropFirst() {
	l.forget(&l.entries[0])
	l.entries[0] = entry{}
	if l.entries = l.entries[1:]; len(l.entries) == 0 {
		l.entries = nil // an idle log keeps nothing
	}
}

func (l *eventLog) forget(e *entry) {
	if !e.last {
		l.updates--
		l.bytes -= e.size
	}
	e.charge.drop(0)
}

// full tells whether the log has no room for an update of that size.
func (l *eventLog) full(size int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.latest && (l.updates+opening >= mailboxEvents || l.bytes+size > mailboxBytes)
}

// halfFull returns the place up to which a reader has a mailbox that is at least half full.
func (l *eventLog) halfFull() (place uint64, found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	updates, bytes := 0, 0
	for i := len(l.entries) - 1; i >= 0; i-- {
		updates++
		if bytes += l.entries[i].size; updates >= mailboxEvents/2 || bytes >= mailboxBytes/2 {
			return l.entries[i].place, true
		}
	}
	return 0, false
}

// settle drops what every reader has taken, and tells whether one that is not beyond place goes on taking.
func (l *eventLog) settle(place uint64) (moving bool) {
	l.mu.Lock()
	shards, lowest, now := l.shards, l.end, time.Now()
	for _, r := range l.members.readers {
		if !r.cut {
			lowest = min(lowest, r.next)
			moving = moving || r.next <= place && (r.idle || now.Sub(r.moved) < slowReaderWait)
		}
	}
	l.mu.Unlock()
	for _, s := range shards { // a reader that has left the members meanwhile is in its shard
		floor, moves := s.look(place, now)
		lowest, moving = min(lowest, floor), moving || moves
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.entries) > 0 && l.entries[0].place < lowest {
		l.dropFirst()
	}
	return moving
}

// holds tells whether entries are left.
func (l *eventLog) holds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries) > 0
}

// clearLast drops all entries when the run is over and nobody is left.
func (l *eventLog) clearLast() {
	for l.over && l.open == 0 && len(l.entries) > 0 {
		l.dropFirst()
	}
}

// after returns the index of the first entry from place on.
func (l *eventLog) after(place uint64) int {
	return sort.Search(len(l.entries), func(i int) bool { return l.entries[i].place >= place })
}

// fallen tells whether an entry from place on was dropped before it was taken.
func (l *eventLog) fallen(place uint64) bool {
	if l.latest {
		return false
	}
	if len(l.entries) == 0 {
		return place < l.end
	}
	return place < l.entries[0].place
}

// group returns what comes from place on and goes out together: updates of batch bytes in all, or one end.
// Their charges are the caller's to drop.
func (l *eventLog) group(place uint64, into []entry) []entry {
	bytes := 0
	for _, e := range l.entries[l.after(place):] {
		if len(into) > 0 && (e.last || bytes+len(e.frame) > batch) {
			break
		}
		e.charge.keep(0)
		into = append(into, e)
		if bytes += len(e.frame); e.last {
			break
		}
	}
	return into
}

// batch is about how many bytes are written at once.
const batch = 64 << 10

// join lets a reader in. What is appended from now on is for it.
func (l *eventLog) join(r *reader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.log, r.next, r.joinedEnd, r.moved = l, l.end, l.ends.count, time.Now()
	l.open++
	l.live++
	l.members.add(r)
}

// leave is called once for each reader that joined.
func (l *eventLog) leave(r *reader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.members.remove(r)
	l.open--
	if r.joinedEnd == l.ends.count {
		l.live--
	}
	l.clearLast()
}

// readers are those that joined since the last end.
func (l *eventLog) readers() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.live
}

// finish notes that the streams of all readers end with the entry appended last.
func (l *eventLog) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.live = 0
	l.ends = ends{l.ends.count + 1, l.end - 1, time.Now()}
	for _, r := range l.members.readers {
		if r.response != nil {
			r.response.limit.Reset(grace)
		}
	}
}

// close says that nothing more is appended: the shards end with their last readers.
func (l *eventLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	l.clearLast()
	l.wake()
}
