package supervisor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/supervisor"
)

func TestStopBeforeStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		for range 2 {
			assertStops(t, f)
		}
		// suture itself would accept the service and never serve it
		if err := f.Start(t.Context(), children(f.actor("a", wellBehaved))...); !errors.Is(err,
			supervisor.ErrTreeStopped) {
			t.Errorf("Start after Stop: got %v, want %v", err, supervisor.ErrTreeStopped)
		}
		synctest.Wait()
		assertEqual(t, "journal", f.noted(), nil)
	})
}

func TestStartAfterStopIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		requireStarted(t, f.Start(t.Context(), children(f.actor("a", wellBehaved))...))
		assertStops(t, f)
		if err := f.Start(t.Context(), children(f.actor("b", wellBehaved))...); !errors.Is(err,
			supervisor.ErrTreeStopped) {
			t.Errorf("Start after Stop: got %v, want %v", err, supervisor.ErrTreeStopped)
		}
		if f.count("b begins") != 0 {
			t.Error("a stopped tree served a service, want none")
		}
	})
}

// A service that does not stop delays the stop by its grace once, is logged once, and leaves no goroutine
// after it has ended.
func TestStopDeadline(t *testing.T) {
	for _, c := range []struct {
		name  string
		child supervisor.Child
		grace time.Duration
		code  string
	}{
		{"defaults", supervisor.Child{}, 10 * time.Second, "SERVICE_STOP_TIMEOUT"},
		{"own", supervisor.Child{StopWithin: 4 * time.Second, StopCode: "MODULE_STOP_TIMEOUT"}, 4 * time.Second,
			"MODULE_STOP_TIMEOUT"},
	} {
		for _, releasedAfter := range []time.Duration{0, time.Minute, 50 * time.Hour} {
			t.Run(fmt.Sprint(c.name, releasedAfter), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := setup(t)
					release := make(chan struct{})
					requireStarted(t, f.Start(t.Context(), children(f.actor("pool", wellBehaved))...))
					c.child.Service = f.actor("stuck", func(ctx context.Context, a *actor) error {
						a.isReady()
						<-release
						return coded("TOO_LATE")
					})
					requireStarted(t, f.Start(t.Context(), c.child))
					requireStarted(t, f.Start(t.Context(), children(f.actor("http", wellBehaved))...))
					begin := time.Now()
					err := f.Stop()
					if took := time.Since(begin); took != c.grace {
						t.Errorf("Stop took %s, want the grace of %s", took, c.grace)
					}
					assertEqual(t, "codes", codes(t, err), []string{c.code})
					var failure *supervisor.Failure
					if !errors.As(err, &failure) || failure.Service != "stuck" || !strings.Contains(err.Error(), "stuck") {
						t.Errorf("Stop: got %v, want a Failure that names the service stuck", err)
					}
					if !errors.Is(err, supervisor.Error(c.code)) {
						t.Errorf("Stop: errors.Is(%v, %s) is false", err, c.code)
					}
					assertEqual(t, "log", f.logged(), []string{"service stop deadline passed stuck " + c.code})
					if f.count("pool ends") != 1 {
						t.Error("the pool was not stopped after another service had passed its grace")
					}
					time.Sleep(releasedAfter)
					close(release) // the bubble fails if anything is left after this
					synctest.Wait()
					assertEqual(t, "log after the release", f.logged(), []string{"service stop deadline passed stuck " +
						c.code})
				})
			})
		}
	}
}

// Suture's own limit of 10 s would abandon a drain of 30 s and report a failure.
func TestLongGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		requireStarted(t, f.Start(t.Context(), children(f.actor("pool", wellBehaved))...))
		requireStarted(t, f.Start(t.Context(), supervisor.Child{
			Service: f.actor("http", func(ctx context.Context, a *actor) error {
				a.isReady()
				<-ctx.Done()
				time.Sleep(30 * time.Second)
				return ctx.Err()
			}),
			StopWithin: 35 * time.Second,
		}))
		begin := time.Now()
		if err := f.Stop(); err != nil {
			t.Errorf("Stop within the grace: got %v, want nil", err)
		}
		if took := time.Since(begin); took != 30*time.Second {
			t.Errorf("Stop took %s, want 30s", took)
		}
		assertEqual(t, "log", f.logged(), nil)
		assertEqual(t, "journal", f.noted()[4:], []string{"http ends", "pool ends"})
	})
}

