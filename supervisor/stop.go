package supervisor

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"
)

// rootGrace bounds the wait for suture's own goroutines after every service has ended. They normally end at
// once.
const rootGrace = 5 * time.Second

// Stop stops all services, newest first and one at a time, each with its own grace. When a grace passes,
// Stop logs and reports it and continues with the next service. It returns the joined errors, nil when
// there are none: a *Failure with the Child's code for every passed grace, and the coded error of every
// service whose stop failed.
//
// Stop may be called at any time: before Start, during it, again, and from several goroutines. One call
// does the work; all return when it is done, with the same error. Failures in the rollback of a failed
// Start are in Start's error and not repeated here. The goroutine of a service that passed its grace, and
// the tree's goroutine for it, remain until the service ends.
func (t *Tree) Stop() error { return t.end(Child.stopCode) }

// Rollback is Stop for a start that failed outside the tree: a passed grace is reported with the Child's
// RollbackCode.
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

// passedCode returns the code for a service that did not stop within its grace.
type passedCode func(Child) string

func (c Child) stopCode() string     { return c.StopCode }
func (c Child) rollbackCode() string { return c.RollbackCode }

// stopAll must be called with the turn held.
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
		return report // the root waits for the late services, and Stop does not wait for the root
	}
	if !within(rootGrace, t.rootEnd) {
		t.log.Error("service stop deadline passed", zap.String("service", t.root.Name),
			zap.String("code", ErrStopTimeout.Code()))
		report = append(report, &Failure{Service: t.root.Name, Reason: ErrStopTimeout, sentence: "did not end"})
	}
	return report
}

// stop asks one actor to end and waits for its end, for at most its grace. It calls Remove and never
// RemoveAndWait, which leaks a goroutine when its timeout passes. A service with deadlines of its own
// reports a passed one with its StopCode, because it does not know why it is stopped; stop replaces that
// with code.
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
		t.log.Error("service ended with a failure", zap.String("service", a.name),
			zap.String("code", codeOf(a.err)))
	}
	return a.err
}

// within waits for c and reports whether it delivered or was closed within the grace.
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
