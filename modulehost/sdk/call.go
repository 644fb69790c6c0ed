package sdk

import (
	"context"
	"time"
)

// semaphore bounds how many goroutines do something at the same time.
type semaphore chan struct{}

// acquire waits for a free slot until ctx ends.
func (p semaphore) acquire(ctx context.Context) error {
	select {
	case p <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p semaphore) release() { <-p }

// withCallDeadline returns the context of a call to the platform. A context without a deadline gets one after
// within. In a handler, the call ends callMargin before the handler's context, so that the handler can still
// respond. A context that is detached from the handler's (context.WithoutCancel) and has a later deadline
// keeps its own.
func withCallDeadline(ctx context.Context, within time.Duration) (context.Context, context.CancelFunc) {
	until, limited := ctx.Deadline()
	if !limited {
		return context.WithTimeout(ctx, within)
	}
	if handler, ok := ctx.Value(handlerKey{}).(*handlerContext); ok {
		ends, _ := handler.Deadline()
		if last := ends.Add(-callMargin); !until.After(ends) && last.Before(until) {
			return context.WithDeadline(ctx, last)
		}
	}
	return ctx, func() {}
}
