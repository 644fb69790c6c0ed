package gateway

import (
	"context"
	"sync/atomic"
	"time"
)

// queue bounds the calls of one module that are in progress, and those that wait for a slot. A call joins the
// queue before its body is read into memory, and enters a slot when its body is complete, so a slow sender
// occupies no slot.
type queue struct {
	places chan struct{}
	joined atomic.Int64
	limits limits
}

func newQueue(limits limits) *queue {
	return &queue{places: make(chan struct{}, limits.inFlight), limits: limits}
}

// join adds a call to the queue; leave removes it. It returns ErrOverloaded if the queue is full.
func (q *queue) join() error {
	if q.joined.Add(1) > int64(q.limits.inFlight+q.limits.waiting) {
		q.joined.Add(-1)
		return ErrOverloaded
	}
	return nil
}

func (q *queue) leave() { q.joined.Add(-1) }

// enter waits for a slot, which done frees. It returns ErrOverloaded if none was freed in time.
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
