package sdk

import (
	"context"
	"time"
)

// places bound how many do something at once.
type places chan struct{}

// take waits for a place until ctx ends.
func (p places) take(ctx context.Context) error {
	select {
	case p <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p places) leave() { <-p }

// bounded is the context of a call to the platform. One that has no deadline gets one after within; a
// handler's leaves the handler time to answer. A context that was detached from the handler's
// (context.WithoutCancel) and lasts longer is its own.
func bounded(ctx context.Context, within time.Duration) (context.Context, context.CancelFunc) {
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
