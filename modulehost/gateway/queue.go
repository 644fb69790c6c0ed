package gateway

import (
	"context"
	"sync/atomic"
	"time"
)

// queue bounds the calls of one module that are under way, and those that wait for a place. A call joins the
// queue before its body is read into memory, and takes a place when it has the body: a slow sender takes
// no place.
type queue struct {
	places chan struct{}
	joined atomic.Int64
	limits limits
}

func newQueue(limits limits) *queue {
	return &queue{places: make(chan struct{}, limits.inFlight), limits: limits}
}

// join lets a call into the queue, to be left with leave. ErrOverloaded when the queue is full.
func (q *queue) join() error {
	if q.joined.Add(1) > int64(q.limits.inFlight+q.limits.waiting) {
		q.joined.Add(-1)
		return ErrOverloaded
	}
	return nil
}

func (q *queue) leave() { q.joined.Add(-1) }

// enter takes a place, to be given back with done. ErrOverloaded when the queue has not moved in time.
func (q *queue) enter(ctx context.Context) error {
	select {
	case q.places <- struct{}{}:
		return nil
	default:
	}
	timeout := time.NewTimer(q.limits.queue)
	defer timeout.Stop()
	select {
	case q.places <- struct{}{}:
		return nil
	case <-timeout.C:
		return ErrOverloaded
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (q *queue) done() { <-q.places }
