package identity

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const maxWaiting = 64 // callers that may wait for a slot

// semaphore bounds how many password hashes run at the same time, because each needs a core for about
// 20 ms and 19 MiB of memory. A waiting caller has not allocated that memory yet.
type semaphore struct {
	slots   chan struct{}
	wait    time.Duration // for a slot
	waiting atomic.Int32
}

func newSemaphore(atOnce int) *semaphore {
	return &semaphore{slots: make(chan struct{}, atOnce), wait: deadlines.Hash}
}

// acquire waits for a slot, first come first served. errBusy: the queue is full, the wait was too long, or
// the client has disconnected and nobody reads the response.
func (g *semaphore) acquire(ctx context.Context) error {
	select {
	case g.slots <- struct{}{}:
		return nil
	default:
	}
	if g.waiting.Add(1) > maxWaiting {
		g.waiting.Add(-1)
		return errBusy
	}
	defer g.waiting.Add(-1)
	ctx, cancel := context.WithTimeout(ctx, g.wait)
	defer cancel()
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return errBusy
	}
}

// release frees a slot that acquire granted.
func (g *semaphore) release() { <-g.slots }
