package supervisor_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/supervisor"
)

// slowly is ready after a second and needs a second to stop, so that a test detects whether two steps
// overlap.
func slowly(ctx context.Context, a *actor) error {
	time.Sleep(time.Second)
	a.isReady()
	<-ctx.Done()
	a.f.note("%s stopping", a.name)
	time.Sleep(time.Second)
	return ctx.Err()
}

func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		requireStarted(t, f.Start(t.Context(), children(f.actor("pool", slowly))...))
		if got := f.count("pool ready"); got != 1 {
			t.Errorf("Start returned after %d ready services, want 1", got)
		}
		begin := time.Now()
		requireStarted(t, f.Start(t.Context(), children(f.actor("a", slowly), f.actor("b", slowly),
			f.actor("c", slowly))...))
		if took := time.Since(begin); took != time.Second {
			t.Errorf("starting a level of three took %s, want 1s: they start together", took)
		}
		requireStarted(t, f.Start(t.Context())) // a level may be empty
		requireStarted(t, f.Start(t.Context(), children(f.actor("http", slowly))...))
		assertStops(t, f)
		log := f.noted()
		assertEqual(t, "first level", log[:2], []string{"pool begins", "pool ready"})
		assertEqual(t, "last level", log[8:10], []string{"http begins", "http ready"})
		assertEqual(t, "stop, one at a time", log[10:], []string{
			"http stopping", "http ends", "c stopping", "c ends", "b stopping", "b ends", "a stopping", "a ends",
			"pool stopping", "pool ends"})
		assertEqual(t, "log", f.logged(), nil)
	})
}

func TestFailureBeforeReadyRollsBack(t *testing.T) {
	for _, c := range []struct {
		name   string
		script func(ctx context.Context, a *actor) error
		code   string
		logged []string
	}{
		{"coded", func(context.Context, *actor) error { return coded("MODULE_START_FAILED") },
			"MODULE_START_FAILED", nil},
		{"not comparable", func(context.Context, *actor) error { return findings{"x"} }, "FINDINGS", nil},
		{"uncoded", func(context.Context, *actor) error { return errors.New(secret) }, "SERVICE_FAILED", nil},
		{"nil", func(context.Context, *actor) error { return nil }, "SERVICE_ENDED", nil},
		{"panic", func(context.Context, *actor) error { panic(secret) }, "SERVICE_PANICKED",
			[]string{"service panicked broken"}},
		{"goexit", func(context.Context, *actor) error { runtime.Goexit(); return nil }, "SERVICE_ENDED", nil},
		{"another context's end", func(context.Context, *actor) error { return context.Canceled },
			"SERVICE_FAILED", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := setup(t)
				requireStarted(t, f.Start(t.Context(), children(f.actor("pool", wellBehaved))...))
				begin := time.Now()
				err := f.Start(t.Context(), children(f.actor("slow", func(ctx context.Context, a *actor) error {
					<-ctx.Done()
					return ctx.Err()
				}), f.actor("broken", func(ctx context.Context, a *actor) error {
					time.Sleep(time.Second) // by then all the others are served
					return c.script(ctx, a)
				}), f.actor("sound", wellBehaved))...)
				if took := time.Since(begin); took != time.Second {
					t.Errorf("Start returned %s after it began, want 1s: it must not wait for the others", took)
				}
				assertEqual(t, "codes", codes(t, err), []string{c.code})
				if c.name == "uncoded" && strings.Contains(err.Error(), "hunter2") {
					t.Errorf("Start: the error %q contains the text of an error without a code", err)
				}
				if n := f.count("broken begins"); n != 1 {
					t.Errorf("the failed service was served %d times, want 1", n)
				}
				var stops []string
				for _, e := range f.noted() {
					if strings.HasSuffix(e, "ends") && !strings.HasPrefix(e, "broken") {
						stops = append(stops, e)
					}
				}
				assertEqual(t, "rollback", stops, []string{"sound ends", "slow ends", "pool ends"})
				assertEqual(t, "log", f.logged(), c.logged)
				for _, when := range []string{"after a rollback", "after a rollback and Stop"} {
					err := f.Start(t.Context(), children(f.actor("late", wellBehaved))...)
					if !errors.Is(err, supervisor.ErrTreeStopped) {
						t.Errorf("Start %s: got %v, want %v", when, err, supervisor.ErrTreeStopped)
					}
					assertStops(t, f) // without the errors that Start has returned
				}
			})
		})
	}
}

func TestUncodedFailureKeepsItsCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		cause := errors.New(secret)
		err := f.Start(t.Context(), children(f.actor("a", func(context.Context, *actor) error { return cause }))...)
		if !errors.Is(err, cause) || !errors.Is(err, supervisor.ErrFailed) {
			t.Errorf("Start: got %v, want both the cause and %v in its chain", err, supervisor.ErrFailed)
		}
	})
}

func TestNeverReady(t *testing.T) {
	never := func(ctx context.Context, a *actor) error { <-ctx.Done(); return ctx.Err() }
	for _, c := range []struct {
		name   string
		child  supervisor.Child
		within time.Duration
		code   string
	}{
		{"defaults", supervisor.Child{}, 30 * time.Second, "SERVICE_START_TIMEOUT"},
		{"own", supervisor.Child{ReadyWithin: 7 * time.Second, ReadyCode: "MODULE_START_TIMEOUT"},
			7 * time.Second, "MODULE_START_TIMEOUT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := setup(t)
				c.child.Service = f.actor("shop", never)
				begin := time.Now()
				err := f.Start(t.Context(), c.child)
				if took := time.Since(begin); took != c.within {
					t.Errorf("Start waited %s for a service that is never ready, want %s", took, c.within)
				}
				assertEqual(t, "codes", codes(t, err), []string{c.code})
				if !strings.Contains(err.Error(), "shop") {
					t.Errorf("Start: got %q, want the service's name in it", err)
				}
				assertEqual(t, "log", f.logged(), []string{"service start deadline passed shop " + c.code})
				assertEqual(t, "journal", f.noted(), []string{"shop begins", "shop ends"})
			})
		})
	}
}

// The original failure comes first, then the failures of the rollback, newest service first. The rollback
// continues after a service has not stopped within its grace.
func TestRollbackReportsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		release := make(chan struct{})
		requireStarted(t, f.Start(t.Context(), children(f.actor("pool", wellBehaved))...))
		requireStarted(t, f.Start(t.Context(), supervisor.Child{
			Service: f.actor("hook", func(ctx context.Context, a *actor) error {
				a.isReady()
				<-ctx.Done()
				return coded("MODULE_STOP_FAILED")
			}),
		}, supervisor.Child{
			Service: f.actor("stuck", func(ctx context.Context, a *actor) error {
				a.isReady()
				<-release
				return nil
			}),
			StopWithin: 3 * time.Second, StopCode: "MODULE_STOP_TIMEOUT", RollbackCode: "MODULE_ROLLBACK_TIMEOUT",
		}))
		fail := make(chan struct{})
		second := make(chan struct{})
		begin := time.Now()
		go func() { time.Sleep(time.Second); close(fail) }()
		err := f.Start(t.Context(), children(
			// fails too, after the first one, before it is stopped
			f.actor("second", func(ctx context.Context, a *actor) error {
				<-second
				return coded("SECOND")
			}), f.actor("first", func(ctx context.Context, a *actor) error {
				<-fail
				return coded("FIRST")
			}), f.actor("last", func(ctx context.Context, a *actor) error {
				<-ctx.Done()
				close(second)
				time.Sleep(time.Second)
				return ctx.Err()
			}))...)
		if took := time.Since(begin); took != 5*time.Second {
			t.Errorf("Start took %s, want 5s: 1s to fail, 1s to stop the last, 3s of grace", took)
		}
		assertEqual(t, "codes", codes(t, err), []string{"FIRST", "SECOND", "MODULE_ROLLBACK_TIMEOUT",
			"MODULE_STOP_FAILED"})
		assertEqual(t, "log", f.logged(), []string{
			"service ended with a failure second SECOND",
			"service stop deadline passed stuck MODULE_ROLLBACK_TIMEOUT",
			"service ended with a failure hook MODULE_STOP_FAILED"})
		if f.count("pool ends") != 1 {
			t.Error("the pool was not stopped after another service had passed its grace")
		}
		close(release)
	})
}

