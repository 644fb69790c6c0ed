package scripttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// tb is one test as the test kit sees it. It needs no test binary, so that modules:test has one, too.
type tb struct {
	testing.TB // the kit calls none of the methods that are missing below

	name   string
	ctx    context.Context
	cancel context.CancelFunc

	mu       sync.Mutex
	failures []string
	cleanups []func()
}

func newTB(ctx context.Context, name string) *tb {
	t := &tb{name: name}
	t.ctx, t.cancel = context.WithCancel(ctx)
	return t
}

// over is panicked by what ends a test at once.
type over struct{}

// run runs a test and its cleanups, and returns its failures.
func (t *tb) run(f func()) error {
	t.guarded(f)
	t.cancel()
	for {
		t.mu.Lock()
		last := len(t.cleanups) - 1
		var cleanup func()
		if last >= 0 {
			cleanup, t.cleanups = t.cleanups[last], t.cleanups[:last]
		}
		t.mu.Unlock()
		if cleanup == nil {
			break
		}
		t.guarded(cleanup)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.failures) == 0 {
		return nil
	}
	return errors.New(strings.Join(t.failures, "\n"))
}

// guarded runs f until the end of f or of the test.
func (t *tb) guarded(f func()) (ended bool) {
	defer func() {
		if thrown := recover(); thrown != nil {
			if _, is := thrown.(over); !is {
				panic(thrown)
			}
			ended = true
		}
	}()
	f()
	return false
}

func (t *tb) Name() string             { return t.name }
func (t *tb) Helper()                  {}
func (t *tb) Context() context.Context { return t.ctx }
func (t *tb) Log(...any)               {}
func (t *tb) Logf(string, ...any)      {}

// Cleanup keeps a function for the end of the test.
func (t *tb) Cleanup(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, f)
}

// Failed reports whether the test has failed so far.
func (t *tb) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.failures) > 0
}

// Error adds a failure.
func (t *tb) Error(parts ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failures = append(t.failures, strings.TrimSpace(fmt.Sprintln(parts...)))
}

// Errorf adds a failure.
func (t *tb) Errorf(format string, parts ...any) { t.Error(fmt.Sprintf(format, parts...)) }

// Fatal adds a failure and ends the test.
func (t *tb) Fatal(parts ...any) {
	t.Error(parts...)
	t.FailNow()
}

// Fatalf adds a failure and ends the test.
func (t *tb) Fatalf(format string, parts ...any) { t.Fatal(fmt.Sprintf(format, parts...)) }

// FailNow ends the test.
func (t *tb) FailNow() { panic(over{}) }

// TempDir makes a folder that is removed at the end of the test.
func (t *tb) TempDir() string {
	folder, err := os.MkdirTemp("", "narthex-modules-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}
