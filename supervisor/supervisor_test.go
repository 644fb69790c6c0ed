package supervisor_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/supervisor"
)

// Most tests run in a testing/synctest bubble: time is virtual, so deadlines and backoff are the real ones, and a bubble
// fails by itself when a goroutine is left.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// secret is in every error and panic of these tests that must not be told on.
const secret = "postgres://root:hunter2@db.internal"

// coded is an error of a service that callers may see.
type coded string

func (e coded) Error() string { return string(e) + ": " + secret }
func (e coded) Code() string  { return string(e) }

// findings is an error that == panics on.
type findings []string

func (f findings) Error() string { return strings.Join(f, "\n") }
func (findings) Code() string    { return "FINDINGS" }

// fixture is a tree, what it logged, and what its services did, in order.
type fixture struct {
	*supervisor.Tree
	logs *observer.ObservedLogs

	mu      sync.Mutex
	journal []string
}

func setup(t *testing.T) *fixture {
	t.Helper()
	core, logs := observer.New(zapcore.DebugLevel)
	f := &fixture{Tree: supervisor.New(zap.New(core)), logs: logs}
	t.Cleanup(func() {
		for _, line := range f.logged() {
			if strings.Contains(line, "hunter2") || strings.Contains(line, "goroutine ") {
				t.Errorf("a log line tells too much: %s", line)
			}
		}
	})
	return f
}

func (f *fixture) note(format string, arguments ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.journal = append(f.journal, fmt.Sprintf(format, arguments...))
}

func (f *fixture) noted() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.journal)
}

func (f *fixture) count(event string) int {
	n := 0
	for _, e := range f.noted() {
		if e == event {
			n++
		}
	}
	return n
}

// logged returns "message service code" of every line.
func (f *fixture) logged() []string {
	var lines []string
	for _, e := range f.logs.All() {
		line := e.Message
		for _, field := range e.Context {
			line += " " + field.String
		}
		lines = append(lines, line)
	}
	return lines
}

// actor is a service that follows a script and notes each beginning and end.
type actor struct {
	name   string
	f      *fixture
	ready  chan struct{}
	once   sync.Once
	script func(ctx context.Context, a *actor) error
}

func (f *fixture) actor(name string, script func(ctx context.Context, a *actor) error) *actor {
	return &actor{name: name, f: f, ready: make(chan struct{}), script: script}
}

func (a *actor) Serve(ctx context.Context) error {
	a.f.note("%s begins", a.name)
	defer a.f.note("%s ends", a.name)
	return a.script(ctx, a)
}
func (a *actor) Ready() <-chan struct{} { return a.ready }
func (a *actor) String() string         { return a.name }

func (a *actor) isReady() {
	a.once.Do(func() {
		a.f.note("%s ready", a.name)
		close(a.ready)
	})
}

// well does all that is asked of a service.
func well(ctx context.Context, a *actor) error {
	a.isReady()
	<-ctx.Done()
	return ctx.Err()
}

// children makes a level of plain children.
func children(services ...supervisor.Service) []supervisor.Child {
	var level []supervisor.Child
	for _, s := range services {
		level = append(level, supervisor.Child{Service: s})
	}
	return level
}

// codes lists the code of every error that err joins, in order.
func codes(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		if _, one := err.(interface{ Code() string }); !one {
			list = joined.Unwrap()
		}
	}
	var out []string
	for _, e := range list {
		var c interface{ Code() string }
		if !errors.As(e, &c) {
			t.Errorf("an error without a code: %v", e)
			continue
		}
		out = append(out, c.Code())
	}
	return out
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// failedCodes waits for Failed; a minute is virtual.
func (f *fixture) failedCodes(t *testing.T) []string {
	t.Helper()
	select {
	case err := <-f.Failed():
		return codes(t, err)
	case <-time.After(time.Minute):
		t.Error("Failed delivers nothing")
		return nil
	}
}

func started(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
}
