package supervisor_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/supervisor"
)

// A service that ends after ready, for any reason, is restarted at once and logged in one line.
func TestCrashRestarts(t *testing.T) {
	for _, c := range []struct {
		name  string
		crash func() error
		log   string
	}{
		{"coded", func() error { return coded("LINK_LOST") }, "service crashed a LINK_LOST"},
		{"uncoded", func() error { return errors.New(secret) }, "service crashed a SERVICE_FAILED"},
		{"nil", func() error { return nil }, "service crashed a SERVICE_ENDED"},
		{"another context's end", func() error { return context.Canceled }, "service crashed a SERVICE_FAILED"},
		{"panic", func() error { panic(secret) }, "service panicked a"},
		{"goexit", func() error { runtime.Goexit(); return nil }, "service crashed a SERVICE_ENDED"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := setup(t)
				crash := make(chan struct{})
				requireStarted(t, f.Start(t.Context(), children(f.actor("a", func(ctx context.Context, a *actor) error {
					a.isReady()
					select {
					case <-crash:
						return c.crash()
					case <-ctx.Done():
						return ctx.Err()
					}
				}))...))
				begin := time.Now()
				crash <- struct{}{}
				synctest.Wait()
				if took := time.Since(begin); took != 0 || f.count("a begins") != 2 {
					t.Errorf("after a crash: %d runs after %s, want the second at once: %q", f.count("a begins"), took,
						f.noted())
				}
				assertStops(t, f)
				assertEqual(t, "journal", f.noted(), []string{"a begins", "a ready", "a ends", "a begins", "a ends"})
				assertEqual(t, "log", f.logged(), []string{c.log})
				select {
				case err := <-f.Failed():
					t.Errorf("Failed delivered %v after a restart, want nothing", err)
				default:
				}
			})
		})
	}
}

// The pauses after crashes are exact, and the service is notified of each.
func TestPausesAfterCrashes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		want := []time.Duration{0, 0, 1, 2, 4, 8, 16, 30, 30, 30}
		f := setup(t)
		loop := pausing{f.actor("loop", crashesAfter(make([]time.Duration, len(want))...)),
			make(chan time.Time, len(want))}
		crashed := time.Now()
		requireStarted(t, f.Start(t.Context(), children(loop)...))
		for n, pause := range want {
			pause *= time.Second
			if until := <-loop.until; !until.Equal(crashed.Add(pause)) {
				t.Errorf("pause %d: the service was notified of %s, want %s", n+1, until.Sub(crashed), pause)
			}
			synctest.Wait()
			if pause > 0 {
				time.Sleep(pause - 1)
				synctest.Wait()
				if got := f.count("loop begins"); got != n+1 {
					t.Errorf("pause %d: served %d times before its end, want %d", n+1, got, n+1)
				}
				time.Sleep(time.Nanosecond)
				synctest.Wait()
			}
			if got := f.count("loop begins"); got < n+2 {
				t.Errorf("pause %d: served %d times after %s, want %d", n+1, got, pause, n+2)
			}
			crashed = crashed.Add(pause)
		}
		assertStops(t, f)
	})
}

// crashesAfter returns a script that crashes after each of these times, one for each call, and then no
// more.
func crashesAfter(times ...time.Duration) func(context.Context, *actor) error {
	return func(ctx context.Context, a *actor) error {
		a.isReady()
		if len(times) > 0 {
			run := times[0]
			times = times[1:]
			select {
			case <-time.After(run):
				return coded("CRASH")
			case <-ctx.Done():
			}
		}
		<-ctx.Done()
		return ctx.Err()
	}
}

// pausing is an actor that implements supervisor.Pausing.
type pausing struct {
	*actor
	until chan time.Time
}

func (p pausing) Paused(until time.Time) { p.until <- until }

