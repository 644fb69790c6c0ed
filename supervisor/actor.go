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

// patience is how long suture itself waits for what it was told to stop. The tree measures every grace on its own, so this
// only has to exceed them all: a shorter one would make suture report services that are well within their grace.
const patience = 24 * time.Hour

// spec is the same for the root and every branch. The pause before a restart is the actor's (backoff.go), because suture's own cannot be
// exact: its failures decay and its pauses have jitter. So suture always restarts at once. Suture's events are dropped: the tree logs
// what happens where it happens, and an event may hold a service's error, a panic's value or a stack.
func spec() suture.Spec {
	return suture.Spec{EventHook: func(suture.Event) {}, Timeout: patience, FailureThreshold: math.MaxFloat64}
}

// actor is a Child in the tree: what suture runs, and the end that suture offers no wait for.
type actor struct {
	Child
	name  string
	tree  *Tree
	token suture.ServiceToken

	backoff backoff
	leaving atomic.Bool   // set before its branch may end: the tree stops it, or it has failed for good
	err     error         // what it failed with, at its start or its stop; readable once ended is closed
	ended   chan struct{} // closed when it will not be served again and no call is left
}

// Serve waits for the pause after a crash, runs the service once for suture and says what that end means to it.
func (a *actor) Serve(ctx context.Context) (err error) {
	a.rest(ctx)
	// Removed between a crash and its restart; or it has failed for good by runtime.Goexit, which suture takes for nil.
	if ctx.Err() != nil || a.leaving.Load() {
		return suture.ErrTerminateSupervisorTree
	}
	// Deferred, so that a panic and runtime.Goexit come by here too.
	defer func() {
		if recover() != nil {
			a.tree.log.Error("service panicked", zap.String("service", a.name))
			err = a.failure(ErrPanicked, nil, "panicked")
		}
		err = a.settle(ctx, err)
	}()
	return a.Service.Serve(ctx)
}

// settle records an end of Serve and returns what suture has to do. It hands suture only errors of this file: Serve returning
// nil would mean "restart me", and what a service returns is nobody's business in there.
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
	if !errors.Is(err, ErrPanicked) { // that has its line already
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

// explain makes sure that an unwanted end carries a code.
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

// String keeps suture from naming it by %#v, which prints every field.
func (a *actor) String() string { return a.name }

// branch is the supervisor of one actor. Its end is the actor's, also when that was waiting out a backoff and not running.
type branch struct {
	*suture.Supervisor
	actor *actor
}

// Serve runs until the branch is removed or its actor has ended for good. Any other end, a panic of the supervisor included,
// would leave the service down with nobody told.
func (b branch) Serve(ctx context.Context) (err error) {
	defer func() {
		_ = recover()
		err = suture.ErrDoNotRestart // and not the actor's wish to end, which would take the root along
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
