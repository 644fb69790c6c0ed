package health_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/services/health"
)

// start runs the pinger for the length of a test.
func start(t *testing.T, ping func(context.Context) error) *health.Health {
	t.Helper()
	h := health.New(ping)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	return h
}

func answers(context.Context) error { return nil }

func TestReadyOnlyBetweenStartedAndStopping(t *testing.T) {
	h := start(t, answers)
	if err := h.Check(t.Context()); !errors.Is(err, health.ErrNotReady) {
		t.Fatalf("before module startup completed: %v", err)
	}
	h.Started()
	if err := h.Check(t.Context()); err != nil {
		t.Fatalf("started: %v", err)
	}
	h.Stopping()
	h.Started()
	if err := h.Check(t.Context()); !errors.Is(err, health.ErrNotReady) {
		t.Fatalf("after shutdown began: %v", err)
	}
}

func TestFailedPingIsNotReadyAndTheNextAsksAnew(t *testing.T) {
	var failing atomic.Bool
	failing.Store(true)
	h := start(t, func(context.Context) error {
		if failing.Load() {
			return errors.New("connection refused")
		}
		return nil
	})
	h.Started()
	if err := h.Check(t.Context()); !errors.Is(err, health.ErrNotReady) {
		t.Fatalf("failed ping: %v", err)
	}
	failing.Store(false)
	if err := h.Check(t.Context()); err != nil {
		t.Fatalf("the database is back: %v", err)
	}
}

func TestConcurrentProbesShareOnePing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pings atomic.Int32
		release := make(chan struct{})
		h := start(t, func(context.Context) error { pings.Add(1); <-release; return nil })
		h.Started()
		var probes sync.WaitGroup
		for range 50 {
			probes.Go(func() {
				if err := h.Check(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		close(release)
		probes.Wait()
		if got := pings.Load(); got != 1 {
			t.Fatalf("%d pings for 50 probes at once", got)
		}
	})
}

func TestUnsettledPingAnswersAtOnceAfterItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pings atomic.Int32
		release := make(chan struct{})
		h := start(t, func(context.Context) error { pings.Add(1); <-release; return nil }) // deaf to its deadline
		h.Started()

		began := time.Now()
		if err := h.Check(t.Context()); !errors.Is(err, health.ErrNotReady) {
			t.Fatalf("hung ping: %v", err)
		}
		if waited := time.Since(began); waited != health.PingTimeout {
			t.Fatalf("the first probe waited %v", waited)
		}
		began = time.Now()
		if err := h.Check(t.Context()); !errors.Is(err, health.ErrNotReady) {
			t.Fatalf("still hung: %v", err)
		}
		if waited := time.Since(began); waited != 0 || pings.Load() != 1 {
			t.Fatalf("the second probe waited %v, %d pings", waited, pings.Load())
		}
		close(release)
		synctest.Wait()
		if err := h.Check(t.Context()); err != nil {
			t.Fatalf("settled: %v", err)
		}
	})
}
