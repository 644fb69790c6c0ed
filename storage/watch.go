package storage

import (
	"context"
	"time"
)

// watch cancels a transfer in which no bytes are transferred for a time. It limits each wait, not their sum:
// a transfer may take any time as long as it makes progress.
type watch struct {
	stall  time.Duration
	timer  *time.Timer
	cancel context.CancelFunc
}

// watched returns a context that ends when there is no progress for stall. The watch must be ended.
func watched(ctx context.Context, stall time.Duration) (context.Context, *watch) {
	ctx, cancel := context.WithCancel(ctx)
	return ctx, &watch{stall: stall, timer: time.AfterFunc(stall, cancel), cancel: cancel}
}

func (w *watch) progress() { w.timer.Reset(w.stall) }

// pause stops the clock until the next progress.
func (w *watch) pause() { w.timer.Stop() }

func (w *watch) end() {
	w.timer.Stop()
	w.cancel()
}
