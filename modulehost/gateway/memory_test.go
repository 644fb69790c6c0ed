package gateway_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/hostmemory"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpapi/httpapitest"
	"github.com/narthex-platform/narthex/services/principal"
)

// linkedProcess is a module whose responses the test sets, including responses that no SDK would send.
type linkedProcess struct {
	*link.Client
	routes []*abi.Route
	bodies *link.Bodies
}

func (s linkedProcess) Routes() []*abi.Route { return s.routes }

func (s linkedProcess) TakeLane(int) *link.LaneBody { return nil }

func (s linkedProcess) Begin(
	ctx context.Context, o link.Outgoing, complete func(*link.Outgoing) error,
) (*link.Exchange, error) {
	o.Bodies = s.bodies
	if err := complete(&o); err != nil {
		return nil, err
	}
	return s.Client.Begin(ctx, o)
}

// startLinked serves one buffered route of a module that always sends this response.
func startLinked(t *testing.T, memory *hostmemory.Account, response proto.Message) []httpapi.Route {
	t.Helper()
	return startServed(t, memory, &abi.Route{
		Method: "POST", Path: "/take", Permission: "sample.use", BodyMode: abi.BodyMode_BODY_MODE_BUFFERED,
		MaxBodyBytes: 1 << 20,
	}, func([]byte) proto.Message { return response })
}

// startServed serves one route of a module that responds with the result of serve.
func startServed(
	t *testing.T, memory *hostmemory.Account, route *abi.Route, serve func(payload []byte) proto.Message,
) []httpapi.Route {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ends [2]net.Conn
	for n, fd := range pair {
		file := os.NewFile(uintptr(fd), "link")
		if ends[n], err = net.FileConn(file); err != nil {
			t.Fatal(err)
		}
		_ = file.Close()
	}
	served := make(chan error, 1)
	go func() {
		served <- link.Serve(context.Background(), ends[1],
			func(_ context.Context, _ link.Method, payload []byte) (proto.Message, error) {
				return serve(payload), nil
			}, 8)
	}()
	client := link.NewClient(ends[0], link.Charge(memory))
	t.Cleanup(func() { _ = client.Close(); <-served })
	module := linkedProcess{client, []*abi.Route{route}, link.NewBodies(nil)}
	host := facade.New(facade.Config{ModuleID: "sample"})
	return gateway.Routes(gateway.Module{ID: "sample", Process: module, Calls: host, Memory: memory})
}

func take(t *testing.T, routes []httpapi.Route, body io.Reader) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	httpapitest.Serve(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, root+"/take", body),
		routes, caller{principal.Person("owner")})
	return w
}

func TestABodyPastTheAccountIsRefused(t *testing.T) {
	t.Parallel()
	memory := hostmemory.New(256 << 10)
	routes := startLinked(t, memory, &abi.HandleResponse{Status: http.StatusNoContent})
	idle, _ := memory.Bytes()
	for name, body := range map[string]io.Reader{
		"declared": bytes.NewReader(make([]byte, 300<<10)),
		"chunked":  io.MultiReader(bytes.NewReader(make([]byte, 300<<10))),
	} {
		if w := take(t, routes, body); w.Code != http.StatusServiceUnavailable ||
			w.Body.String() != `{"code":"MODULE_OVERLOADED"}` || w.Header().Get("Retry-After") != "1" {
			t.Errorf("%s: %d %s, want 503 MODULE_OVERLOADED with Retry-After", name, w.Code, w.Body)
		}
	}
	// Only the received bytes of a chunked body count: its length is unknown before it is read.
	for name, body := range map[string]io.Reader{
		"declared": strings.NewReader("short"),
		"chunked":  io.MultiReader(strings.NewReader("short")),
	} {
		if w := take(t, routes, body); w.Code != http.StatusNoContent {
			t.Errorf("a short body, %s: status %d %s, want 204", name, w.Code, w.Body)
		}
	}
	if used, _ := memory.Bytes(); used != idle {
		t.Errorf("%d bytes are counted after all requests, want %d as before", used, idle)
	}
}

func TestAnInlineBodyThatIsTooLongIsRefused(t *testing.T) {
	t.Parallel()
	for length, want := range map[int]int{8 << 10: http.StatusOK, 8<<10 + 1: http.StatusInternalServerError} {
		routes := startLinked(t, nil, &abi.HandleResponse{Status: http.StatusOK, Body: make([]byte, length)})
		if w := take(t, routes, nil); w.Code != want {
			t.Errorf("a body of %d bytes with its head: %d %.80s, want %d", length, w.Code, w.Body, want)
		}
	}
}

// TestALongResponseWithoutMemoryIsRefused: the pieces of a response need memory of the platform.
func TestALongResponseWithoutMemoryIsRefused(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	idle, _ := p.memory.Bytes()
	p.memory.Add(memoryLimit)
	if got := p.do("GET", "/known/5242880", nil); got.StatusCode != http.StatusServiceUnavailable ||
		got.body != `{"code":"MODULE_OVERLOADED"}` {
		t.Errorf("GET without memory: status %d, want 503 MODULE_OVERLOADED; body %.80s", got.StatusCode, got.body)
	}
	p.memory.Release(memoryLimit)
	if got := p.do("GET", "/known/5242880", nil); got.StatusCode != http.StatusOK {
		t.Errorf("GET with memory: status %d, want 200; body %.80s", got.StatusCode, got.body)
	}
	p.eventually("nothing is counted", func() bool { used, _ := p.memory.Bytes(); return used == idle })
}

func TestAResponsePastTheAccountIsRefused(t *testing.T) {
	t.Parallel()
	routes := startLinked(t, hostmemory.New(128<<10), &abi.HandleResponse{
		Status:  http.StatusOK,
		Headers: []*abi.Header{{Name: []byte("X-Module-Long"), Value: bytes.Repeat([]byte("x"), 200<<10)}},
	})
	if w := take(t, routes, nil); w.Code != http.StatusServiceUnavailable {
		t.Errorf("a response of 200 KiB with 128 KiB of memory: %d %.80s, want 503", w.Code, w.Body)
	}
}
