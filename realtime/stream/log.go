package stream

import (
	"math"
	"sort"
	"sync"
	"time"

	"github.com/narthex-platform/narthex/realtime/update"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// A mailbox holds at most this many events, and bytes of their data.
const (
	MailboxEvents = 256
	MailboxBytes  = 1 << 20
)

// SlowReaderWait is how long a hub waits for a reader whose writes make no progress, and for a snapshot. A
// blocked reader delays the others by at most this time, once, and only in a burst.
const SlowReaderWait = 250 * time.Millisecond

// entry is an event in a hub's log, framed once for all readers.
type entry struct {
	place  uint64
	frame  []byte
	id     uint64
	number uint64 // of this process's module; 0: of another process
	next   uint64 // the number that the hub expects after it; Unnumbered: every reader gets the same id
	key    string // only on a LatestChannel
	size   int    // the space that it needs in a mailbox
	last   bool   // a reconnect event, which ends all open streams
	charge *update.Charge
}

// Unnumbered is the next number of an update whose id is the same for every reader.
const Unnumbered = math.MaxUint64

// above returns the number from which on a reader's snapshot affects the bytes that the reader is sent.
func (e *entry) above() uint64 {
	if e.number != 0 {
		return e.number
	}
	return e.next
}

// frameFor returns the bytes for a reader whose snapshot contains all publishes up to from; nil if the
// snapshot contains this one. Until these publishes have all been released, the ids of updates of other
// processes count on from the snapshot's id.
func (e *entry) frameFor(from uint64) []byte {
	switch {
	case from < e.above():
		return e.frame
	case e.number != 0:
		return nil
	}
	return withID(e.frame, e.id+from+1-e.next)
}

// position is a reader's current position in its ids.
type position struct{ id, next uint64 }

func (e *entry) position() position {
	switch {
	case e.last:
		return position{next: Unnumbered} // a reader that joins later has its own position
	case e.number != 0 && e.next != Unnumbered:
		return position{e.id, e.number + 1}
	}
	return position{e.id, e.next}
}

// of returns the current id of a reader, for an event that is not an entry.
func (p position) of(r *Reader) uint64 {
	if r.from >= p.next {
		p.id += r.from + 1 - p.next
	}
	return max(r.id, p.id)
}

// Log holds the entries that some reader has not taken yet. It is the mailbox of all readers, so each
// event is in memory only once. Only the hub appends and drops entries; shards read them.
//
// Lock order: see doc.go.
type Log struct {
	latest bool // of a LatestChannel: only a newer entry of its key removes an entry
	frames *frames
	counts *Counts

	mu      sync.Mutex
	moved   *sync.Cond // on mu: signalled when a shard has advanced
	entries []entry
	end     uint64 // the place of the next entry
	updates int    // totals of entries
	bytes   int
	open    int // readers that have joined and not left
	live    int // those of them that have joined since the last end
	ends    ends
	over    bool      // the hub's run has ended
	members readerSet // readers that have not joined their shard yet
	shards  []*shard
	handed  int // number of readers that were passed to shards
}

// ends describes the last time that all streams were ended.
type ends struct {
	count int
	place uint64 // readers up to this place are affected
	at    time.Time
}

// NewLog returns an empty log. latest: it is that of a LatestChannel.
func NewLog(latest bool, counts *Counts) *Log {
	l := &Log{latest: latest, frames: &frames{}, counts: counts, end: 1}
	l.moved = sync.NewCond(&l.mu)
	return l
}

// Add appends an update. next is the number that the hub expects after it, or Unnumbered.
func (l *Log) Add(u *Update, next uint64) {
	l.add(entry{frame: u.Frame, id: u.ID, number: u.Number, next: next, key: u.Key, size: u.Size,
		charge: u.Charge})
}

// Frame returns the frame of an update; nil after Close.
func (l *Log) Frame(id uint64, data []byte) []byte {
	return l.frames.encode(newEvent(id, updateEvent, data))
}

// End tells every reader to reconnect, and ends its stream within deadlines.Hubs. id is the last update's.
func (l *Log) End(id, next uint64) {
	l.add(entry{frame: l.frames.encode(reconnect(id)), id: id, next: next, last: true})
	l.finish()
}

// add appends an entry. If the log is full, it waits for shards, which takes a moment, but never for a
// socket. So only readers that are too slow lose entries. Only the hub calls Add, End, Settle and HalfFull.
func (l *Log) add(e entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.key != "" {
		l.supersede(e.key)
	}
	e.place = l.end
	l.end++
	e.charge.Keep()
	l.entries = append(l.entries, e)
	if !e.last {
		l.updates++
		l.bytes += e.size
	}
	for !l.latest && (l.updates > MailboxEvents || l.bytes > MailboxBytes) {
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

// wake notifies the shards of a new entry. The caller holds the lock.
func (l *Log) wake() {
	for _, s := range l.shards {
		s.signal()
	}
}

func (l *Log) supersede(key string) {
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

func (l *Log) dropFirst() {
	l.forget(&l.entries[0])
	l.entries[0] = entry{}
	if l.entries = l.entries[1:]; len(l.entries) == 0 {
		l.entries = nil // frees the memory of an idle log
	}
}

func (l *Log) forget(e *entry) {
	if !e.last {
		l.updates--
		l.bytes -= e.size
	}
	e.charge.Drop()
}

// Full reports whether the log has no room for an update of that size.
func (l *Log) Full(size int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.latest && (l.updates+opening >= MailboxEvents || l.bytes+size > MailboxBytes)
}

// HalfFull returns a place; the mailbox of a reader at or before it is at least half full.
func (l *Log) HalfFull() (place uint64, found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	updates, bytes := 0, 0
	for i := len(l.entries) - 1; i >= 0; i-- {
		updates++
		if bytes += l.entries[i].size; updates >= MailboxEvents/2 || bytes >= MailboxBytes/2 {
			return l.entries[i].place, true
		}
	}
	return 0, false
}

// Settle drops the entries that every reader has taken. It reports whether a reader that is at or before
// place is making progress.
func (l *Log) Settle(place uint64) (moving bool) {
	l.mu.Lock()
	shards, lowest, now := l.shards, l.end, time.Now()
	for _, r := range l.members.readers {
		lowest = min(lowest, r.next)
		moving = moving || r.next <= place && now.Sub(r.moved) < SlowReaderWait
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

// Holds reports whether there are entries.
func (l *Log) Holds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries) > 0
}

// clearLast drops all entries if the run is over and there are no readers.
func (l *Log) clearLast() {
	for l.over && l.open == 0 && len(l.entries) > 0 {
		l.dropFirst()
	}
}

// after returns the index of the first entry at or after place.
func (l *Log) after(place uint64) int {
	return sort.Search(len(l.entries), func(i int) bool { return l.entries[i].place >= place })
}

// fallen reports whether an entry at or after place was dropped before it was taken.
func (l *Log) fallen(place uint64) bool {
	if l.latest {
		return false
	}
	if len(l.entries) == 0 {
		return place < l.end
	}
	return place < l.entries[0].place
}

// group appends to into the entries from place on that are written together: updates of batch bytes in all,
// or one end.
func (l *Log) group(place uint64, into []entry) []entry {
	bytes := 0
	for _, e := range l.entries[l.after(place):] {
		if len(into) > 0 && (e.last || bytes+len(e.frame) > batch) {
			break
		}
		into = append(into, e)
		if bytes += len(e.frame); e.last {
			break
		}
	}
	return into
}

// batch is about how many bytes are written at once.
const batch = 64 << 10

// Join returns a new reader, which gets the prelude and all entries that are appended from now on; nil if it
// gets no shard. Its snapshot contains publishes up to the number from. Only the hub calls Join.
func (l *Log) Join(p *Prelude, from uint64, sockets *Sockets) *Reader {
	shard := sockets.shard(l)
	if shard == nil {
		return nil
	}
	now := time.Now()
	r := &Reader{shard: shard, prelude: p, from: from, id: p.last, stops: now.Add(lifetime()),
		beats: now.Add(deadlines.Heartbeat)}
	p.keep()
	l.join(r)
	return r
}

func (l *Log) join(r *Reader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.log, r.next, r.joinedEnd, r.moved = l, l.end, l.ends.count, time.Now()
	l.open++
	l.live++
	l.members.add(r)
}

// leave is called once for each reader that joined.
func (l *Log) leave(r *Reader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.members.remove(r)
	l.open--
	if r.joinedEnd == l.ends.count {
		l.live--
	}
	l.clearLast()
}

// Readers returns the number of readers that have joined since the last end.
func (l *Log) Readers() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.live
}

// finish records that all streams end with the last entry.
func (l *Log) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.live = 0
	l.ends = ends{l.ends.count + 1, l.end - 1, time.Now()}
}

// Close means that nothing more is appended, so the shards end with their last readers.
func (l *Log) Close() {
	l.closeEntries()
	l.frames.close()
}

func (l *Log) closeEntries() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	l.clearLast()
	l.wake()
}
