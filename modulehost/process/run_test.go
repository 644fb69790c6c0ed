package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

func TestRun(t *testing.T) {
	r := prepare(t, "good", func(c *process.Config) {
		c.Start = &abi.StartRequest{Database: true}
		c.Deadlines.Terminate = 30 * time.Second // long enough for SIGTERM on a slow machine
	})
	if _, err := r.handle(testContext(t), "/echo", nil); !errors.Is(err, process.ErrUnavailable) {
		t.Error("before the start:", err)
	}
	if r.Routes() != nil || r.String() != "module sample" {
		t.Error(r.Routes(), r.String())
	}
	r.serve(t)
	<-r.Ready()
	if routes := r.Routes(); len(routes) != 1 || routes[0].Path != "/x" {
		t.Errorf("Routes: number of routes %v, want %v; want routes[0].Path to be %v",
			len(routes), 1, "/x")
	}
	if body, err := r.handle(testContext(t), "/echo", []byte("hello")); err != nil || string(body) != "hello" {
		t.Errorf("handle: error %v, want none; body %.200q, want %.200q", err, string(body), "hello")
	}
	if body, err := r.handle(testContext(t), "/ask", nil); err != nil || string(body) != "true" {
		t.Error("a call back to the host:", string(body), err)
	}
	r.stop()
	if err := <-r.ended; !errors.Is(err, context.Canceled) || codeOf(err) != "" {
		t.Error("ended with", err)
	}
	if said := r.host.settled(t); !slices.Equal(said, []string{"starting", "stopping"}) {
		t.Error("the hooks:", said)
	}
	fields := r.logs.FilterMessage("module process ended").All()[0].ContextMap()
	if fields["signal"] != int64(syscall.SIGTERM) {
		t.Error("was not asked to go:", fields)
	}
	if _, err := r.handle(testContext(t), "/echo", nil); !errors.Is(err, process.ErrUnavailable) {
		t.Error("after the end:", err)
	}
}

