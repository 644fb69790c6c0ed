package supervisor

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"
)

// rootGrace bounds the wait for suture's own goroutines once every service has ended; they need no time worth naming.
const rootGrace = 5 * time.Second

// Stop stops everything, newest first and one at a time, each with its own grace; a passed deadline is logged and reported,
// and the sequence goes on. It returns the joined report, nil when all went well: a *Failure with the Child's code for every
// passed deadline, and the coded error of every service whose stop failed.
//
// Stop may be called at any time, before Start, during it, again, and from several goroutines: one of them stops, all return
// when that is done, with the same report. What went wrong in the rollback of a failed Start is in Start's error and not
// repeated here. A service that passed its deadline keeps its goroutine, and the tree's beside it, until it does end.
func (t *Tree) Stop() error {
	t.halt()
	t.turn <- struct{}{}
	defer func() { <-t.turn }()
	if !t.stopped {
		t.report = t.stopAll(stopCode)
	}
	return errors.Join(t.report...)
}

func stopCode(c Child) string     { return c.StopCode }
func rollbackCode(c Child) string { return c.RollbackCode }

// stopAll needs the turn. code picks what a passed deadline is called.
func (t *Tree) stopAll(code func(Child) string) []error {
	t.halt()
	t.stopped = true
	if t.root == nil {
		return nil
	}
	var report []error
	allEnded := true
	for _, a := range slices.Backward(t.actors) {
		err := t.stop(a, code(a.Child))
		if err != nil {
			report = append(report, err)
		}
		allEnded = allEnded && isClosed(a.ended)
	}
	t.cancel()
	if !allEnded {
		return report // the root now waits for the late ones, and nobody for the root
	}
	if !within(rootGrace, t.rootEnd) {
		t.log.Error("service stop deadline passed", zap.String("service", t.root.Name), zap.String("code", ErrStopTimeout.Code()))
		report = append(report, &Failure{Service: t.root.Name, Reason: ErrStopTimeout, sentence: "did not end"})
	}
	return report
}

// stop asks one actor to end and waits for that, within its grace. It is Remove and never RemoveAndWait, which leaves a
// goroutine for ever when its timeout passes.
func (t *Tree) stop(a *actor, code string) error {
	a.leaving.Store(true)
	_ = t.root.Remove(a.token) // fails only for a token of another supervisor
	if !within(a.StopWithin, a.ended) {
		t.log.Error("service stop deadline passed", zap.String("service", a.name), zap.String("code", code))
		return a.failure(Error(code), nil, fmt.Sprintf("did not stop within %s", a.StopWithin))
	}
	if a.err != nil {
		t.log.Error("service ended with a failure", zap.String("service", a.name), zap.String("code", codeOf(a.err)))
	}
	return a.err
}

// within waits for c and says whether it came in time.
func within[T any](grace time.Duration, c <-chan T) bool {
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	select {
	case <-c:
		return true
	case <-deadline.C:
		return false
	}
}
