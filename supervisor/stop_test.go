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
			if err := f.Stop(); err != nil {
				t.Error(err)
			}
		}
		// suture would take it and say nothing
		if err := f.Start(t.Context(), children(f.actor("a", well))...); !errors.Is(err, supervisor.ErrTreeStopped) {
			t.Errorf("Start after Stop: %v", err)
		}
		synctest.Wait()
		same(t, "journal", f.noted(), nil)
	})
}

func TestStartAfterStopIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		started(t, f.Start(t.Context(), children(f.actor("a", well))...))
		if err := f.Stop(); err != nil {
			t.Error(err)
		}
		if err := f.Start(t.Context(), children(f.actor("b", well))...); !errors.Is(err, supervisor.ErrTreeStopped) {
			t.Errorf("Start after Stop: %v", err)
		}
		if f.count("b begins") != 0 {
			t.Error("a stopped tree served")
		}
	})
}

// A service that refuses to stop costs its grace once, is logged once, and leaves no goroutine once it has been released.
func TestStopDeadline(t *testing.T) {
	for _, c := range []struct {
		name  string
		child supervisor.Child
		grace time.Duration
		code  string
	}{
		{"defaults", supervisor.Child{}, 10 * time.Second, "SERVICE_STOP_TIMEOUT"},
		{"own", supervisor.Child{StopWithin: 4 * time.Second, StopCode: "MODULE_STOP_TIMEOUT"}, 4 * time.Second, "MODULE_STOP_TIMEOUT"},
	} {
		for _, releasedAfter := range []time.Duration{0, time.Minute, 50 * time.Hour} {
			t.Run(fmt.Sprint(c.name, releasedAfter), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := setup(t)
					release := make(chan struct{})
					started(t, f.Start(t.Context(), children(f.actor("pool", well))...))
					c.child.Service = f.actor("stuck", func(ctx context.Context, a *actor) error {
						a.isReady()
						<-release
						return coded("TOO_LATE")
					})
					started(t, f.Start(t.Context(), c.child))
					started(t, f.Start(t.Context(), children(f.actor("http", well))...))
					begin := time.Now()
					err := f.Stop()
					if took := time.Since(begin); took != c.grace {
						t.Errorf("took %s, want %s", took, c.grace)
					}
					same(t, "codes", codes(t, err), []string{c.code})
					var failure *supervisor.Failure
					if !errors.As(err, &failure) || failure.Service != "stuck" || !strings.Contains(err.Error(), "stuck") {
						t.Errorf("whose deadline? %v", err)
					}
					if !errors.Is(err, supervisor.Error(c.code)) {
						t.Errorf("errors.Is does not find %s", c.code)
					}
					same(t, "log", f.logged(), []string{"service stop deadline passed stuck " + c.code})
					if f.count("pool ends") != 1 {
						t.Error("the sequence did not go on")
					}
					time.Sleep(releasedAfter)
					close(release) // the bubble fails if anything is left after this
					synctest.Wait()
					same(t, "log after the release", f.logged(), []string{"service stop deadline passed stuck " + c.code})
				})
			})
		}
	}
}

// suture's own limit of 10 s would abandon a drain of 30 s and report it.
func TestLongGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		started(t, f.Start(t.Context(), children(f.actor("pool", well))...))
		started(t, f.Start(t.Context(), supervisor.Child{
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
			t.Errorf("a stop within its grace: %v", err)
		}
		if took := time.Since(begin); took != 30*time.Second {
			t.Errorf("took %s", took)
		}
		same(t, "log", f.logged(), nil)
		same(t, "journal", f.noted()[4:], []string{"http ends", "pool ends"})
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
		{"interrupted work", func(ctx context.Context) error { return fmt.Errorf("%w: %w", coded("DATABASE_UNREACHABLE"), ctx.Err()) }, nil, nil},
		{"coded", func(context.Context) error { return fmt.Errorf("x: %w", coded("MODULE_STOP_FAILED")) },
			[]string{"MODULE_STOP_FAILED"}, []string{"service ended with a failure a MODULE_STOP_FAILED"}},
		{"clean-up's own deadline", func(context.Context) error {
			return fmt.Errorf("%w: %w", coded("MODULE_STOP_FAILED"), context.DeadlineExceeded)
		},
			[]string{"MODULE_STOP_FAILED"}, []string{"service ended with a failure a MODULE_STOP_FAILED"}},
		{"panic", func(context.Context) error { panic(secret) },
			[]string{"SERVICE_PANICKED"}, []string{"service panicked a", "service ended with a failure a SERVICE_PANICKED"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 10 { // suture picks freely between "told to stop" and "has ended"
				synctest.Test(t, func(t *testing.T) {
					f := setup(t)
					started(t, f.Start(t.Context(), children(f.actor("a", func(ctx context.Context, a *actor) error {
						a.isReady()
						<-ctx.Done()
						return c.end(ctx)
					}))...))
					for range 2 {
						same(t, "codes", codes(t, f.Stop()), c.code)
					}
					same(t, "log", f.logged(), c.log)
					same(t, "journal", f.noted(), []string{"a begins", "a ready", "a ends"})
				})
			}
		})
	}
}

func TestConcurrentStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		started(t, f.Start(t.Context(), children(f.actor("a", func(ctx context.Context, a *actor) error {
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
			same(t, "codes", codes(t, <-reports), []string{"MODULE_STOP_FAILED"})
			if took := time.Since(begin); took != 5*time.Second {
				t.Errorf("came back after %s", took)
			}
		}
		same(t, "log", f.logged(), []string{"service ended with a failure a MODULE_STOP_FAILED"})
	})
}

// Stop ends a Start that still waits, and does the stopping under its own codes.
func TestStopDuringStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		release := make(chan struct{})
		started(t, f.Start(t.Context(), children(f.actor("pool", well))...))
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
			t.Errorf("Start: %v", err)
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("Start came back after %s", took)
		}
		same(t, "codes", codes(t, <-report), []string{"MODULE_STOP_TIMEOUT"})
		if took := time.Since(begin); took != 2*time.Second {
			t.Errorf("Stop took %s", took)
		}
		if f.count("pool ends") != 1 {
			t.Error("the level before was not stopped")
		}
		close(release)
	})
}

// While suture waits out a backoff nothing runs that could end: the stop must not wait for it.
func TestStopDuringBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		started(t, f.Start(t.Context(), children(f.actor("loop", func(_ context.Context, a *actor) error { a.isReady(); return nil }))...))
		synctest.Wait()
		begin, runs := time.Now(), f.count("loop begins")
		if err := f.Stop(); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("took %s", took)
		}
		time.Sleep(time.Hour)
		if f.count("loop begins") != runs {
			t.Error("restarted after Stop")
		}
	})
}

// A root that does not end after all its services have is a fault of suture. Stop must report it instead of hanging.
func TestRootThatDoesNotEndIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		started(t, f.Start(t.Context(), children(f.actor("a", well))...))
		f.HideRootsEnd()
		same(t, "codes", codes(t, f.Stop()), []string{"SERVICE_STOP_TIMEOUT"})
		same(t, "log", f.logged(), []string{"service stop deadline passed narthex SERVICE_STOP_TIMEOUT"})
	})
}
