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
func (t *Tree) Stop() error { return t.end(Child.stopCode) }

// Rollback is Stop after a start that failed outside of the tree: a passed deadline has the Child's RollbackCode.
func (t *Tree) Rollback() error { return t.end(Child.rollbackCode) }

func (t *Tree) end(code passedCode) error {
	t.halt()
	t.turn <- struct{}{}
	defer func() { <-t.turn }()
	if !t.stopped {
		t.report = t.stopAll(code)
	}
	return errors.Join(t.report...)
}

// passedCode picks what a passed deadline of a stop is called.
type passedCode func(Child) string

func (c Child) stopCode() string     { return c.StopCode }
func (c Child) rollbackCode() string { return c.RollbackCode }

// stopAll needs the turn.
func (t *Tree) stopAll(code passedCode) []error {
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
// goroutine for ever when its timeout passes. A service that has deadlines of its own reports a passed one with its StopCode, because it does
// not know why it is stopped; code decides here too.
func (t *Tree) stop(a *actor, code string) error {
	a.leaving.Store(true)
	_ = t.root.Remove(a.token) // fails only for a token of another supervisor
	if !within(a.StopWithin, a.ended) {
		t.log.Error("service stop deadline passed", zap.String("service", a.name), zap.String("code", code))
		return a.failure(Error(code), nil, fmt.Sprintf("did not stop within %s", a.StopWithin))
	}
	if a.err != nil && codeOf(a.err) == a.StopCode && code != a.StopCode {
		a.err = a.failure(Error(code), a.err, "did not stop in time")
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
