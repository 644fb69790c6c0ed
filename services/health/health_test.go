package health_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/services/health"
	"github.com/narthex-platform/narthex/services/httpapi/httpapitest"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// start runs the pinger until the test ends.
func start(t *testing.T, ping func(context.Context) error) *health.Health {
	t.Helper()
	h, _ := startLogged(t, ping)
	return h
}

// startLogged is start, and also returns the log.
func startLogged(t *testing.T, ping func(context.Context) error) (*health.Health, *observer.ObservedLogs) {
	t.Helper()
	core, logs := observer.New(zap.InfoLevel)
	h := health.New(ping, zap.New(core))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	return h, logs
}

func pingSucceeds(context.Context) error { return nil }

func TestReadyOnlyBetweenStartedAndStopping(t *testing.T) {
	h := start(t, pingSucceeds)
	if err := h.Check(t.Context()); !errors.Is(err, health.ErrNotReady) {
		t.Fatalf("Check before module startup completed: got %v, want %v", err, health.ErrNotReady)
	}
	h.Started()
	if err := h.Check(t.Context()); err != nil {
		t.Fatalf("Check after Started: got %v, want nil", err)
	}
	h.Stopping()
	h.Started()
	if err := h.Check(t.Context()); !errors.Is(err, health.ErrNotReady) {
		t.Fatalf("Check after shutdown began: got %v, want %v", err, health.ErrNotReady)
	}
}

// TestShutdownDuringAPingIsNotReady begins the shutdown during a ping that then succeeds.
func TestShutdownDuringAPingIsNotReady(t *testing.T) {
	var h *health.Health
	h = start(t, func(context.Context) error {
		h.Stopping()
		return nil
	})
	h.Started()
	if err := h.Check(t.Context()); !errors.Is(err, health.ErrNotReady) {
		t.Errorf("Check whose ping saw the shutdown begin: got %v, want %v", err, health.ErrNotReady)
	}
}

func TestFailedPingIsNotReadyAndTheNextCheckPingsAgain(t *testing.T) {
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
		t.Fatalf("Check with a failed ping: got %v, want %v", err, health.ErrNotReady)
	}
	failing.Store(false)
	if err := h.Check(t.Context()); err != nil {
		t.Fatalf("Check after the database is back: got %v, want nil", err)
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
			t.Fatalf("%d pings for 50 concurrent checks, want 1", got)
		}
	})
}

func TestCheckFailsAtOnceWhileAnOldPingHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pings atomic.Int32
		release := make(chan struct{})
		h := start(t, func(context.Context) error { pings.Add(1); <-release; return nil }) // ignores its deadline
		h.Started()

		began := time.Now()
		if err := h.Check(t.Context()); !errors.Is(err, health.ErrNotReady) {
			t.Fatalf("Check with a ping that hangs: got %v, want %v", err, health.ErrNotReady)
		}
		if waited := time.Since(began); waited != deadlines.Probe {
			t.Fatalf("the first check waited %v, want %v", waited, deadlines.Probe)
		}
		began = time.Now()
		if err := h.Check(t.Context()); !errors.Is(err, health.ErrNotReady) {
			t.Fatalf("second Check with a ping that hangs: got %v, want %v", err, health.ErrNotReady)
		}
		if waited := time.Since(began); waited != 0 || pings.Load() != 1 {
			t.Fatalf("the second check waited %v, %d pings; want 0s, 1 ping", waited, pings.Load())
		}
		close(release)
		synctest.Wait()
		if err := h.Check(t.Context()); err != nil {
			t.Fatalf("Check after the ping has ended: got %v, want nil", err)
		}
	})
}

// A ping continues when no check waits for it any more, and no second one starts. Otherwise each ping would
// open one more socket to a server that hangs.
func TestOnePingWhileTheDatabaseHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pings atomic.Int32
		h := start(t, func(ctx context.Context) error { pings.Add(1); <-ctx.Done(); return ctx.Err() })
		h.Started()
		began := time.Now()
		for time.Since(began) < deadlines.Settle-time.Second {
			asked := time.Now()
			if err := h.Check(t.Context()); !errors.Is(err, health.ErrNotReady) {
				t.Fatalf("Check with a ping that hangs: got %v, want %v", err, health.ErrNotReady)
			}
			if waited := time.Since(asked); waited != 0 && asked != began || pings.Load() != 1 {
				t.Fatalf("after %v a check waited %v, %d pings; want the first to wait alone, 1 ping", asked.Sub(began),
					waited, pings.Load())
			}
			time.Sleep(time.Second)
		}
		time.Sleep(2 * time.Second)
		if err := h.Check(t.Context()); !errors.Is(err, health.ErrNotReady) || pings.Load() != 2 {
			t.Fatalf("after %v: %v, %d pings; want a second one", time.Since(began), err, pings.Load())
		}
	})
}

type unusable struct{ error }

func (unusable) Why() string { return "refused" }

// One line per second is logged, with the reason and, for a ping that hangs, its age.
func TestChecksLogOneLineASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failing atomic.Bool
		failing.Store(true)
		release := make(chan struct{})
		h, logs := startLogged(t, func(context.Context) error {
			if failing.Load() {
				return unusable{errors.New("secret")}
			}
			<-release
			return nil
		})
		probe := func(times int) {
			t.Helper()
			for range times {
				w := httpapitest.Send(httptest.NewRequest("GET", "/api/v1/health/ready", nil), h.Routes(), nil)
				if w.Code != 503 || w.Body.String() != `{"code":"NOT_READY"}` {
					t.Fatalf("GET ready: status %d, body %s; want 503 NOT_READY", w.Code, w.Body)
				}
			}
		}
		level := zap.ErrorLevel
		want := func(when string, fields ...map[string]any) {
			t.Helper()
			var got []map[string]any
			for _, line := range logs.TakeAll() {
				got = append(got, line.ContextMap())
				if line.Level != level {
					t.Errorf("%s: level %v, want %v", when, line.Level, level)
				}
			}
			if !reflect.DeepEqual(got, fields) {
				t.Errorf("%s: logged %v, want %v", when, got, fields)
			}
		}
		h.Started()
		probe(50)
		want("50 probes", map[string]any{"code": "NOT_READY", "reason": "database unusable", "why": "refused",
			"count": int64(1)})
		time.Sleep(time.Second)
		synctest.Wait()
		want("a second later", map[string]any{"code": "NOT_READY", "reason": "database unusable",
			"why": "refused", "count": int64(49)})
		failing.Store(false)
		probe(3)
		want("a ping that hangs", map[string]any{"code": "NOT_READY", "reason": "database silent",
			"age": deadlines.Probe, "count": int64(1)})
		time.Sleep(time.Second)
		synctest.Wait()
		want("a second later", map[string]any{"code": "NOT_READY", "reason": "database silent",
			"age": deadlines.Probe, "count": int64(2)})
		close(release)
		synctest.Wait()
		h.Stopping()
		level = zap.InfoLevel // that is expected
		probe(1)
		want("stopping", map[string]any{"code": "NOT_READY", "reason": "stopping", "count": int64(1)})
	})
}