// A service may notice itself that its deadline has passed and return its StopCode. In a rollback, by a
// failed Start or by Rollback, the tree reports the RollbackCode in its place.
func TestServiceThatNoticesItsPassedDeadline(t *testing.T) {
	for name, row := range map[string]struct {
		end  func(*fixture) error
		want []string
	}{
		"stop":     {func(f *fixture) error { return f.Stop() }, []string{"MODULE_STOP_TIMEOUT"}},
		"rollback": {func(f *fixture) error { return f.Rollback() }, []string{"MODULE_ROLLBACK_TIMEOUT"}},
		"failed start": {func(f *fixture) error {
			return f.Start(context.Background(),
				children(f.actor("bad", fails))...)
		}, []string{"BAD", "MODULE_ROLLBACK_TIMEOUT"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := setup(t)
				requireStarted(t, f.Start(t.Context(), supervisor.Child{
					Service: f.actor("module", func(ctx context.Context, a *actor) error {
						a.isReady()
						<-ctx.Done()
						return coded("MODULE_STOP_TIMEOUT")
					}),
					StopCode: "MODULE_STOP_TIMEOUT", RollbackCode: "MODULE_ROLLBACK_TIMEOUT",
				}))
				err := row.end(f)
				assertEqual(t, "codes", codes(t, err), row.want)
			})
		})
	}
}

func fails(context.Context, *actor) error { return coded("BAD") }

func TestContextEndsTheWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		requireStarted(t, f.Start(t.Context(), children(f.actor("pool", wellBehaved))...))
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("signal")
		go func() { time.Sleep(time.Second); cancel(cause) }()
		err := f.Start(ctx, children(f.actor("slow", neverReady))...)
		assertEqual(t, "codes", codes(t, err), []string{"SERVICE_START_CANCELLED"})
		if !errors.Is(err, cause) {
			t.Errorf("Start: got %v, want the context's cause in its chain", err)
		}
		assertEqual(t, "journal", f.noted(), []string{"pool begins", "pool ready", "slow begins", "slow ends",
			"pool ends"})
	})
}

func neverReady(ctx context.Context, _ *actor) error { <-ctx.Done(); return ctx.Err() }

func TestEndedContextStartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		requireStarted(t, f.Start(t.Context(), children(f.actor("pool", wellBehaved))...))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := f.Start(ctx, children(f.actor("a", wellBehaved))...)
		assertEqual(t, "codes", codes(t, err), []string{"SERVICE_START_CANCELLED"})
		assertEqual(t, "journal", f.noted(), []string{"pool begins", "pool ready", "pool ends"})
	})
}

// The tree is detached from the context of Start, because a signal must not cancel all services at the same
// instant.
func TestStartedTreeOutlivesTheContextOfStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		ctx, cancel := context.WithCancel(t.Context())
		requireStarted(t, f.Start(ctx, children(f.actor("a", wellBehaved), f.actor("b", wellBehaved))...))
		cancel()
		synctest.Wait()
		if f.count("a ends")+f.count("b ends") != 0 {
			t.Errorf("a service ended with the caller's context, want both to go on: %q", f.noted())
		}
		assertStops(t, f)
	})
}

// An EndProcess service fails while another level is starting.
func TestEndProcessDuringStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		requireStarted(t, f.Start(t.Context(), supervisor.Child{
			Service: f.actor("pool", func(ctx context.Context, a *actor) error {
				a.isReady()
				time.Sleep(time.Second)
				return coded("DATABASE_LOST")
			}),
			OnCrash: supervisor.EndProcess,
		}))
		begin := time.Now()
		err := f.Start(t.Context(), children(f.actor("slow", neverReady))...)
		if took := time.Since(begin); took != time.Second {
			t.Errorf("Start took %s, want 1s, when the pool failed", took)
		}
		assertEqual(t, "codes", codes(t, err), []string{"DATABASE_LOST"})
		assertEqual(t, "codes of Failed", f.failedCodes(t), []string{"DATABASE_LOST"})
	})
}

func TestEndProcessAtOnceAfterReady(t *testing.T) {
	for range 50 { // ready and failed at the same moment: Start may see either first
		synctest.Test(t, func(t *testing.T) {
			f := setup(t)
			err := f.Start(t.Context(), supervisor.Child{
				Service: f.actor("pool", func(ctx context.Context, a *actor) error {
					a.isReady()
					return coded("DATABASE_LOST")
				}),
				OnCrash: supervisor.EndProcess,
			})
			if err != nil { // nil when Start returned before the failure
				assertEqual(t, "codes", codes(t, err), []string{"DATABASE_LOST"})
			}
			assertEqual(t, "codes of Failed", f.failedCodes(t), []string{"DATABASE_LOST"})
			if err := f.Stop(); err != nil {
				t.Errorf("Stop after Failed has delivered the error: got %v, want nil", err)
			}
		})
	}
}
