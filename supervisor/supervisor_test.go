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

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/services/leaktest"
	"github.com/narthex-platform/narthex/supervisor"
)

// Most tests run in a testing/synctest bubble: time is virtual, so they use the real deadlines and pauses,
// and a bubble fails by itself when a goroutine is left.
func TestMain(m *testing.M) { leaktest.Main(m) }

// secret is part of every error and panic in these tests. It must never reach a log line.
const secret = "postgres://root:hunter2@db.internal"

// coded is an error of a service whose code may be shown.
type coded string

func (e coded) Error() string { return string(e) + ": " + secret }
func (e coded) Code() string  { return string(e) }

// findings is an error that is not comparable: == panics on it.
type findings []string

func (f findings) Error() string { return strings.Join(f, "\n") }
func (findings) Code() string    { return "FINDINGS" }

// fixture is a tree, its log, and a journal of what its services did, in order.
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
				t.Errorf("log line %q contains the secret or a stack", line)
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

// actor is a service that runs a script and notes when Serve begins and ends.
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

// wellBehaved becomes ready at once and stops when asked.
func wellBehaved(ctx context.Context, a *actor) error {
	a.isReady()
	<-ctx.Done()
	return ctx.Err()
}

// children returns a level of children with default settings.
func children(services ...supervisor.Service) []supervisor.Child {
	var level []supervisor.Child
	for _, s := range services {
		level = append(level, supervisor.Child{Service: s})
	}
	return level
}

// codes returns the code of every error that err joins, in order.
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

func assertEqual(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// failedCodes waits for Failed, at most a minute of virtual time.
func (f *fixture) failedCodes(t *testing.T) []string {
	t.Helper()
	select {
	case err := <-f.Failed():
		return codes(t, err)
	case <-time.After(time.Minute):
		t.Error("Failed delivered nothing within a minute, want an error")
		return nil
	}
}

func requireStarted(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("Start: got %v, want nil", err)
	}
}

func assertStops(t *testing.T, f *fixture) {
	t.Helper()
	if err := f.Stop(); err != nil {
		t.Errorf("Stop: got %v, want nil", err)
	}
}