func TestStopFailures(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(ctx context.Context) error
		code []string
		log  []string
	}{
		{"nil", func(context.Context) error { return nil }, nil, nil},
		{"context", func(ctx context.Context) error { return ctx.Err() }, nil, nil},
		{"uncoded", func(context.Context) error { return errors.New(secret) }, nil, nil},
		{"interrupted work", func(ctx context.Context) error {
			return fmt.Errorf("%w: %w",
				coded("DATABASE_UNREACHABLE"), ctx.Err())
		}, nil, nil},
		{"coded", func(context.Context) error { return fmt.Errorf("x: %w", coded("MODULE_STOP_FAILED")) },
			[]string{"MODULE_STOP_FAILED"}, []string{"service ended with a failure a MODULE_STOP_FAILED"}},
		{"clean-up's own deadline", func(context.Context) error {
			return fmt.Errorf("%w: %w", coded("MODULE_STOP_FAILED"), context.DeadlineExceeded)
		},
			[]string{"MODULE_STOP_FAILED"}, []string{"service ended with a failure a MODULE_STOP_FAILED"}},
		{"panic", func(context.Context) error { panic(secret) },
			[]string{"SERVICE_PANICKED"}, []string{"service panicked a",
				"service ended with a failure a SERVICE_PANICKED"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 10 { // suture chooses randomly between "told to stop" and "has ended"
				synctest.Test(t, func(t *testing.T) {
					f := setup(t)
					requireStarted(t, f.Start(t.Context(), children(f.actor("a", func(ctx context.Context, a *actor) error {
						a.isReady()
						<-ctx.Done()
						return c.end(ctx)
					}))...))
					for range 2 {
						assertEqual(t, "codes", codes(t, f.Stop()), c.code)
					}
					assertEqual(t, "log", f.logged(), c.log)
					assertEqual(t, "journal", f.noted(), []string{"a begins", "a ready", "a ends"})
				})
			}
		})
	}
}

func TestConcurrentStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		requireStarted(t, f.Start(t.Context(), children(f.actor("a", func(ctx context.Context, a *actor) error {
			a.isReady()
			<-ctx.Done()
			time.Sleep(5 * time.Second)
			return coded("MODULE_STOP_FAILED")
		}))...))
		begin := time.Now()
		reports := make(chan error)
		for range 8 {
			go func() { reports <- f.Stop() }()
		}
		for range 8 {
			assertEqual(t, "codes", codes(t, <-reports), []string{"MODULE_STOP_FAILED"})
			if took := time.Since(begin); took != 5*time.Second {
				t.Errorf("Stop returned after %s, want 5s like the others", took)
			}
		}
		assertEqual(t, "log", f.logged(), []string{"service ended with a failure a MODULE_STOP_FAILED"})
	})
}

// Stop ends a Start that is still waiting, and stops the services with the codes of Stop.
func TestStopDuringStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		release := make(chan struct{})
		requireStarted(t, f.Start(t.Context(), children(f.actor("pool", wellBehaved))...))
		outcome := make(chan error)
		go func() {
			outcome <- f.Start(t.Context(), supervisor.Child{
				Service:    f.actor("slow", func(context.Context, *actor) error { <-release; return nil }),
				StopWithin: 2 * time.Second, StopCode: "MODULE_STOP_TIMEOUT", RollbackCode: "MODULE_ROLLBACK_TIMEOUT",
			})
		}()
		synctest.Wait()
		begin := time.Now()
		report := make(chan error)
		go func() { report <- f.Stop() }()
		if err := <-outcome; err != supervisor.ErrTreeStopped {
			t.Errorf("Start: got %v, want %v", err, supervisor.ErrTreeStopped)
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("Start returned %s after Stop began, want at once", took)
		}
		assertEqual(t, "codes", codes(t, <-report), []string{"MODULE_STOP_TIMEOUT"})
		if took := time.Since(begin); took != 2*time.Second {
			t.Errorf("Stop took %s, want the grace of 2s", took)
		}
		if f.count("pool ends") != 1 {
			t.Error("the earlier level was not stopped")
		}
		close(release)
	})
}

// During a pause no Serve runs that could end: Stop must not wait for one.
func TestStopDuringBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		requireStarted(t, f.Start(t.Context(), children(f.actor("loop", func(_ context.Context, a *actor) error {
			a.isReady()
			return nil
		}))...))
		synctest.Wait()
		begin, runs := time.Now(), f.count("loop begins")
		assertStops(t, f)
		if took := time.Since(begin); took != 0 {
			t.Errorf("Stop during a pause took %s, want 0s", took)
		}
		time.Sleep(time.Hour)
		if f.count("loop begins") != runs {
			t.Error("the service was restarted after Stop")
		}
	})
}

// A root that does not end after all its services have ended is a fault of suture. Stop must report it and
// not hang.
func TestRootThatDoesNotEndIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		requireStarted(t, f.Start(t.Context(), children(f.actor("a", wellBehaved))...))
		f.HideRootsEnd()
		assertEqual(t, "codes", codes(t, f.Stop()), []string{"SERVICE_STOP_TIMEOUT"})
		assertEqual(t, "log", f.logged(), []string{"service stop deadline passed narthex SERVICE_STOP_TIMEOUT"})
	})
}
