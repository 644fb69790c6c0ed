package identity

import (
	"context"
	"errors"
	"slices"
	"sync"
)

const (
	lookupQueries = 2   // under way at once: while one travels, the next gathers
	lookupBatch   = 128 // look-ups in one query
)

// errUnanswered: whoever ran the query panicked.
var errUnanswered = errors.New("identity: the session query was given up")

// lookup is one caller's question and its answer.
type lookup struct {
	hash  tokenHash
	found session
	err   error
	lead  chan bool // true: send the next query; false: here is the answer. Its one place is free whenever somebody sends
}

// lookups lets the session look-ups that wait at the same moment share one query. It runs nothing of its own: a query runs on the
// goroutine of the first of those whom it answers.
//
// None joins a query already sent, so an answer is never older than a query of its own would have given: a session that was ended
// before the look-up began is never found. Safe for concurrent use.
type lookups struct {
	read func(ctx context.Context, batch []*lookup) error // answers those of batch whose session lives
	idle sync.Pool                                        // of *lookup

	mu       sync.Mutex
	underWay int
	waiting  []*lookup // none, unless lookupQueries are under way
}

func newLookups(read func(context.Context, []*lookup) error) *lookups {
	return &lookups{read: read, idle: sync.Pool{New: func() any { return &lookup{lead: make(chan bool, 1)} }}}
}

// find returns the zero session when there is none. ctx must have a deadline and no other end: whoever waits for another's query came
// after the one who runs it, whose deadline is not later.
func (l *lookups) find(ctx context.Context, hash tokenHash) (session, error) {
	own := l.idle.Get().(*lookup)
	own.hash, own.found, own.err = hash, session{}, nil
	if l.enter(own) || <-own.lead {
		l.run(ctx, l.gather(own))
	}
	found, err := own.found, own.err
	l.idle.Put(own)
	return found, err
}

// enter takes a free slot, or a place in the queue.
func (l *lookups) enter(own *lookup) (slot bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.underWay < lookupQueries {
		l.underWay++
		return true
	}
	l.waiting = append(l.waiting, own)
	return false
}

// gather takes along who has come by now.
func (l *lookups) gather(own *lookup) []*lookup {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(l.waiting), lookupBatch-1)
	batch := make([]*lookup, 1, 1+n)
	batch[0] = own
	batch = append(batch, l.waiting[:n]...)
	l.waiting = slices.Delete(l.waiting, 0, n)
	return batch
}

// run answers a batch that its first look-up leads, and gives the slot back also when read panics.
func (l *lookups) run(ctx context.Context, batch []*lookup) {
	err := errUnanswered
	defer func() {
		l.leave()
		batch[0].err = err
		for _, other := range batch[1:] {
			other.err = err
			other.lead <- false
		}
	}()
	err = l.read(ctx, batch)
}

// leave hands the slot to the first who waits, on whose goroutine the next query runs.
func (l *lookups) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.underWay--
		return
	}
	next := l.waiting[0]
	l.waiting = slices.Delete(l.waiting, 0, 1)
	next.lead <- true
}
