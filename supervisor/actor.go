package supervisor

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"github.com/thejerf/suture/v4"
	"go.uber.org/zap"
)

// sutureTimeout is suture's own limit for a stop. The tree measures every grace itself, so this one only
// has to exceed them all. A shorter one would make suture report services that are still within their
// grace.
const sutureTimeout = 24 * time.Hour

// spec returns suture's settings, for the root and for every branch. Suture restarts at once, always: the
// pause before a restart is the actor's (backoff.go), because suture's own pauses have jitter and its count
// of failures decays, so they cannot be exact. Suture's events are dropped, because an event may hold a
// service's error, a panic's value or a stack; the tree logs what happens itself.
func spec() suture.Spec {
	return suture.Spec{EventHook: func(suture.Event) {}, Timeout: sutureTimeout,
		FailureThreshold: math.MaxFloat64}
}

// actor is a Child in the tree. Suture serves it; ended adds what suture lacks, a way to wait for the end
// of one service.
type actor struct {
	Child
	name  string
	tree  *Tree
	token suture.ServiceToken

	backoff backoff
	leaving atomic.Bool   // set before its branch may end: the tree stops the service, or it is not restarted
	err     error         // what it failed with, at its start or its stop; readable once ended is closed
	ended   chan struct{} // closed when Serve has returned and will not be called again
}

// Serve waits for the pause after a crash, calls the service's Serve once, and returns what suture has to
// do next.
func (a *actor) Serve(ctx context.Context) (err error) {
	a.awaitRestart(ctx)
	// The service was removed between a crash and its restart; or it has failed for good by runtime.Goexit,
	// which suture treats like nil.
	if ctx.Err() != nil || a.leaving.Load() {
		return suture.ErrTerminateSupervisorTree
	}
	// Deferred, so that it also runs after a panic and after runtime.Goexit.
	defer func() {
		if recover() != nil {
			a.tree.log.Error("service panicked", zap.String("service", a.name))
			err = a.failure(ErrPanicked, nil, "panicked")
		}
		err = a.settle(ctx, err)
	}()
	return a.Service.Serve(ctx)
}

// settle records how Serve ended and returns what suture has to do. It returns only suture's errors and
// ErrFailed: nil would mean "restart me" to suture, and suture must not see the service's own error.
func (a *actor) settle(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		if codeOf(err) != "" && !errors.Is(err, context.Canceled) {
			a.err = err
		}
		return suture.ErrTerminateSupervisorTree
	}
	failure := a.explain(err)
	if !isClosed(a.Service.Ready()) {
		a.err = failure
		a.leaving.Store(true)
		return suture.ErrTerminateSupervisorTree // ends its own supervisor, and with that the branch
	}
	if !errors.Is(err, ErrPanicked) { // a panic is already logged
		a.tree.log.Error("service crashed", zap.String("service", a.name), zap.String("code", codeOf(failure)))
	}
	if a.OnCrash == Restart {
		a.restartLater()
		return ErrFailed
	}
	a.leaving.Store(true)
	a.tree.fail(failure)
	return suture.ErrTerminateSupervisorTree
}

// explain returns the error, with a code, for an end that was not requested.
func (a *actor) explain(err error) error {
	switch {
	case err == nil:
		return a.failure(ErrEnded, nil, "ended by itself")
	case codeOf(err) == "":
		return a.failure(ErrFailed, err, "failed")
	}
	return err
}

func (a *actor) failure(reason Error, cause error, sentence string) *Failure {
	return &Failure{Service: a.name, Reason: reason, Cause: cause, sentence: sentence}
}

// String names the actor. Without this method suture would use %#v, which prints every field.
func (a *actor) String() string { return a.name }

// branch is the suture supervisor of one actor. It ends when the actor has ended, also during a pause, when
// Serve is not running.
type branch struct {
	*suture.Supervisor
	actor *actor
}

// Serve runs until the branch is removed or its actor has ended for good. After any other end, such as a
// panic of the supervisor, the service would be down unnoticed, so the process has to end.
func (b branch) Serve(ctx context.Context) (err error) {
	defer func() {
		_ = recover()
		err = suture.ErrDoNotRestart // ErrTerminateSupervisorTree would end the root too
		if !b.actor.leaving.Load() {
			b.actor.tree.fail(b.actor.failure(ErrTreeEnded, nil, "lost its supervisor"))
		}
		close(b.actor.ended)
	}()
	return b.Supervisor.Serve(ctx)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
