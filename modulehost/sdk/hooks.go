package sdk

import (
	"context"
	"errors"
	"sync"
)

// hooks keeps Start and Stop from running at the same time: the platform may call Stop while Start runs, when
// another module has failed or the platform shuts down.
type hooks struct {
	mu          sync.Mutex
	stopped     bool               // Stop was called
	cancelStart context.CancelFunc // nil: Start was not called
	startEnded  chan struct{}
}

var errStopped = errors.New("the platform has stopped the module")

// enterStart returns the context for Start, and leave, which must be called when Start has returned. It
// returns an error when Stop was called before.
func (h *hooks) enterStart(ctx context.Context) (_ context.Context, leave func(), _ error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return nil, nil, errStopped
	}
	ctx, h.cancelStart = context.WithCancel(ctx)
	ended := make(chan struct{})
	h.startEnded = ended
	return ctx, func() { close(ended) }, nil
}

// enterStop cancels Start's context and waits until Start has returned. If ctx ends first, it returns ctx's
// error, and Stop must not run.
func (h *hooks) enterStop(ctx context.Context) error {
	h.mu.Lock()
	h.stopped = true
	cancel, ended := h.cancelStart, h.startEnded
	h.mu.Unlock()
	if cancel == nil {
		return nil
	}
	cancel()
	select {
	case <-ended:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *hooks) stopCalled() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stopped
}
