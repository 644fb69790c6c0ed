package supervisor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/thejerf/suture/v4"
	"go.uber.org/zap"
)

// Start starts children together, as one level in which none needs another, and waits until all of them are ready. Levels
// start one after the other: a second Start waits for the first.
//
// When one of them fails before ready, is not ready in time, or an EndProcess service of the tree fails meanwhile, everything
// that runs, this level and all earlier ones, is stopped newest first. The error then joins the original failure, always
// first, and what went wrong while stopping, in the order of the stops. Every one of them carries a code.
// A child whose siblings failed at once may never have been served.
//
// The end of ctx counts as such a failure, with ErrStartCancelled; once Start has returned nil, ctx means nothing to the tree.
// A Stop during Start ends it with ErrTreeStopped, and Stop does the stopping. Afterwards the tree refuses with the same.
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

// launch hands the children to suture, which runs them at once.
func (t *Tree) launch(children []Child) []*actor {
	if t.root == nil {
		// Detached from the caller's context, whose end would cancel all services at the same instant.
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

// awaitLevel returns nil when all are ready, else the first failure. Nobody waits any more when it returns.
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
	// Taken out, because the rollback reports what it finds: this one is told here, a second one that failed there.
	err := first.actor.err
	first.actor.err = nil
	if err == nil { // an EndProcess service that was ready for a moment
		err = t.interrupted(ctx)
	}
	return err
}

// errEndedEarly stays inside: the actor's own error is the one to tell.
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

// interrupted returns why a start may not go on, nil when it may.
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
