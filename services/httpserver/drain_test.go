package httpserver_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/services/httpserver"
)

// TestStopUnderLoad stops the server under load from keep-alive clients. A client may be refused a new
// connection, but may see no other failure.
func TestStopUnderLoad(t *testing.T) {
	t.Parallel()
	for range 10 { // with limits that a busy machine does not reach; TestStop checks the real idle time
		s := startRaw(t, httpserver.ListenerConfig{},
			httpserver.Limits{Handshake: time.Second, StopIdle: time.Minute})
		var clients sync.WaitGroup
		var results atomic.Int32
		warm := make(chan struct{}, 64)
		for range cap(warm) {
			clients.Go(func() {
				if err := sendRequests(s.Addr().String(), &results, warm); !errors.Is(err, syscall.ECONNREFUSED) {
					t.Errorf("a client ended with %v, want %v", err, syscall.ECONNREFUSED)
				}
			})
		}
		for range cap(warm) {
			<-warm
		}
		if err := s.end(); !errors.Is(err, context.Canceled) {
			t.Errorf("end: error %v, want %v", err, context.Canceled)
		}
		clients.Wait()
		if got := s.runs.Load(); got != results.Load() {
			t.Errorf("%d handler runs and %d responses, want the same number", got, results.Load())
		}
	}
}

// sendRequests sends requests until a new connection is refused. It makes a new connection when the server
// has announced that it closes the previous one.
func sendRequests(address string, results *atomic.Int32, warm chan<- struct{}) error {
	request := []byte("GET /load HTTP/1.1\r\nHost: x\r\n\r\n")
	for {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		reader := bufio.NewReader(conn)
		for open := true; open; {
			if _, err := conn.Write(request); err != nil {
				return errors.Join(err, conn.Close())
			}
			response, err := http.ReadResponse(reader, nil)
			if err != nil {
				return errors.Join(err, conn.Close())
			}
			if body, err := io.ReadAll(response.Body); err != nil || string(body) != "/load|" {
				return errors.Join(errors.New("half an answer"), err, conn.Close())
			}
			if results.Add(1); warm != nil {
				warm <- struct{}{}
				warm = nil
			}
			open = !response.Close
		}
		if err := conn.Close(); err != nil {
			return err
		}
	}
}

// lastLine returns a response with Connection: close.
func lastLine(text string) string {
	return strings.Replace(reply(text), "\r\n", "\r\nConnection: close\r\n", 1)
}

// TestStopUnderNewConnections stops the server while clients make a connection for each request. Each gets a
// response or is refused. None is reset, because connections made before the listener closes are still
// served.
func TestStopUnderNewConnections(t *testing.T) {
	t.Parallel()
	for range 5 { // with the same limits
		s := startRaw(t, httpserver.ListenerConfig{},
			httpserver.Limits{Handshake: time.Second, StopIdle: time.Minute})
		var clients sync.WaitGroup
		warm := make(chan struct{}, 32)
		for range cap(warm) {
			clients.Go(func() {
				for {
					err := requestOnce(s.Addr().String())
					switch {
					case err == nil:
						select {
						case warm <- struct{}{}:
						default:
						}
					case errors.Is(err, syscall.ECONNREFUSED):
						return
					default:
						t.Errorf("a client that had connected saw %v", err)
						return
					}
				}
			})
		}
		for range cap(warm) {
			<-warm
		}
		if err := s.end(); !errors.Is(err, context.Canceled) {
			t.Errorf("end: error %v, want %v", err, context.Canceled)
		}
		clients.Wait()
	}
}

// requestOnce makes a connection for one request.
func requestOnce(address string) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = io.WriteString(conn, "GET /load HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if err != nil {
		return err
	}
	got, err := io.ReadAll(conn)
	if err == nil && !strings.HasSuffix(string(got), "/load|") {
		err = fmt.Errorf("half a response: %q", got)
	}
	return err
}

