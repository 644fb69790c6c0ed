package supervisor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/thejerf/suture/v4"
	"go.uber.org/zap"
)

// Start starts children together, as one level whose services do not need each other, and waits until all of
// them are ready. A second Start waits for the first.
//
// When a child fails before ready, is not ready in time, or an EndProcess service of the tree fails in the
// meantime, Start stops everything that runs, this level and all earlier ones, newest first. The error joins
// the original failure, always first, and the failures of the stops, in their order. Each of them carries a
// code. A child may never have been served when a sibling failed at once.
//
// The end of ctx counts as such a failure, with ErrStartCancelled. After Start has returned nil, ctx no
// longer affects the tree. A Stop during Start makes Start return ErrTreeStopped, and Stop does the stopping.
// From then on Start always returns ErrTreeStopped.
func (t *Tree) Start(ctx context.Context, children ...Child) error {
	t.turn <- struct{}{}
	defer func() { <-t.turn }()

	err := t.startLevel(ctx, children)
	if err == nil || errors.Is(err, ErrTreeStopped) {
		return err
	}
	return errors.Join(append([]error{err}, t.stopAll(Child.rollbackCode)...)...)
}

func (t *Tree) startLevel(ctx context.Context, children []Child) error {
	if err := t.interrupted(ctx); err != nil {
		return err
	}
	return t.awaitLevel(ctx, t.launch(children))
}

// launch adds the children to suture, which serves them at once.
func (t *Tree) launch(children []Child) []*actor {
	if t.root == nil {
		// The root has a context of its own: the end of the caller's would cancel all services at the same
		// instant.
		ctx, cancel := context.WithCancel(context.Background())
		t.root, t.cancel = suture.New("narthex", spec()), cancel
		t.rootEnd = t.root.ServeBackground(ctx)
	}
	earlier := len(t.actors)
	for _, c := range children {
		a := &actor{Child: c.withDefaults(), name: c.Service.String(), tree: t, ended: make(chan struct{})}
		own := suture.New(a.name, spec())
		own.Add(a)
		a.token = t.root.Add(branch{own, a})
		t.actors = append(t.actors, a)
	}
	return t.actors[earlier:]
}

// awaitLevel returns nil when all are ready, else the first failure. Its goroutines have ended when it
// returns.
func (t *Tree) awaitLevel(ctx context.Context, level []*actor) error {
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	type outcome struct {
		actor *actor
		err   error
	}
	outcomes := make(chan outcome, len(level))
	for _, a := range level {
		go func() { outcomes <- outcome{a, t.awaitReady(ctx, a)} }()
	}
	var first outcome
	for range level {
		if o := <-outcomes; o.err != nil && first.err == nil {
			first = o
			enough()
		}
	}
	if first.err != errEndedEarly {
		return first.err
	}
	// Cleared, because the rollback reports the errors it finds: this error is returned here, and that of a
	// second failed service by the rollback.
	err := first.actor.err
	first.actor.err = nil
	if err == nil { // an EndProcess service that was ready for a moment
		err = t.interrupted(ctx)
	}
	return err
}

// errEndedEarly is internal to this file: awaitLevel returns the actor's own error instead.
var errEndedEarly = errors.New("ended before ready")

func (t *Tree) awaitReady(ctx context.Context, a *actor) error {
	deadline := time.NewTimer(a.ReadyWithin)
	defer deadline.Stop()
	select {
	case <-a.Service.Ready():
		return nil
	case <-a.ended:
		return errEndedEarly
	case <-ctx.Done():
	case <-t.stopping:
	case <-t.broken:
	case <-deadline.C:
		t.log.Error("service start deadline passed", zap.String("service", a.name), zap.String("code", a.ReadyCode))
		return a.failure(Error(a.ReadyCode), nil, fmt.Sprintf("was not ready within %s", a.ReadyWithin))
	}
	return t.interrupted(ctx)
}

// interrupted returns the reason why a start must not continue, nil when there is none.
func (t *Tree) interrupted(ctx context.Context) error {
	switch {
	case isClosed(t.stopping):
		return ErrTreeStopped
	case isClosed(t.broken):
		return t.failure
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", ErrStartCancelled, context.Cause(ctx))
	}
	return nil
}
