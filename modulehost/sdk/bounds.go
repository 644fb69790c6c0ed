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

// bounded gives a context that has no deadline of its own one after within.
func bounded(ctx context.Context, within time.Duration) (context.Context, context.CancelFunc) {
	if _, has := ctx.Deadline(); has {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, within)
}
