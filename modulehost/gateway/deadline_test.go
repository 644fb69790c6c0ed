package gateway_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpserver"
)

// TestDeadlinesOfAStreamedBody checks, in virtual time, who answers a streamed upload and when: the listener,
// while the body is incomplete 30 s after its first byte; the gateway, when its own limit has passed since
// the body's end. That limit is 29 s here, so that it would pass first if it counted from the call.
func TestDeadlinesOfAStreamedBody(t *testing.T) {
	const limit, inTime = 30 * time.Second, 29 * time.Second
	const answered, failed500 = "HTTP/1.1 200", "HTTP/1.1 500"
	const timedOut = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n"
	for name, row := range map[string]struct {
		path   string
		ends   time.Duration // when the rest of the body is sent; 0: never
		starts string        // the beginning of the response
		whole  bool          // starts is the whole response
		at     time.Duration
	}{
		"the handler reads a stalled body":    {"/read/0", 0, timedOut, true, limit},
		"the handler does not read it":        {"/hang/100", 0, timedOut, true, limit},
		"a slow body in time":                 {"/read/0", inTime, answered, false, 29 * time.Second},
		"and the handler's own time after it": {"/read/20", inTime, answered, false, 49 * time.Second},
		"but no more than that":               {"/read/100", inTime, failed500, false, 58 * time.Second},
		"one that ends at the last instant":   {"/read/20", limit - 1, answered, false, limit - 1 + 20*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := serveInBubble(t, gateway.Limits{Response: 29 * time.Second})
				began := time.Now()
				go func() {
					_, _ = io.WriteString(client, post(row.path, owner+"Content-Length: 6\r\n")+"abc")
					if row.ends > 0 {
						time.Sleep(row.ends - time.Since(began))
						_, _ = io.WriteString(client, "def")
					}
				}()
				first := make([]byte, len(row.starts))
				_, err := io.ReadFull(client, first)
				if took := time.Since(began); string(first) != row.starts || err != nil || took != row.at {
					t.Errorf("after %v: %q, error %v; want %q after %v", took, first, err, row.starts, row.at)
				}
				if !row.whole {
					return
				}
				if rest, _ := io.ReadAll(client); len(rest) > 0 {
					t.Errorf("the response goes on with %q, want nothing", rest)
				}
			})
		})
	}
}

// uploads is a module whose handlers wait for so many seconds, whatever becomes of their contexts.
type uploads struct{}

func (uploads) Register(r *sdk.Registry) error {
	body := sdk.Streamed(1 << 20)
	r.Handle("POST /read/{seconds}", "sample.use", body, func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			waitSeconds(r)
		}
		w.WriteHeader(http.StatusOK)
	})
	r.Handle("POST /hang/{seconds}", "sample.use", body,
		func(_ http.ResponseWriter, r *http.Request) { waitSeconds(r) })
	return nil
}

func waitSeconds(r *http.Request) {
	wait, _ := time.ParseDuration(r.PathValue("seconds") + "s")
	time.Sleep(wait)
}

func (uploads) Start(context.Context, *sdk.Host) error { return nil }
func (uploads) Stop(context.Context) error             { return nil }

// serveInBubble serves the module uploads with the SDK, behind the gateway and the listener, all of them
// connected by pipes, and returns a client's connection.
func serveInBubble(t *testing.T, limits gateway.Limits) (client net.Conn) {
	t.Helper()
	hostCalls, incoming := net.Pipe()
	outgoing, moduleCalls := net.Pipe()
	far := make(map[int]link.Stream)
	var near []*link.Socket
	for descriptor := 5; descriptor < 9; descriptor++ {
		ours, theirs := net.Pipe()
		near, far[descriptor] = append(near, link.NewSocket(descriptor, ours)), theirs
	}
	go func() {
		_ = link.Serve(context.Background(), moduleCalls,
			func(context.Context, link.Method, []byte) (proto.Message, error) { return &abi.LogResponse{}, nil }, 1)
	}()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = sdk.ServeOn(uploads{}, incoming, outgoing, func(descriptor int) link.Stream { return far[descriptor] })
	}()
	module, bodies := link.NewClient(hostCalls), link.NewBodies(near)
	ctx, end := context.WithTimeout(t.Context(), time.Second)
	defer end()
	var registered abi.RegisterResponse
	err := module.Call(ctx, link.Method(abi.Method_METHOD_REGISTER), &abi.RegisterRequest{}, &registered)
	if err != nil {
		t.Fatal(err)
	}
	host := facade.New(facade.Config{ModuleID: "sample", Log: zap.NewNop()})
	process := linkedProcess{module, registered.GetRoutes(), bodies}
	handler, err := httpserver.New(httpserver.Config{
		Routes:         gateway.RoutesWithin(gateway.Module{ID: "sample", Process: process, Calls: host}, limits),
		TrustedOrigins: []environment.Origin{home},
		ClientAddress:  noAddress{},
		Resolver:       testIdentity{},
		Authorizer:     testIdentity{},
		Log:            zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	client, server := net.Pipe()
	accepts := &onePipe{dialled: make(chan net.Conn, 1), closed: make(chan struct{})}
	accepts.dialled <- server
	listener := httpserver.NewListener(httpserver.ListenerConfig{Inherited: accepts, Handler: handler,
		Log: zap.NewNop()})
	serving, stop := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() { defer close(served); _ = listener.Serve(serving) }()
	t.Cleanup(func() {
		_ = client.Close()
		stop()
		<-served
		bodies.Close()
		_ = module.Close()
		_ = moduleCalls.Close()
		<-ended
		for _, socket := range far {
			_ = socket.Close()
		}
	})
	return client
}

// onePipe is a listener for a pipe.
type onePipe struct {
	dialled chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func (p *onePipe) Accept() (net.Conn, error) {
	select {
	case conn := <-p.dialled:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *onePipe) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *onePipe) Addr() net.Addr { return &net.TCPAddr{} }
