// Package lookup lets callers who ask a store the same kind of question at the same moment share one query.
// However many ask, a Group holds no more than Limits.Queries connections of the pool, also while the table
// is locked: everybody else waits without one.
package lookup

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Limits bound a Group.
type Limits struct {
	Queries int           // under way at once: while one travels, the next gathers
	Batch   int           // questions in one query
	Timeout time.Duration // how long a caller waits at least before it gets an error; a fifth longer at the most
}

// ErrUnanswered means that whoever ran the query panicked.
var ErrUnanswered = errors.New("lookup: the query was given up")

// Question is one caller's key and what was found for it. Read sets Found, or leaves it zero.
type Question[K, V any] struct {
	Key   K
	Found V

	err  error
	lead chan bool // true: send the next query; false: here is the answer. Its one place is free whenever somebody sends
}

// Read answers a batch with one query. The same key may be there more than once.
type Read[K, V any] func(ctx context.Context, batch []*Question[K, V]) error

// Group runs nothing of its own: a query runs on the goroutine of the first of those whom it answers.
//
// None joins a query already sent, so an answer is never older than a query of its own would have given:
// what was deleted before Find was called is never found. Safe for concurrent use.
type Group[K, V any] struct {
	limits    Limits
	read      Read[K, V]
	deadlines deadlines
	idle      sync.Pool // of *Question

	mu       sync.Mutex
	underWay int
	waiting  []*Question[K, V] // none, unless limits.Queries are under way
}

// New makes a Group that has asked nothing yet.
func New[K, V any](limits Limits, read Read[K, V]) *Group[K, V] {
	g := &Group[K, V]{limits: limits, read: read}
	g.idle.New = func() any { return &Question[K, V]{lead: make(chan bool, 1)} }
	return g
}

// Find returns the zero V when there is nothing. It waits for nobody who leaves: a query that its caller
// cuts off would cost the pool a connection. Whoever waits for another's query came after the one who runs
// it, whose deadline is not later.
func (g *Group[K, V]) Find(key K) (V, error) {
	ctx := g.deadlines.within(g.limits.Timeout)
	own := g.idle.Get().(*Question[K, V])
	var nothing V
	own.Key, own.Found, own.err = key, nothing, nil
	if g.enter(own) || <-own.lead {
		g.run(ctx, g.gather(own))
	}
	found, err := own.Found, own.err
	own.Found = nothing // so that the idle one keeps nothing alive
	g.idle.Put(own)
	return found, err
}

// Load tells how many queries are under way and how many callers wait for the next one.
func (g *Group[K, V]) Load() (underWay, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.underWay, len(g.waiting)
}

// enter takes a free slot, or a place in the queue.
func (g *Group[K, V]) enter(own *Question[K, V]) (slot bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.underWay < g.limits.Queries {
		g.underWay++
		return true
	}
	g.waiting = append(g.waiting, own)
	return false
}

// gather takes along who has come by now.
func (g *Group[K, V]) gather(own *Question[K, V]) []*Question[K, V] {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := min(len(g.waiting), g.limits.Batch-1)
	batch := make([]*Question[K, V], 1, 1+n)
	batch[0] = own
	batch = append(batch, g.waiting[:n]...)
	g.waiting = slices.Delete(g.waiting, 0, n)
	return batch
}

// run answers a batch that its first question leads, and gives the slot back also when read panics.
func (g *Group[K, V]) run(ctx context.Context, batch []*Question[K, V]) {
	err := ErrUnanswered
	defer func() {
		g.leave()
		batch[0].err = err
		for _, other := range batch[1:] {
			other.err = err
			other.lead <- false
		}
	}()
	err = g.read(ctx, batch)
}

// leave hands the slot to the first who waits, on whose goroutine the next query runs.
func (g *Group[K, V]) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 {
		g.underWay--
		return
	}
	next := g.waiting[0]
	g.waiting = slices.Delete(g.waiting, 0, 1)
	next.lead <- true
}
