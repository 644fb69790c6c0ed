package gateway

import (
	"context"
	"sync/atomic"
	"time"
)

// queue bounds the calls of one module that are under way, and those that wait for a place.
type queue struct {
	places  chan struct{}
	waiting atomic.Int64
	limits  limits
}

func newQueue(limits limits) *queue {
	return &queue{places: make(chan struct{}, limits.inFlight), limits: limits}
}

// enter takes a place, to be given back with leave. ErrOverloaded when the queue is full or has not moved in time.
func (q *queue) enter(ctx context.Context) error {
	select {
	case q.places <- struct{}{}:
		return nil
	default:
	}
	defer q.waiting.Add(-1)
	if q.waiting.Add(1) > int64(q.limits.waiting) {
		return ErrOverloaded
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

func (q *queue) leave() { <-q.places }
