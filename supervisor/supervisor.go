// Package supervisor owns the order in which services start and stop: levels start one after the other, a failed start is
// rolled back in reverse, a crashed service comes back with backoff, and every wait has a deadline.
//
// The life of a service in the tree:
//
//	Start → Serve … Ready closed ─┬─ crash ── Restart: a pause, then Serve again · EndProcess: Failed
//	          │                   └─ Stop ─── its ctx ends; its grace runs; the next older one follows
//	          └─ ended, panicked or late before ready: rollback, newest first
//
// Every service has a suture supervisor of its own beneath one root, so that its end can be waited for apart from its siblings'. The pauses
// between restarts are the actor's own (backoff.go), so a flapping service does not hold up its siblings. Suture cancels all children of a supervisor at the same instant, so the order of a
// stop comes from removing services one by one, never from cancelling a parent that still has children.
package supervisor

import (
	"context"
	"sync"

	"github.com/thejerf/suture/v4"
	"go.uber.org/zap"
)

// Service is one actor of the tree.
//
// Serve does the work on the goroutine it is called on and returns only when that work, and every goroutine it started, has
// ended. It returns soon after ctx ends, at the latest within the grace that its Child declares; clean-up that has to
// wait uses a fresh, bounded context, because ctx has ended by then. What Serve returns means:
//
//   - Before Ready is closed, and not asked to stop: the start has failed, for good. Clean up first; nobody calls again.
//   - After Ready is closed, and not asked to stop: a crash, whatever the value, nil too. Child.OnCrash decides.
//   - After ctx has ended: it stopped. A coded error (Code() string) is a failure of the stop and is reported by Stop, unless
//     it wraps context.Canceled, which is the request itself. Errors without a code say nothing here.
//
// A panic counts as a failure with ErrPanicked at the same point of life; its value and stack are dropped.
//
// A restart calls Serve again on the same value, never while an earlier call runs, with a new ctx. It may assume nothing of
// the run before: state belongs in locals of Serve. Ready returns the same channel for the life of the value: it is closed
// once, when the service can first do its work, stays closed over restarts, and may be asked at any time.
//
// String is a fixed name. It reaches logs and errors that callers see: no host, path or secret in it.
type Service interface {
	Serve(ctx context.Context) error // blocks until ctx ends
	Ready() <-chan struct{}          // closed once it can do its work
	String() string                  // a fixed name
}

// Tree starts and stops services in order. All methods are safe for concurrent use. A tree lives once: after Stop, or after a
// Start that failed, it starts nothing more.
type Tree struct {
	log *zap.Logger

	// turn is taken by whoever changes the fields below, for as long as a level starts or a stop lasts. It is a channel and
	// not a mutex because it is held over waits, which testing/synctest can only see through on channels.
	turn    chan struct{}
	root    *suture.Supervisor // nil until the first Start
	cancel  context.CancelFunc // ends root; only when no child is left that could be stopped in order
	rootEnd <-chan error
	actors  []*actor // in order of start
	stopped bool
	report  []error // what Stop found; repeated to every caller of Stop

	halt     func() // closes stopping, once
	stopping chan struct{}

	breakOnce sync.Once
	failure   error         // readable once broken is closed
	broken    chan struct{} // closed when the process has to end
	failed    chan error    // the same, for whoever waits on Failed
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

// Failed delivers at most one value: why the process has to end. It is the coded error of an EndProcess service that ended
// after ready, or ErrTreeEnded when a service lost its supervisor. The channel is never closed. The caller then calls Stop.
func (t *Tree) Failed() <-chan error { return t.failed }

// fail keeps the first reason to end the process. It never blocks.
func (t *Tree) fail(err error) {
	t.breakOnce.Do(func() {
		t.failure = err
		close(t.broken)
		t.failed <- err
	})
}
