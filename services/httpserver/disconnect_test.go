package httpserver_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/realtime/hub"
	"github.com/narthex-platform/narthex/services/httpserver"
)

// TestHalfClosedRequestIsServed checks that a client that closes its side for writing still gets its
// response, and that its handler is not canceled.
func TestHalfClosedRequestIsServed(t *testing.T) {
	for name, request := range map[string]string{
		"GET":  "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
	} {
		t.Run(name, func(t *testing.T) {
			entered, release := make(chan struct{}), make(chan struct{})
			s := startRaw(t, httpserver.ListenerConfig{Handler: http.HandlerFunc(func(w http.ResponseWriter,
				r *http.Request) {
				_, _ = io.ReadAll(r.Body)
				close(entered)
				<-release
				write(w, fmt.Sprint(r.Context().Err()))
			})}, httpserver.Limits{})
			conn := s.dial(t)
			_, _ = io.WriteString(conn, request)
			<-entered
			_ = conn.CloseWrite()
			s.eventually(t, "the end of input is read", func() bool { return s.HalfClosed() == 1 })
			close(release)
			got, err := io.ReadAll(conn)
			if err != nil {
				t.Error(err)
			}
			s.check(t, string(got), reply("<nil>"), 1)
		})
	}
}

// TestClientWhoLeavesIsNoticed checks that the handler is cancelled by a reset, with or without an end of
// input before it, and by a failed write.
func TestClientWhoLeavesIsNoticed(t *testing.T) {
	for _, r := range []struct {
		name   string
		half   bool // the client ends its input first
		reset  bool // otherwise the client closes normally
		writes bool // the handler writes and thereby notices the disconnect
	}{
		{name: "a reset", reset: true},
		{name: "a reset behind an end of input", half: true, reset: true},
		{name: "a failed write", writes: true},
	} {
		t.Run(r.name, func(t *testing.T) {
			entered, noticed := make(chan struct{}), make(chan struct{})
			s := startRaw(t, httpserver.ListenerConfig{Handler: http.HandlerFunc(func(w http.ResponseWriter,
				q *http.Request) {
				close(entered)
				for r.writes && q.Context().Err() == nil {
					_, _ = w.Write(make([]byte, 1<<10))
					_ = http.NewResponseController(w).Flush()
				}
				<-q.Context().Done()
				close(noticed)
			})}, httpserver.Limits{})
			conn := s.dial(t)
			_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			<-entered
			if r.half {
				_ = conn.CloseWrite()
				s.eventually(t, "the end of input is read before the reset", func() bool { return s.HalfClosed() == 1 })
			}
			if r.reset {
				_ = conn.SetLinger(0)
			}
			_ = conn.Close()
			select {
			case <-noticed:
			case <-time.After(20 * time.Second):
				t.Fatal("the handler's context did not end")
			}
		})
	}
}

// TestEndOfInputEndsAStream checks that an end of input ends a stream, also when it arrived before the stream
// began.
func TestEndOfInputEndsAStream(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	hubs := hub.New(zap.NewNop(), nil)
	ended := make(chan struct{})
	go func() { _ = hubs.Serve(ctx); close(ended) }()
	defer func() { stop(); <-ended }()
	<-hubs.Ready()
	channel, err := hubs.Open(ctx, "m", "c", func(context.Context) (hub.State, error) {
		return hub.State{Data: []byte("{}"), Process: 1}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, early := range []bool{false, true} {
		entered, read, streamed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		s := startRaw(t, httpserver.ListenerConfig{Handler: http.HandlerFunc(func(w http.ResponseWriter,
			r *http.Request) {
			close(entered)
			<-read
			streamed <- channel.Stream(w, r)
		})}, httpserver.Limits{})
		conn := s.dial(t)
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		<-entered
		if early {
			_ = conn.CloseWrite()
			s.eventually(t, "the end of input is read before the stream begins",
				func() bool { return s.HalfClosed() == 1 })
		}
		close(read)
		if !early {
			_, _ = conn.Read(make([]byte, 1)) // the stream has begun
			_ = conn.CloseWrite()
		}
		select {
		case <-streamed:
		case <-time.After(10 * time.Second): // the first heartbeat would come after 15 s
			t.Errorf("end of input before the stream: %v; the stream goes on", early)
		}
		s.eventually(t, "the stream's connection is closed", func() bool { return s.Open() == 0 })
		_ = conn.Close()
	}
}