// TestStop checks the exact order of a stop: what a client with half a request receives, an idle one, and one
// with a request in progress.
func TestStop(t *testing.T) {
	const get = "GET /g HTTP/1.1\r\nHost: x\r\n\r\n"
	const lull = 500 * time.Millisecond
	last := lastLine("/g|")
	for _, r := range []struct {
		name         string
		before       string
		pause        time.Duration // from the stop to the bytes sent after it
		after        string
		want         received
		runs         int32
		logged       []string
		stoppedAfter time.Duration
	}{
		{"fresh", "", 0, "", received{"", lull}, 0, nil, lull},
		{"idle", get, 0, "", received{reply("/g|"), lull}, 1, nil, lull},
		{"a request in the lull", get, lull - 1, get, received{reply("/g|") + last, lull - 1}, 2, nil, lull - 1},
		{"a first request in the lull", "", lull - 1, get, received{last, lull - 1}, 1, nil, lull - 1},
		{"half a request", get + get[:9], 4 * time.Second, get[9:], received{reply("/g|") + last, 4 * time.Second},
			2, nil, 4 * time.Second},
		{"half a first request", get[:9], 4 * time.Second, get[9:], received{last, 4 * time.Second}, 1, nil,
			4 * time.Second},
		{"half a request for ever", get + get[:9], 0, "", received{reply("/g|") + timedOut, 5 * time.Second}, 1,
			[]string{timeoutLine}, 5 * time.Second},
		{"half a first request for ever", get[:9], 0, "", received{timedOut, 5 * time.Second}, 0,
			[]string{timeoutLine}, 5 * time.Second},
		{"half a request in the lull", "", lull - 1, get[:9], received{timedOut, 5 * time.Second}, 0,
			[]string{timeoutLine}, 5 * time.Second},
	} {
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pipes := newPipeListener()
				s := startRaw(t, httpserver.ListenerConfig{Inherited: pipes}, httpserver.Limits{})
				conn := pipes.dial()
				end := watch(conn)
				_, _ = io.WriteString(conn, r.before)
				synctest.Wait()
				start := time.Now()
				stopped := make(chan error, 1)
				go func() { stopped <- s.end() }()
				time.Sleep(r.pause)
				_, _ = io.WriteString(conn, r.after)
				if err := <-stopped; !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				took := time.Since(start).Truncate(10 * time.Millisecond)
				if took != r.stoppedAfter.Truncate(10*time.Millisecond) {
					t.Errorf("stopped after %v, want %v", took, r.stoppedAfter)
				}
				got := <-end
				if got != r.want {
					t.Errorf("got %v, want %v", got, r.want)
				}
				s.check(t, "", "", r.runs, r.logged...)
			})
		})
	}
}

// TestLongRequestAtAStop checks a request that was admitted before the stop. Either it ends in time and its
// response announces the end of the connection, or its connection is closed and Serve returns ErrDrain.
func TestLongRequestAtAStop(t *testing.T) {
	for _, r := range []struct {
		name  string
		takes time.Duration
		want  error
		after time.Duration
	}{
		{"in time", 20 * time.Second, context.Canceled, 20 * time.Second},
		{"too long", time.Minute, httpserver.ErrDrain, 30 * time.Second},
	} {
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pipes := newPipeListener()
				s := startRaw(t, httpserver.ListenerConfig{Inherited: pipes,
					Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
						time.Sleep(r.takes)
						write(w, "done")
					})}, httpserver.Limits{})
				conn := pipes.dial()
				end := watch(conn)
				_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
				synctest.Wait()
				if err := s.end(); !errors.Is(err, r.want) {
					t.Errorf("Serve: error %v, want %v", err, r.want)
				}
				got := <-end
				if got.after != r.after || (got.text == lastLine("done")) != (r.want == context.Canceled) {
					t.Errorf("the client got %v, want its end after %v and a whole response: %v", got,
						r.after, r.want == context.Canceled)
				}
				s.check(t, "", "", 1)
				time.Sleep(time.Minute) // a handler that cannot be stopped
			})
		})
	}
}

// TestInherited serves on a socket that another process has bound.
func TestInherited(t *testing.T) {
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := startRaw(t, httpserver.ListenerConfig{Inherited: socket},
		httpserver.Limits{Idle: 50 * time.Millisecond})
	if s.Addr() != socket.Addr() {
		t.Errorf("serves on %v, want the inherited socket %v", s.Addr(), socket.Addr())
	}
	conn := s.dial(t)
	_, _ = io.WriteString(conn, "GET /g HTTP/1.1\r\nHost: x\r\n\r\n")
	got, _ := io.ReadAll(conn)
	s.check(t, string(got), reply("/g|"), 1)
}
