package gateway_test

import (
	"bufio"
	"context"
	"io"
	"maps"
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
				client := serveInBubble(t, gateway.Limits{Response: 29 * time.Second})()
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

// TestDeadlinesOfAResponse checks, in virtual time, with the real limits, when a request ends whose handler
// does not respond, or begins a long response and does not continue it.
func TestDeadlinesOfAResponse(t *testing.T) {
	for path, want := range map[string]struct {
		status int
		body   string
		cut    bool
		after  time.Duration
	}{
		"/wait/29":       {200, "", false, 29 * time.Second},
		"/wait/1000":     {500, failed, false, 30 * time.Second},
		"/pauses/29/29":  {200, "begun, continued, ended", false, 58 * time.Second},
		"/pauses/29/100": {200, "begun, continued, ", true, 59 * time.Second},
	} {
		t.Run(path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dial := serveInBubble(t, gateway.Limits{})
				began := time.Now()
				got, body, err := get(dial(), path)
				if took := elapsed(began); got != want.status || body != want.body || (err != nil) != want.cut ||
					took != want.after {
					t.Errorf("status %d; body %q; error %v; after %v; want %d, %q, cut off: %v, after %v", got, body,
						err, took, want.status, want.body, want.cut, want.after)
				}
				time.Sleep(time.Hour) // the handler ends
			})
		})
	}
}

// TestQueue fills the slots and the queue of one module, with two slots and a queue of two.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := serveInBubble(t, gateway.Limits{InFlight: 2, Waiting: 2})
		began := time.Now()
		var requests sync.WaitGroup
		send := func(path string, status int, body string, after time.Duration) {
			requests.Go(func() {
				got, gotBody, err := get(dial(), path)
				if took := elapsed(began); got != status || gotBody != body || err != nil || took != after {
					t.Errorf("GET %s: %d %q, error %v, after %v; want %d %q after %v", path, got, gotBody, err, took,
						status, body, after)
				}
			})
			synctest.Wait()
		}
		const overloaded = `{"code":"MODULE_OVERLOADED"}`
		send("/wait/3", 200, "", 3*time.Second)
		send("/wait/20", 200, "", 20*time.Second)
		send("/wait/8", 200, "", 11*time.Second)        // gets the slot that is free after 3 s
		send("/wait/0", 503, overloaded, 5*time.Second) // gets none within 5 s
		send("/wait/0", 503, overloaded, 0)             // finds the queue full
		send("/wait/0", 503, overloaded, 0)
		requests.Wait()
		began = time.Now()
		send("/wait/0", 200, "", 0) // the slots are free again
		requests.Wait()
	})
}

// TestPlaces fills the places of one module with the real limits, with handlers that never return.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const places, waiting, more = 256, 1024, 100
		dial := serveInBubble(t, gateway.Limits{})
		began := time.Now()
		type outcome struct {
			status int
			after  time.Duration
		}
		outcomes := make(chan outcome, places+waiting+more)
		for range cap(outcomes) {
			go func() {
				status, _, _ := get(dial(), "/wait/1000")
				outcomes <- outcome{status, elapsed(began)}
			}()
		}
		got := make(map[outcome]int)
		for range cap(outcomes) {
			got[<-outcomes]++
		}
		want := map[outcome]int{{500, 30 * time.Second}: places, {503, 5 * time.Second}: waiting, {503, 0}: more}
		if !maps.Equal(got, want) {
			t.Errorf("%d requests at the same time: %v, want %v", cap(outcomes), got, want)
		}
		time.Sleep(time.Hour) // the handlers end
	})
}

// elapsed ignores the few milliseconds for which a caller on the link still waits for others' responses.
func elapsed(began time.Time) time.Duration { return time.Since(began).Truncate(10 * time.Millisecond) }

// get sends a request and reads its response, up to the end of the connection if that comes first.
func get(client net.Conn, path string) (status int, body string, err error) {
	request := "GET " + root + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + owner + "\r\n"
	if _, err := io.WriteString(client, request); err != nil {
		return 0, "", err
	}
	response, err := http.ReadResponse(bufio.NewReader(client), nil)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	return response.StatusCode, string(got), err
}

// sleepers is a module whose handlers wait for so many seconds, whatever becomes of their contexts.
type sleepers struct{}

func (sleepers) Register(r *sdk.Registry) error {
	r.Handle("GET /wait/{seconds}", "sample.use", sdk.NoBody,
		func(_ http.ResponseWriter, r *http.Request) { waitSeconds(r, "seconds") })
	r.Handle("GET /pauses/{first}/{second}", "sample.use", sdk.NoBody,
		func(w http.ResponseWriter, r *http.Request) {
			for _, piece := range []struct{ text, pause string }{{"begun, ", "first"}, {"continued, ", "second"}} {
				_, _ = io.WriteString(w, piece.text)
				_ = http.NewResponseController(w).Flush()
				waitSeconds(r, piece.pause)
			}
			_, _ = io.WriteString(w, "ended")
		})
	body := sdk.Streamed(1 << 20)
	r.Handle("POST /read/{seconds}", "sample.use", body, func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			waitSeconds(r, "seconds")
		}
		w.WriteHeader(http.StatusOK)
	})
	r.Handle("POST /hang/{seconds}", "sample.use", body,
		func(_ http.ResponseWriter, r *http.Request) { waitSeconds(r, "seconds") })
	return nil
}

func waitSeconds(r *http.Request, name string) {
	wait, _ := time.ParseDuration(r.PathValue(name) + "s")
	time.Sleep(wait)
}

func (sleepers) Start(context.Context, *sdk.Host) error { return nil }
func (sleepers) Stop(context.Context) error             { return nil }

// serveInBubble serves the module sleepers with the SDK, behind the gateway and the listener, all of them
// connected by pipes, and returns a function that makes a client's connection.
func serveInBubble(t *testing.T, limits gateway.Limits) (dial func() net.Conn) {
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
		_ = sdk.ServeOn(sleepers{}, incoming, outgoing, func(descriptor int) link.Stream { return far[descriptor] })
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
	accepts := &pipes{dialled: make(chan net.Conn), closed: make(chan struct{})}
	listener := httpserver.NewListener(httpserver.ListenerConfig{Inherited: accepts, Handler: handler,
		Log: zap.NewNop()})
	serving, stop := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() { defer close(served); _ = listener.Serve(serving) }()
	t.Cleanup(func() {
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
	return func() net.Conn {
		client, server := net.Pipe()
		t.Cleanup(func() { _ = client.Close() })
		accepts.dialled <- server
		return client
	}
}

// pipes is a listener for pipes.
type pipes struct {
	dialled chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.dialled:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }
