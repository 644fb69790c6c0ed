package httpserver_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/services/httpserver"
)

const (
	badRequest = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"
	timedOut   = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n"
	headSize   = "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n"

	timeoutLine = "request timed out"
	refusedLine = "request refused by the transport"
)

// reply returns the response of rawServer's default handler with this text.
func reply(text string) string {
	return "HTTP/1.1 200 OK\r\nContent-Length: " + strconv.Itoa(len(text)) + "\r\n\r\n" + text
}

// write writes a response without variable headers.
func write(w http.ResponseWriter, text string) {
	header := w.Header()
	header["Date"], header["Content-Type"] = nil, nil
	header.Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = io.WriteString(w, text)
}

// rawServer is a listener with records of its handler's calls and its log.
type rawServer struct {
	*httpserver.Listener
	logs *observer.ObservedLogs
	runs atomic.Int32
	stop context.CancelFunc
	once sync.Once
	err  chan error
}

// startRaw serves a handler that echoes path and body, or the given one.
func startRaw(t testing.TB, config httpserver.ListenerConfig, limits httpserver.Limits) *rawServer {
	t.Helper()
	core, logs := observer.New(zap.DebugLevel)
	s := &rawServer{logs: logs, err: make(chan error, 1)}
	handler := config.Handler
	if handler == nil {
		handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, "the handler's own answer", http.StatusBadRequest)
				return
			}
			write(w, r.URL.Path+"|"+string(body))
		})
	}
	config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.runs.Add(1)
		handler.ServeHTTP(w, r)
	})
	config.Log = zap.New(core)
	if config.Address == "" {
		config.Address = "127.0.0.1:0"
	}
	s.Listener = httpserver.NewListener(config)
	s.Shorten(limits)
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	go func() { s.err <- s.Serve(ctx) }()
	<-s.Ready()
	t.Cleanup(func() {
		if err := s.end(); !errors.Is(err, context.Canceled) {
			t.Errorf("Serve: error %v, want %v", err, context.Canceled)
		}
		if logs.FilterMessage("connection in an impossible state").Len() > 0 {
			t.Error("a connection has made a move that is not in the table")
		}
	})
	return s
}

// end stops the server and returns what Serve returned.
func (s *rawServer) end() (err error) {
	err = context.Canceled
	s.once.Do(func() {
		s.stop()
		err = <-s.err
	})
	return err
}

func (s *rawServer) dial(t testing.TB) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	return conn.(*net.TCPConn)
}

// check compares the response, the number of handler calls and the log. Each log line is given as message and
// count.
func (s *rawServer) check(t testing.TB, got, want string, runs int32, lines ...string) {
	t.Helper()
	if got != want {
		t.Errorf("got  %.300q\nwant %.300q", got, want)
	}
	if n := s.runs.Load(); n != runs {
		t.Errorf("%d handler runs, want %d", n, runs)
	}
	logged := s.logs.All()
	for i, line := range logged {
		if i >= len(lines) || line.Message != lines[i] || len(line.Context) != 1 ||
			line.ContextMap()["count"] != int64(1) {
			t.Errorf("logged %q %v, want %q, each with the count 1", line.Message, line.Context, lines)
		}
	}
	if len(logged) != len(lines) {
		t.Errorf("%d log lines, want %q", len(logged), lines)
	}
}

// pipeListener is a listener without sockets, for tests with a fake clock.
type pipeListener struct {
	dialled chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{dialled: make(chan net.Conn), closed: make(chan struct{})}
}

func (p *pipeListener) dial() net.Conn {
	client, server := net.Pipe()
	p.dialled <- server
	return client
}

func (p *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-p.dialled:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipeListener) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (*pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipes"} }
