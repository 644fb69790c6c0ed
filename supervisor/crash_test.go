package supervisor_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/supervisor"
)

// Whatever ends a service after ready, it comes back at once, and says so in one line.
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
				started(t, f.Start(t.Context(), children(f.actor("a", func(ctx context.Context, a *actor) error {
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
					t.Errorf("not back at once: %q", f.noted())
				}
				if err := f.Stop(); err != nil {
					t.Error(err)
				}
				same(t, "journal", f.noted(), []string{"a begins", "a ready", "a ends", "a begins", "a ends"})
				same(t, "log", f.logged(), []string{c.log})
				select {
				case err := <-f.Failed():
					t.Errorf("a restart ended the process: %v", err)
				default:
				}
			})
		})
	}
}

// One service in a crash loop is paused; its sibling's crash in the meantime is healed at once.
func TestBackoffIsPerService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		crash := make(chan struct{})
		started(t, f.Start(t.Context(), children(
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
		if n := f.count("loop begins"); n != 5 {
			t.Errorf("served %d times before the pause, want 5", n)
		}
		crash <- struct{}{}
		synctest.Wait()
		if n := f.count("sibling begins"); n != 2 {
			t.Errorf("the sibling was served %d times: it waits for a backoff that is not its own", n)
		}
		paused := time.Now()
		for f.count("loop begins") == 5 && time.Since(paused) < time.Minute {
			time.Sleep(100 * time.Millisecond)
		}
		if took := time.Since(paused); took < 30*time.Second || took > 46*time.Second {
			t.Errorf("came back after %s", took)
		}
		if err := f.Stop(); err != nil {
			t.Error(err)
		}
		lines := f.logged()
		count := func(want string) (n int) {
			for _, l := range lines {
				if l == want {
					n++
				}
			}
			return n
		}
		if count("service restarts paused loop") == 0 || count("service restarts resumed loop") == 0 || count("service crashed sibling ONCE") != 1 {
			t.Errorf("log: %q", lines)
		}
	})
}

func TestEndProcess(t *testing.T) {
	for _, c := range []struct {
		name  string
		crash func() error
		code  string
		log   string
	}{
		{"coded", func() error { return coded("DATABASE_LOST") }, "DATABASE_LOST", "service crashed pool DATABASE_LOST"},
		{"nil", func() error { return nil }, "SERVICE_ENDED", "service crashed pool SERVICE_ENDED"},
		{"panic", func() error { panic(secret) }, "SERVICE_PANICKED", "service panicked pool"},
		{"goexit", func() error { runtime.Goexit(); return nil }, "SERVICE_ENDED", "service crashed pool SERVICE_ENDED"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := setup(t)
				crashing := func(_ context.Context, a *actor) error {
					a.isReady()
					time.Sleep(time.Second)
					return c.crash()
				}
				started(t, f.Start(t.Context(),
					supervisor.Child{Service: f.actor("pool", crashing), OnCrash: supervisor.EndProcess},
					supervisor.Child{Service: f.actor("sibling", well)}))
				same(t, "codes", f.failedCodes(t), []string{c.code})
				time.Sleep(time.Hour)
				if f.count("pool begins") != 1 || f.count("sibling ends") != 0 {
					t.Errorf("restarted, or not alone: %q", f.noted())
				}
				if err := f.Stop(); err != nil {
					t.Errorf("Stop: %v", err)
				}
				same(t, "log", f.logged(), []string{c.log})
			})
		})
	}
}

func TestFailedDeliversOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		crash := func(_ context.Context, a *actor) error { a.isReady(); time.Sleep(time.Second); return coded("LOST") }
		started(t, f.Start(t.Context(),
			supervisor.Child{Service: f.actor("pool", crash), OnCrash: supervisor.EndProcess},
			supervisor.Child{Service: f.actor("http", crash), OnCrash: supervisor.EndProcess}))
		f.failedCodes(t)
		synctest.Wait()
		select {
		case err, open := <-f.Failed():
			t.Errorf("a second value: %v, open %t", err, open)
		default:
		}
		if err := f.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// Services that were cancelled though nobody asked for it are down for good: the process must learn of it.
func TestLostRootEndsProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		started(t, f.Start(t.Context(), children(f.actor("a", well), f.actor("b", well))...))
		f.EndRoot()
		same(t, "codes", f.failedCodes(t), []string{"SUPERVISOR_ENDED"})
		if err := f.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// The same when one service's own supervisor breaks, here by a log that panics on its goroutine.
func TestBrokenBranchEndsProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, _ := observer.New(zapcore.DebugLevel)
		f := setup(t)
		f.Tree = supervisor.New(zap.New(core, zap.Hooks(func(e zapcore.Entry) error {
			if e.Message == "service restarts paused" {
				panic(secret)
			}
			return nil
		})))
		release := make(chan struct{}) // it crashes once all are ready, or Start itself would fail
		loop := func(_ context.Context, a *actor) error { a.isReady(); <-release; return nil }
		started(t, f.Start(t.Context(), children(f.actor("loop", loop), f.actor("b", well))...))
		close(release)
		same(t, "codes", f.failedCodes(t), []string{"SUPERVISOR_ENDED"})
		if f.count("b ends") != 0 {
			t.Error("the sibling ended too")
		}
		if err := f.Stop(); err != nil {
			t.Error(err)
		}
	})
}
