package gateway

import (
	"context"
	"sync/atomic"
	"time"
)

// The bounds of one module (contract.md §7).
const (
	maxInFlight  = 256
	maxWaiting   = 1024
	maxQueueTime = 5 * time.Second
)

// queue bounds the calls of one module that are under way, and those that wait for a place.
type queue struct {
	places  chan struct{}
	waiting atomic.Int64
}

func newQueue() *queue { return &queue{places: make(chan struct{}, maxInFlight)} }

// enter takes a place, to be given back with leave. ErrOverloaded when the queue is full or has not moved in time.
func (q *queue) enter(ctx context.Context) error {
	select {
	case q.places <- struct{}{}:
		return nil
	default:
	}
	defer q.waiting.Add(-1)
	if q.waiting.Add(1) > maxWaiting {
		return ErrOverloaded
	}
	timeout := time.NewTimer(maxQueueTime)
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
