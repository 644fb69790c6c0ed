package process_test

import (
	"context"
	"errors"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/process"
)

func TestCrashes(t *testing.T) {
	for path, reason := range map[string]string{
		"/exit":            "",                // either the link or the wait notices it first
		"/freeze":          "ping unanswered", // alive, its links open, and silent
		"/hang-up-on-host": "link lost",
		"/garbage-to-host": "link lost",
	} {
		t.Run(path, func(t *testing.T) {
			r := start(t, "good", func(c *process.Config) {
				if reason == "ping unanswered" {
					c.Deadlines.PingEvery, c.Deadlines.Ping = 50*time.Millisecond, 3*time.Second
				}
			})
			if _, err := r.handle(testContext(t), path, nil); codeOf(err) != "MODULE_HANDLER_FAILED" {
				t.Error("in flight:", err)
			}
			if err := <-r.ended; !errors.Is(err, process.ErrCrashed) {
				t.Error("ended with", err)
			}
			if _, err := r.handle(testContext(t), "/echo", nil); codeOf(err) != "MODULE_UNAVAILABLE" {
				t.Error("later:", err)
			}
			r.host.settled(t)
			lost := r.logs.FilterMessage("module process lost").All()
			if len(lost) != 1 || reason != "" && lost[0].ContextMap()["reason"] != reason {
				t.Error(lost)
			}
			if ended := r.logs.FilterMessage("module process ended").All(); len(ended) != 1 ||
				ended[0].ContextMap()["exit"] == nil {
				t.Errorf("%d lines \"module process ended\", want one with its field", len(ended))
			}
		})
	}
}

func TestDeathByItself(t *testing.T) {
	r := start(t, "good", nil)
	_, _ = r.handle(testContext(t), "/die-later", nil) // it may get a response or not
	if err := <-r.ended; !errors.Is(err, process.ErrCrashed) {
		t.Fatal(err)
	}
	ended := r.logs.FilterMessage("module process ended").All()
	if status := ended[0].ContextMap()["status"]; status != int64(7) {
		t.Error("status", status)
	}
	r.host.settled(t)
}

// TestKillWhileCallsAreInFlight kills the module from outside while 50 calls are in flight, again and again.
// Every call returns the loss as soon as the death is noticed, without waiting for a missed ping. A later
// call returns that the module is not available.
func TestKillWhileCallsAreInFlight(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a module twenty times")
	}
	const runs, calls = 20, 50
	r := start(t, "good", nil)
	for range runs {
		pid := r.observe(t).PID
		results := make(chan error, calls)
		var callers sync.WaitGroup
		for range calls {
			callers.Go(func() {
				_, err := r.handle(testContext(t), "/wait", nil)
				results <- err
			})
		}
		for range calls {
			for said := ""; said != "waiting"; said = <-r.host.heard {
			}
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		callers.Wait()
		for range calls {
			if err := <-results; codeOf(err) != "MODULE_HANDLER_FAILED" {
				t.Fatal(err)
			}
		}
		if _, err := r.handle(testContext(t), "/echo", nil); codeOf(err) != "MODULE_UNAVAILABLE" {
			t.Fatal("later:", err)
		}
		if err := <-r.ended; !errors.Is(err, process.ErrCrashed) {
			t.Fatal(err)
		}
		r.host.settled(t)
		r.serve(t)
		r.awaitRestart(t)
	}
	for _, lost := range r.logs.FilterMessage("module process lost").All() {
		if reason := lost.ContextMap()["reason"]; reason != "exited" && reason != "link lost" {
			t.Error(reason)
		}
	}
}

// TestDescendantsDieWithTheModule checks that a process that the module has started is in the module's group,
// and is killed even if it ignores SIGTERM and outlives the module.
func TestDescendantsDieWithTheModule(t *testing.T) {
	for name, end := range map[string]func(*runningProcess, int){
		"stopped": func(r *runningProcess, _ int) { r.stop() },
		"crashed": func(_ *runningProcess, pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, "good", func(c *process.Config) {
				// they forbid descendants
				c.WithSandboxReport(func(w *process.SandboxReport) { w.Landlock, w.Seccomp = 0, false })
			})
			body, err := r.handle(testContext(t), "/spawn", nil)
			if err != nil {
				t.Fatal(err)
			}
			descendant, _ := strconv.Atoi(string(body))
			awaitIgnored(t, descendant, syscall.SIGTERM)
			dead := watchExit(t, descendant)
			end(r, r.observe(t).PID)
			<-r.ended
			dead()
		})
	}
}

func TestStopIsNotHeldUpByAFrozenModule(t *testing.T) {
	r := start(t, "good", func(c *process.Config) {
		c.Deadlines.Stop, c.Deadlines.Terminate = 200*time.Millisecond, 100*time.Millisecond
	})
	frozen := make(chan error, 1)
	pid := r.observe(t).PID
	go func() {
		_, err := r.handle(testContext(t), "/freeze", nil)
		frozen <- err
	}()
	awaitState(t, pid, 'T')
	r.stop()
	if err := <-r.ended; codeOf(err) != "MODULE_STOP_TIMEOUT" {
		t.Error(err)
	}
	if err := <-frozen; !errors.Is(err, process.ErrHandlerFailed) {
		t.Error(err)
	}
}

// watchExit returns a function that waits for the death of any process, even one that nobody has reaped.
func watchExit(t *testing.T, pid int) (wait func()) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	return func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		for ctx.Err() == nil {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 10_000)
			if err == unix.EINTR {
				continue
			}
			if n == 1 {
				return
			}
		}
		t.Errorf("process %d still runs", pid)
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// TestStuckModuleEnds uses a module that reads and answers pings while 64 of its abandoned calls do not end.
// Calls that end when they are cancelled do not count, however many there are; 63 stuck calls are not enough.
// For how long they must be stuck, TestAbandonedCalls of modulehost/sdk/link checks.
func TestStuckModuleEnds(t *testing.T) {
	const stuck = 300 * time.Millisecond
	r := start(t, "good", func(c *process.Config) { c.Deadlines.Stuck = stuck })
	abandon := func(path, said string, calls int) {
		t.Helper()
		ctx, cancel := context.WithCancel(testContext(t))
		defer cancel()
		var all sync.WaitGroup
		for range calls {
			all.Go(func() {
				if _, err := r.handle(ctx, path, nil); !errors.Is(err, context.Canceled) {
					t.Errorf("%s: %v, want %v", path, err, context.Canceled)
				}
			})
		}
		for range calls { // a call that is cancelled before the module has it is never made
			for heard := ""; heard != said; {
				select {
				case heard = <-r.host.heard:
				case <-ctx.Done():
					t.Fatalf("%s: the module has not got all of %d calls", path, calls)
				}
			}
		}
		cancel()
		all.Wait()
	}
	assertRunning := func(what string) {
		t.Helper()
		select {
		case err := <-r.ended:
			t.Fatalf("%s: ended with %v, want a process that runs", what, err)
		case <-time.After(3 * stuck):
		}
	}
	abandon("/wait", "waiting", 200)
	assertRunning("200 abandoned calls that ended")
	abandon("/stick", "stuck", 63)
	assertRunning("63 abandoned calls that do not end")
	abandon("/stick", "stuck", 1)
	select {
	case err := <-r.ended:
		if codeOf(err) != "MODULE_CRASHED" {
			t.Errorf("ended with %v, want MODULE_CRASHED", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("64 abandoned calls that do not end: the process still runs after 30 s")
	}
	if lost := r.logs.FilterMessage("module process lost").All(); len(lost) != 1 ||
		lost[0].ContextMap()["reason"] != "calls stuck" {
		t.Errorf("the log: %v, want the reason \"calls stuck\" once", lost)
	}
}

// TestStatus checks the status of a process through its runs, and how each run ended.
func TestStatus(t *testing.T) {
	number := func(n int) *int { return &n }
	kill := func(r *runningProcess) { _ = syscall.Kill(r.observe(t).PID, syscall.SIGKILL) }
	ask := func(path string) func(*runningProcess) {
		return func(r *runningProcess) { _, _ = r.handle(testContext(t), path, nil) }
	}
	t.Run("its own end", func(t *testing.T) {
		checkEnds(t, func(*process.Config) {}, []end{
			{"exits", ask("/exit"), process.EndExit, number(3)},
			{"is killed", kill, process.EndSignal, number(9)},
			{"uses up its memory", ask("/allocate"), process.EndMemory, number(2)},
			{"writes nonsense", ask("/garbage-to-host"), process.EndLink, nil},
		})
	})
	t.Run("a deadline", func(t *testing.T) {
		checkEnds(t, func(c *process.Config) {
			c.Deadlines.PingEvery, c.Deadlines.Ping = 100*time.Millisecond, 2*time.Second
		}, []end{{"answers no ping", ask("/freeze"), process.EndDeadline, nil}})
	})
}

// end is one way in which a run of a process ends.
type end struct {
	name string
	end  func(*runningProcess)
	kind process.EndKind
	code *int
}

func checkEnds(t *testing.T, configure func(*process.Config), rows []end) {
	t.Helper()
	r := start(t, "good", configure)
	if s := r.Status(); s.State != process.Ready || s.Starts != 1 || s.LastEnd != nil || s.Memory < 1<<20 ||
		s.MemoryLimit != 256<<20 {
		t.Errorf("the first run: %+v, want ready, one start, no end, its memory and a limit of 256 MiB", s)
	}
	starts := int64(1)
	for _, row := range rows {
		began := time.Now()
		row.end(r)
		<-r.ended
		s := r.Status()
		if s.State != process.Restarting || s.Since.Before(began) || s.Memory != 0 || s.LastEnd == nil {
			t.Fatalf("a process that %s: %+v, want one that restarts since, without memory, and its end", row.name, s)
		}
		same := (s.LastEnd.Code == nil) == (row.code == nil) && (row.code == nil || *s.LastEnd.Code == *row.code)
		if s.LastEnd.Kind != row.kind || !same || s.LastEnd.At.Before(began) {
			t.Errorf("a process that %s ended by %+v, want %s", row.name, *s.LastEnd, row.kind)
		}
		r.serve(t)
		r.awaitRestart(t)
		starts++
		if again := r.Status(); again.State != process.Ready || again.Starts != starts || again.CPU < s.CPU ||
			s.CPU == 0 {
			t.Errorf("after a process that %s: %+v, want ready, %d starts, and no less than %v of CPU", row.name,
				again, starts, s.CPU)
		}
	}
}

// TestStatusOfARefusedProcess checks that a program is not started if its file has changed or if its
// registration differs from the first.
func TestStatusOfARefusedProcess(t *testing.T) {
	for mode, alter := range map[string]func(*process.Config){
		"other-routes-second-time": nil,
		"good": func(c *process.Config) {
			starts := 0
			c.Verify = func(*os.File) error {
				if starts++; starts > 1 {
					return errors.New("other inode")
				}
				return nil
			}
		},
	} {
		r := start(t, mode, alter)
		_, _ = r.handle(testContext(t), "/exit", nil)
		<-r.ended
		r.serve(t)
		<-r.ended
		if s := r.Status(); s.State != process.Refused {
			t.Errorf("%s: state %s, want %s", mode, s.State, process.Refused)
		}
	}
}