func TestRunsThatNeverBecomeReady(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	pointer := filepath.Join(t.TempDir(), "pointer")
	if err := os.Symlink(executable(t, "good"), pointer); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.WriteFile(closed, []byte("\x7fELF"), 0o600); err != nil {
		t.Fatal(err)
	}
	refuse := errors.New("two routes are the same")
	for name, row := range map[string]struct {
		mode  string
		alter func(*process.Config)
		code  string
		cause string
		said  string // the lines that the hooks have logged
	}{
		"no handshake": {"never-ready", func(c *process.Config) { c.Deadlines.Register = time.Second },
			"MODULE_REGISTER_FAILED", "", ""},
		"dies at once":       {"dies-at-once", nil, "MODULE_REGISTER_FAILED", "", ""},
		"dies as a launcher": {"says-120", nil, "MODULE_REGISTER_FAILED", "", ""},
		"garbage":            {"garbage", nil, "MODULE_REGISTER_FAILED", "", ""},
		"another ABI":        {"wrong-abi", nil, "MODULE_REGISTER_FAILED", "the module speaks another ABI", ""},
		"routes refused": {"good",
			func(c *process.Config) { c.OnRegister = func(*abi.RegisterResponse) error { return refuse } },
			"MODULE_REGISTER_FAILED", "two routes are the same", ""},
		"start fails": {"start-fails", nil, "MODULE_START_FAILED", "NO_LUCK", "starting stopping"},
		"start dies":  {"start-dies", nil, "MODULE_START_FAILED", "its process exited with status 3", "starting"},
		"start hangs": {"start-hangs", func(c *process.Config) { c.Deadlines.Start = 3 * time.Second },
			"MODULE_START_TIMEOUT", "", "starting stopping"},
		"no executable": {"good", func(c *process.Config) { c.Executable = missing },
			"MODULE_REGISTER_FAILED", "the process was not started", ""},
		"executable a link": {"good", func(c *process.Config) { c.Executable = pointer },
			"MODULE_REGISTER_FAILED", "the process was not started", ""},
		"executable a folder": {"good", func(c *process.Config) { c.Executable = modules },
			"MODULE_REGISTER_FAILED", "the process was not started", ""},
		"executable a text": {"good", func(c *process.Config) { c.Executable = text }, "MODULE_REGISTER_FAILED",
			"the launcher could not execute the program", ""},
		"executable for nobody": {"good", func(c *process.Config) { c.Executable = closed },
			"MODULE_REGISTER_FAILED", "the launcher may not execute the program", ""},
		"folder a file": {"good", func(c *process.Config) { c.Folder = text }, "MODULE_REGISTER_FAILED",
			"the process was not started", ""},
		"too little memory": {"good", func(c *process.Config) { c.Limits.Data = 4 << 20 },
			"MODULE_REGISTER_FAILED", "", ""},
		"too few threads": {"good", func(c *process.Config) {
			if os.Geteuid() == 0 { // root is exempt from the limit
				c.Credential = &process.Credential{UID: 0x7fff0001, GID: 0x7fff0001}
			}
			c.Limits.Processes = 1
		}, "MODULE_PROCESS_LIMIT", "", ""},
		"executable changed": {"good",
			func(c *process.Config) { c.Verify = func(*os.File) error { return errors.New("other inode") } },
			"MODULE_UNAVAILABLE", "other inode", ""},
		"a wall is missing": {"good", func(c *process.Config) { c.Limits.Files = 1 << 40 },
			"MODULE_SANDBOX_UNAVAILABLE", "could not apply rlimit", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := prepare(t, row.mode, row.alter)
			r.serve(t)
			err := <-r.ended
			cause := row.code
			if row.cause != "" {
				cause += ": " + row.cause
			}
			if codeOf(err) != row.code || errors.Unwrap(err).Error() != cause ||
				!strings.HasPrefix(err.Error(), row.code+": The module sample ") {
				t.Errorf("%v (%v), want %s\n%s", err, errors.Unwrap(err), cause, r.Output())
			}
			if said := strings.Join(r.host.settled(t), " "); said != row.said {
				t.Errorf("the hooks said %q, want %q", said, row.said)
			}
			select {
			case <-r.Ready():
				t.Error("became ready")
			default:
			}
			r.assertLogsOmit(t, "secret", modules, missing)
		})
	}
}

// TestStopThatGoesWrongAfterAFailedStart: the error contains the failure of the start first, and then that of
// the Stop hook.
func TestStopThatGoesWrongAfterAFailedStart(t *testing.T) {
	for mode, want := range map[string]string{
		"start-fails-and-hangs": "MODULE_ROLLBACK_TIMEOUT: The module sample ",
		"start-and-stop-fail":   "MODULE_STOP_FAILED: The module sample ",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := prepare(t, mode, func(c *process.Config) {
				if mode == "start-fails-and-hangs" {
					c.Deadlines.Stop, c.Deadlines.Terminate = 300*time.Millisecond, 200*time.Millisecond
				}
			})
			r.serve(t)
			err := <-r.ended
			lines := strings.Split(err.Error(), "\n")
			if codeOf(err) != "MODULE_START_FAILED" || len(lines) != 2 || !strings.HasPrefix(lines[1], want) {
				t.Errorf("ended with %q, want MODULE_START_FAILED, then %q", lines, want)
			}
		})
	}
}

// assertLogsOmit checks that the logs contain none of the marks.
func (r *runningProcess) assertLogsOmit(t *testing.T, marks ...string) {
	t.Helper()
	for _, entry := range r.logs.All() {
		line := fmt.Sprint(entry.Message, entry.ContextMap())
		for _, mark := range marks {
			if strings.Contains(line, mark) {
				t.Errorf("the log holds %q: %s", mark, line)
			}
		}
	}
}

func TestStopOfAStartUnderWay(t *testing.T) {
	for _, mode := range []string{"never-ready", "start-hangs"} {
		r := prepare(t, mode, nil)
		r.serve(t)
		if mode == "start-hangs" {
			<-r.host.heard
		}
		r.stop()
		if err := <-r.ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%v: error %v, want %v", mode, err, context.Canceled)
		}
		r.host.settled(t)
	}
}

func TestStopThatGoesWrong(t *testing.T) {
	for mode, code := range map[string]string{
		"ignore-stop": "MODULE_STOP_TIMEOUT", "stop-fails": "MODULE_STOP_FAILED", "stop-dies": "MODULE_STOP_FAILED",
	} {
		t.Run(mode, func(t *testing.T) {
			r := start(t, mode, func(c *process.Config) {
				if mode == "ignore-stop" {
					c.Deadlines.Stop, c.Deadlines.Terminate = 300*time.Millisecond, 200*time.Millisecond
				}
			})
			waiting := make(chan error, 1)
			go func() {
				_, err := r.handle(testContext(t), "/wait", nil)
				waiting <- err
			}()
			for said := ""; said != "waiting"; said = <-r.host.heard {
			}
			r.stop()
			err := <-r.ended
			if codeOf(err) != code || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
				t.Error("ended with", err)
			}
			if err := <-waiting; !errors.Is(err, process.ErrHandlerFailed) {
				t.Error("in flight:", err)
			}
			r.host.settled(t)
		})
	}
}

func TestLaterRuns(t *testing.T) {
	r := start(t, "good", nil)
	routes := r.Routes()
	for range 3 {
		if _, err := r.handle(testContext(t), "/exit", nil); !errors.Is(err, process.ErrHandlerFailed) {
			t.Fatalf("handle: error %v, want %v", err, process.ErrHandlerFailed)
		}
		if err := <-r.ended; codeOf(err) != "MODULE_CRASHED" {
			t.Fatal(err)
		}
		r.host.settled(t)
		r.serve(t)
		r.awaitRestart(t)
	}
	if !proto.Equal(routes[0], r.Routes()[0]) {
		t.Error("the routes changed")
	}
}

func TestLaterRunMustRegisterTheSame(t *testing.T) {
	r := start(t, "other-routes-second-time", nil)
	first := r.Routes()[0].Path
	r.stop()
	<-r.ended
	r.serve(t)
	err := <-r.ended
	if codeOf(err) != "MODULE_REGISTER_FAILED" || !strings.Contains(errors.Unwrap(err).Error(), "differs") {
		t.Fatal(err)
	}
	if r.Routes()[0].Path != first {
		t.Error("the first registration was replaced")
	}
}

// TestCodesOfAModuleDecideNothing: when a module responds with one of the platform's codes, its caller gets
// ErrHandlerFailed.
func TestCodesOfAModuleDecideNothing(t *testing.T) {
	r := start(t, "good", nil)
	_, err := r.handle(testContext(t), "/refuse", nil)
	var failure *link.Failure
	if codeOf(err) != "MODULE_HANDLER_FAILED" || !errors.As(err, &failure) ||
		failure.CodeText != "MODULE_UNAVAILABLE" {
		t.Error(err)
	}
	if errors.Is(err, process.ErrUnavailable) {
		t.Error("a module's word was taken for the platform's")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := r.handle(ctx, "/wait", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("handle: error %v, want %v", err, context.DeadlineExceeded)
	}
	large := &abi.HandleRequest{Body: make([]byte, link.MaxMessage)}
	err = r.Call(testContext(t), abi.Method_METHOD_HANDLE, large, nil)
	if !errors.Is(err, link.ErrTooLarge) {
		t.Errorf("a request of %d bytes: %v, want %v", link.MaxMessage, err, link.ErrTooLarge)
	}
	if body, err := r.handle(testContext(t), "/echo", []byte("still here")); err != nil ||
		string(body) != "still here" {
		t.Errorf("handle: error %v, want none; body %.200q, want %.200q",
			err, string(body), "still here")
	}
}
