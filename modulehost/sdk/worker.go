package sdk

import (
	"context"
	"time"
)

// Worker is one goroutine that does a module's work in the background, such as sending the mails that wait in
// the database. NewWorker starts it. It is safe for concurrent use.
type Worker struct {
	woken chan struct{}
	end   context.CancelFunc
	ended chan struct{}
}

// NewWorker starts a worker, in Start. It calls work whenever Wake is called, which may be once for several
// calls, and after the time that work returns; 0: not by itself. What has to happen although no process lives
// is for Registry.Every.
func NewWorker(work func(ctx context.Context) (again time.Duration)) *Worker {
	ctx, end := context.WithCancel(context.Background())
	w := &Worker{make(chan struct{}, 1), end, make(chan struct{})}
	go func() {
		defer close(w.ended)
		var due <-chan time.Time // nil: only when it is woken
		for {
			select {
			case <-ctx.Done():
				return
			case <-w.woken:
			case <-due:
			}
			due = nil
			if again := work(ctx); again > 0 {
				due = time.After(again)
			}
		}
	}()
	return w
}

// Wake has the work done. It does not block.
func (w *Worker) Wake() {
	select {
	case w.woken <- struct{}{}:
	default: // it is already woken
	}
}

// Stop ends the context of work, and waits for the end of what is being done. A module calls it in its own
// Stop, which the platform calls also without a Start: of a nil Worker it does nothing.
func (w *Worker) Stop(ctx context.Context) error {
	if w == nil {
		return nil
	}
	w.end()
	select {
	case <-w.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
