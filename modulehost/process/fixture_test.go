package process_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/services/waittest"
)

// host serves a module's calls and records them.
type host struct {
	mu             sync.Mutex
	opened, closed int
	said           []string
	heard          chan string
}

func newHost() *host { return &host{heard: make(chan string, 10_000)} }

type session struct{ *host }

func (h *host) Open() process.Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.opened++
	return session{h}
}

func (s session) Serve(_ context.Context, m link.Method, payload []byte) (proto.Message, error) {
	if abi.Method(m) == abi.Method_METHOD_ALLOWED {
		return &abi.AllowedResponse{Allowed: true}, nil
	}
	var request abi.LogRequest
	if err := proto.Unmarshal(payload, &request); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.said = append(s.said, string(request.Message))
	s.mu.Unlock()
	s.heard <- string(request.Message)
	return &abi.LogResponse{}, nil
}

func (s session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed++
}

// settled checks that every session is closed, and returns the lines of the module's log.
func (h *host) settled(t *testing.T) []string {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.opened != h.closed {
		t.Errorf("%d sessions were opened and %d closed, want the same number", h.opened, h.closed)
	}
	return h.said
}

// runningProcess is a module's process and one call of its Serve.
type runningProcess struct {
	*process.Process
	host  *host
	logs  *observer.ObservedLogs
	stop  context.CancelFunc
	ended chan error
}

// prepare makes a process that behaves as mode says; alter may change its configuration.
func prepare(tb testing.TB, mode string, alter func(*process.Config)) *runningProcess {
	core, logs := observer.New(zap.DebugLevel)
	h := newHost()
	config := process.Config{
		ModuleID:      "sample",
		ModuleVersion: "1.0.0",
		Executable:    executable(tb, mode),
		Folder:        modules,
		Host:          h,
		Log:           zap.New(core),
	}
	if alter != nil {
		alter(&config)
	}
	return &runningProcess{Process: process.New(config), host: h, logs: logs}
}

// serve begins a run, which ends when the test ends.
func (r *runningProcess) serve(tb testing.TB) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ended <- r.Serve(ctx)
	}()
	r.stop, r.ended = cancel, ended
	tb.Cleanup(func() {
		cancel()
		<-done
	})
}

// start serves a module and waits until it is ready.
func start(tb testing.TB, mode string, alter func(*process.Config)) *runningProcess {
	tb.Helper()
	r := prepare(tb, mode, alter)
	r.serve(tb)
	select {
	case <-r.Ready():
	case err := <-r.ended:
		tb.Fatalf("%s did not become ready: %v\n%s", mode, err, r.Output())
	}
	return r
}

// awaitRestart returns when a later run responds. There is no signal for that, because Ready stays closed.
func (r *runningProcess) awaitRestart(t *testing.T) {
	t.Helper()
	ctx := testContext(t)
	eventually(t, "a later run responds", func() bool {
		_, err := r.handle(ctx, "/echo", nil)
		if err != nil && !errors.Is(err, process.ErrUnavailable) {
			t.Fatalf("/echo: error %v, want none or %v", err, process.ErrUnavailable)
		}
		return err == nil
	})
}

// eventually polls a state that the kernel or another process reaches without a signal.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	waittest.Until(t, what, holds)
}

func (r *runningProcess) handle(ctx context.Context, path string, body []byte) ([]byte, error) {
	var response abi.HandleResponse
	err := r.Call(ctx, abi.Method_METHOD_HANDLE, &abi.HandleRequest{Path: []byte(path), Body: body}, &response)
	return response.Body, err
}

// observe returns what the module can read about itself and its surroundings.
func (r *runningProcess) observe(t *testing.T) (o observation) {
	t.Helper()
	body, err := r.handle(testContext(t), "/tell", nil)
	if err == nil {
		err = json.Unmarshal(body, &o)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func testContext(tb testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	tb.Cleanup(cancel)
	return ctx
}

func codeOf(err error) string {
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		return coded.Code()
	}
	return ""
}
