// Package supervisor starts and stops services in order. Levels start one after the other. A failed start
// is rolled back in reverse order. A crashed service is restarted with backoff. Every wait has a deadline.
//
// A service in the tree:
//
//	Start → Serve … Ready closed ─┬─ crash ── Restart: a pause, then Serve; EndProcess: Failed
//	          │                   └─ Stop ─── its ctx ends, then that of the next older one
//	          └─ ended, panicked or late before ready: rollback, newest first
//
// Every service has a suture supervisor of its own under one root, so that the tree can wait for the end of
// one service alone. The pauses between restarts belong to the actor (backoff.go), so a service that
// crashes again and again does not delay its siblings. Suture cancels all children of a supervisor at the
// same instant. The tree therefore stops services by removing them one by one; it never cancels a parent
// that still has children.
package supervisor

import (
	"context"
	"sync"

	"github.com/thejerf/suture/v4"
	"go.uber.org/zap"
)

// Service is one actor of the tree.
//
// Serve does the work on the goroutine that calls it. It returns only when that work, and every goroutine
// it started, has ended. It returns soon after ctx ends, at the latest within the grace that its Child
// declares. Clean-up that has to wait uses a fresh, bounded context, because ctx has ended by then. What
// the return of Serve means depends on when it happens:
//
//   - Before Ready is closed, and not asked to stop: the start has failed. Serve must have cleaned up,
//     because it is not called again.
//   - After Ready is closed, and not asked to stop: a crash, whatever Serve returns, nil too. Child.OnCrash
//     decides what follows.
//   - After ctx has ended: it stopped. A coded error (Code() string) is a failure of the stop and is
//     reported by Stop, unless it wraps context.Canceled, which is the request itself. Errors without a
//     code are ignored here.
//
// A panic counts as a failure with ErrPanicked at the same point. Its value and stack are dropped.
//
// A restart calls Serve again on the same value, never while an earlier call runs, with a new ctx. Serve
// may assume nothing about the previous call: state belongs in its local variables. Ready always returns
// the same channel. The channel is closed once, when the service can do its work for the first time, and
// stays closed over restarts. Ready may be called at any time.
//
// String is a fixed name. It reaches logs and errors that callers see: no host, path or secret in it.
type Service interface {
	Serve(ctx context.Context) error // blocks until ctx ends
	Ready() <-chan struct{}          // closed once it can do its work
	String() string                  // a fixed name
}

// Tree starts and stops services in order. All methods are safe for concurrent use. A tree is used once:
// after Stop, or after a Start that failed, it starts nothing more.
type Tree struct {
	log *zap.Logger

	// turn is held by the caller that changes the fields below, while a level starts or a stop runs. It is a
	// channel and not a mutex because it is held during waits: testing/synctest treats a wait on a channel as
	// idle, but not a wait on a mutex.
	turn    chan struct{}
	root    *suture.Supervisor // nil until the first Start
	cancel  context.CancelFunc // ends root; called only after every child was asked to stop
	rootEnd <-chan error
	actors  []*actor // in order of start
	stopped bool
	report  []error // the errors of the stop, returned to every caller of Stop

	halt     func() // closes stopping, once
	stopping chan struct{}

	breakOnce sync.Once
	failure   error         // readable once broken is closed
	broken    chan struct{} // closed when the process has to end
	failed    chan error    // delivers failure to the caller of Failed
}

// New returns an empty tree. It runs nothing until the first Start.
func New(log *zap.Logger) *Tree {
	stopping := make(chan struct{})
	return &Tree{
		log:      log,
		turn:     make(chan struct{}, 1),
		halt:     sync.OnceFunc(func() { close(stopping) }),
		stopping: stopping,
		broken:   make(chan struct{}),
		failed:   make(chan error, 1),
	}
}

// Failed delivers at most one value: the reason why the process has to end. It is the coded error of an
// EndProcess service that ended after ready, or ErrTreeEnded when a service lost its supervisor. The
// channel is never closed. The receiver should call Stop.
func (t *Tree) Failed() <-chan error { return t.failed }

// fail records the first reason to end the process. It never blocks.
func (t *Tree) fail(err error) {
	t.breakOnce.Do(func() {
		t.failure = err
		close(t.broken)
		t.failed <- err
	})
}
