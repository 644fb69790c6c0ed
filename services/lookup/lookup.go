// Package lookup combines simultaneous look-ups of the same kind into one query. However many callers there
// are, a Group uses at most Limits.Queries connections of the pool, also while the table is locked. The other
// callers wait without a connection.
package lookup

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Limits are the limits of a Group.
type Limits struct {
	Queries int           // that run at the same time; further callers wait for the next query
	Batch   int           // most questions in one query
	Timeout time.Duration // a caller gets an error after this time at the latest
}

// ErrUnanswered means that the goroutine that ran the query has panicked.
var ErrUnanswered = errors.New("lookup: the query was given up")

// Question is one caller's key and its result. Read sets Found, or leaves it zero.
type Question[K, V any] struct {
	Key   K
	Found V

	err error
	// lead receives true if this caller must run the next query, and false if its result is ready. Its buffer of
	// one is empty at each send, so that no send waits.
	lead chan bool
}

// Read fills in the results of a batch of questions with one query. The same key can occur more than once.
type Read[K, V any] func(ctx context.Context, batch []*Question[K, V]) error

// Group starts no goroutine: a query runs on the goroutine of the first caller in its batch.
//
// No caller joins a query that was already sent, so a result is never older than that of a separate query: a
// row that was deleted before the call of Find is never found. Group is safe for concurrent use.
type Group[K, V any] struct {
	limits Limits
	read   Read[K, V]
	idle   sync.Pool // of *Question

	mu       sync.Mutex
	underWay int
	waiting  []*Question[K, V] // empty, unless limits.Queries are running
}

// New makes a Group.
func New[K, V any](limits Limits, read Read[K, V]) *Group[K, V] {
	g := &Group[K, V]{limits: limits, read: read}
	g.idle.New = func() any { return &Question[K, V]{lead: make(chan bool, 1)} }
	return g
}

// Find returns the zero V when nothing was found. It does not stop when the client disconnects, because a
// cancelled query would cost the pool a connection. A caller that waits for another caller's query arrived
// later than that caller, so its deadline is not earlier.
func (g *Group[K, V]) Find(key K) (V, error) {
	deadline := time.Now().Add(g.limits.Timeout)
	own := g.idle.Get().(*Question[K, V])
	var nothing V
	own.Key, own.Found, own.err = key, nothing, nil
	if g.enter(own) || <-own.lead {
		runtime.Gosched() // callers that are about to ask join this query
		ctx, cancel := context.WithDeadline(context.Background(), deadline)
		g.run(ctx, g.gather(own))
		cancel()
	}
	found, err := own.Found, own.err
	own.Found = nothing // so that the pooled question does not keep the result in memory
	g.idle.Put(own)
	return found, err
}

// Load returns how many queries are running and how many callers wait for the next one.
func (g *Group[K, V]) Load() (underWay, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.underWay, len(g.waiting)
}

// enter acquires a free slot, or adds the question to the queue.
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

// gather makes a batch of the caller's own question and the waiting ones.
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

// run runs the query of a batch on the goroutine of its first caller. It releases the slot even if read
// panics.
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

// leave passes the slot to the first waiting caller, which runs the next query.
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