// Ten minutes without a crash reset the pauses; one second less does not. The third pause, of 1 s, counts
// towards the ten minutes.
func TestTenMinutesWithoutACrashResetThePauses(t *testing.T) {
	for _, c := range []struct{ run, pause time.Duration }{
		{10*time.Minute - time.Second, 0},
		{10*time.Minute - 2*time.Second, 2 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := setup(t)
			service := pausing{f.actor("a", crashesAfter(0, 0, 0, c.run)), make(chan time.Time, 4)}
			requireStarted(t, f.Start(t.Context(), children(service)...))
			for range 3 {
				<-service.until
			}
			if got := time.Until(<-service.until); got != c.pause {
				t.Errorf("a crash after %s: a pause of %s, want %s", c.run, got, c.pause)
			}
			assertStops(t, f)
		})
	}
}

// While one service pauses in a crash loop, its sibling is restarted at once after a crash.
func TestBackoffIsPerService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		crash := make(chan struct{})
		requireStarted(t, f.Start(t.Context(), children(
			f.actor("loop", func(_ context.Context, a *actor) error { a.isReady(); return coded("LOOP") }),
			f.actor("sibling", func(ctx context.Context, a *actor) error {
				a.isReady()
				select {
				case <-crash:
					return coded("ONCE")
				case <-ctx.Done():
					return ctx.Err()
				}
			}))...))
		synctest.Wait()
		if n := f.count("loop begins"); n != 3 {
			t.Errorf("loop: served %d times before the first pause, want 3", n)
		}
		crash <- struct{}{}
		synctest.Wait()
		if n := f.count("sibling begins"); n != 2 {
			t.Errorf("sibling: served %d times while another service pauses, want 2", n)
		}
		assertStops(t, f)
		assertEqual(t, "the pauses in the log", slices.DeleteFunc(f.logged(), func(line string) bool {
			return !strings.HasPrefix(line, "service restarts paused")
		}), []string{"service restarts paused loop "})
	})
}

func TestEndProcess(t *testing.T) {
	for _, c := range []struct {
		name  string
		crash func() error
		code  string
		log   string
	}{
		{"coded", func() error { return coded("DATABASE_LOST") }, "DATABASE_LOST",
			"service crashed pool DATABASE_LOST"},
		{"nil", func() error { return nil }, "SERVICE_ENDED", "service crashed pool SERVICE_ENDED"},
		{"panic", func() error { panic(secret) }, "SERVICE_PANICKED", "service panicked pool"},
		{"goexit", func() error { runtime.Goexit(); return nil }, "SERVICE_ENDED",
			"service crashed pool SERVICE_ENDED"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := setup(t)
				crashing := func(_ context.Context, a *actor) error {
					a.isReady()
					time.Sleep(time.Second)
					return c.crash()
				}
				requireStarted(t, f.Start(t.Context(),
					supervisor.Child{Service: f.actor("pool", crashing), OnCrash: supervisor.EndProcess},
					supervisor.Child{Service: f.actor("sibling", wellBehaved)}))
				assertEqual(t, "codes", f.failedCodes(t), []string{c.code})
				time.Sleep(time.Hour)
				if f.count("pool begins") != 1 || f.count("sibling ends") != 0 {
					t.Errorf("the pool was restarted or its sibling ended, want neither: %q", f.noted())
				}
				assertStops(t, f)
				assertEqual(t, "log", f.logged(), []string{c.log})
			})
		})
	}
}

func TestFailedDeliversOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		crash := func(_ context.Context, a *actor) error {
			a.isReady()
			time.Sleep(time.Second)
			return coded("LOST")
		}
		requireStarted(t, f.Start(t.Context(),
			supervisor.Child{Service: f.actor("pool", crash), OnCrash: supervisor.EndProcess},
			supervisor.Child{Service: f.actor("http", crash), OnCrash: supervisor.EndProcess}))
		f.failedCodes(t)
		synctest.Wait()
		select {
		case err, open := <-f.Failed():
			t.Errorf("Failed delivered a second value: %v, open %t", err, open)
		default:
		}
		assertStops(t, f)
	})
}

// Services that were cancelled without the tree's request are not restarted, so Failed must report it.
func TestLostRootEndsProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		requireStarted(t, f.Start(t.Context(), children(f.actor("a", wellBehaved), f.actor("b", wellBehaved))...))
		f.EndRoot()
		assertEqual(t, "codes", f.failedCodes(t), []string{"SUPERVISOR_ENDED"})
		assertStops(t, f)
	})
}
