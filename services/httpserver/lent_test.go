package httpserver_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/realtime/hub"
	"github.com/narthex-platform/narthex/realtime/stream"
	"github.com/narthex-platform/narthex/services/httpserver"
)

// startStreams serves one channel, whose streams are hijacked from net/http.
func startStreams(
	t *testing.T, draining bool, limits httpserver.Limits,
) (s *rawServer, hubs *hub.Hubs, returned chan error) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	hubs = hub.New(zap.NewNop(), nil)
	ended := make(chan struct{})
	go func() { _ = hubs.Serve(ctx); close(ended) }()
	t.Cleanup(func() { stop(); <-ended })
	<-hubs.Ready()
	channel, err := hubs.Open(ctx, "m", "c", func(context.Context) (hub.State, error) {
		return hub.State{Data: []byte("{}"), Process: 1}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	returned = make(chan error, 10)
	config := httpserver.ListenerConfig{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		returned <- channel.Stream(w, r)
	})}
	if draining {
		config.Draining = hubs.Drain
	}
	return startRaw(t, config, limits), hubs, returned
}

// openStream opens a stream and returns its reader, positioned after the snapshot's first line.
func openStream(t *testing.T, s *rawServer) *bufio.Reader {
	t.Helper()
	conn := s.dial(t)
	_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	reader := bufio.NewReader(conn)
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			t.Fatalf("no stream: %v", err)
		}
		if line == "id: 0\n" {
			return reader
		}
	}
}

// TestStopWaitsForLentStreams checks that a stream whose handler has returned is still counted, and that a
// stop notifies its reader and waits for the stream's end.
func TestStopWaitsForLentStreams(t *testing.T) {
	s, _, returned := startStreams(t, true, httpserver.Limits{})
	reader := openStream(t, s)
	if err := <-returned; err != nil {
		t.Error(err)
	}
	if f := s.Figures(); f.Open != 1 || f.Streams != 1 || f.Idle != 0 {
		t.Errorf("figures %+v, want one connection with a stream", f)
	}
	if err := s.end(); !errors.Is(err, context.Canceled) {
		t.Errorf("stop: %v, want %v", err, context.Canceled)
	}
	rest, err := io.ReadAll(reader)
	if err != nil || !strings.HasSuffix(string(rest), "event: reconnect\n\n") {
		t.Errorf("the stream ends with %q, %v, want reconnect and an end", rest, err)
	}
	if s.Open() != 0 {
		t.Errorf("%d connections are left, want none", s.Open())
	}
}

// TestStopCutsLentStreams checks that a stream that does not end is closed when the time of a stop is over.
func TestStopCutsLentStreams(t *testing.T) {
	t.Parallel()
	s, _, returned := startStreams(t, false, httpserver.Limits{Drain: 200 * time.Millisecond})
	reader := openStream(t, s)
	<-returned
	if err := s.end(); !errors.Is(err, httpserver.ErrDrain) {
		t.Errorf("stop: %v, want %v", err, httpserver.ErrDrain)
	}
	if _, err := io.ReadAll(reader); errors.Is(err, context.DeadlineExceeded) {
		t.Error("the connection is open, want it cut")
	}
	s.eventually(t, "the connection is given back", func() bool { return s.Open() == 0 })
}

// TestLentStreamOutlivesTheRequest checks that no deadline of a request or of an idle connection ends a
// stream, and that what its client sends does not end it either.
func TestLentStreamOutlivesTheRequest(t *testing.T) {
	t.Parallel()
	s, hubs, returned := startStreams(t, true, httpserver.Limits{Header: 300 * time.Millisecond,
		Request: 300 * time.Millisecond, Idle: 300 * time.Millisecond, Stall: 300 * time.Millisecond})
	conn := s.dial(t)
	_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	<-returned
	_, _ = io.WriteString(conn, "GET /more HTTP/1.1\r\nHost: x\r\n\r\n")
	for range 3 { // the same deadlines end connections that were opened later
		for _, begin := range []string{"", "GET / HTT"} {
			other := s.dial(t)
			_, _ = io.WriteString(other, begin)
			if _, err := io.Copy(io.Discard, other); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := hubs.Publish("m", "c", 1, 1, []byte(`"late"`)); err != nil {
		t.Error(err)
	}
	reader := bufio.NewReader(conn)
	for line := ""; line != "data: \"late\"\n"; {
		var err error
		if line, err = reader.ReadString('\n'); err != nil {
			t.Fatalf("the stream ended: %v", err)
		}
	}
	if err := s.end(); !errors.Is(err, context.Canceled) {
		t.Errorf("stop: %v, want %v", err, context.Canceled)
	}
	rest, err := io.ReadAll(reader)
	if err != nil || !strings.HasSuffix(string(rest), "event: reconnect\n\n") {
		t.Errorf("the stream ends with %q, %v, want reconnect: what the client sent must not reset it", rest, err)
	}
}

// TestCutLeavesTheDescriptor checks that a stop whose time is over shuts down the connection of a lent
// stream, but leaves its descriptor open until EndStream, because the stream may be about to write to it.
func TestCutLeavesTheDescriptor(t *testing.T) {
	lent := make(chan stream.Connection, 1)
	s := startRaw(t, httpserver.ListenerConfig{Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			connection := stream.ConnectionOf(r.Context())
			if !connection.BeginStream() {
				t.Error("no room for a stream")
			}
			if _, _, err := http.NewResponseController(w).Hijack(); err != nil {
				t.Error(err)
			}
			lent <- connection
		})}, httpserver.Limits{Drain: 200 * time.Millisecond})
	client := s.dial(t)
	_, _ = io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	connection := <-lent
	ended := make(chan error, 1)
	go func() { ended <- s.end() }()
	if _, err := io.ReadAll(client); errors.Is(err, context.DeadlineExceeded) {
		t.Error("the connection is open, want it cut")
	}
	if err := httpserver.Raw(connection).Control(func(uintptr) {}); err != nil {
		t.Errorf("the stream's descriptor: %v, want it open until the stream's end", err)
	}
	connection.EndStream(stream.Cut)
	if err := <-ended; !errors.Is(err, httpserver.ErrDrain) {
		t.Errorf("stop: %v, want %v", err, httpserver.ErrDrain)
	}
	s.eventually(t, "the connection is given back", func() bool { return s.Open() == 0 })
}
