package httpserver_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/httpserver"
)

// startWithSlowRoute returns a server that responds with the request's path, to /slow when release gets a
// value.
func startWithSlowRoute(t *testing.T) (s *rawServer, release chan<- struct{}) {
	t.Helper()
	released := make(chan struct{})
	return startRaw(t, httpserver.ListenerConfig{Handler: http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		if r.URL.Path == "/slow" {
			<-released
		}
		write(w, r.URL.Path)
	})}, httpserver.Limits{}), released
}

// TestWatchedRequestLeavesTheNextOneWhole checks that after a long request, whose client was watched, the
// next request on the connection is complete, whether it arrives after the response, in two parts, or before
// the response.
func TestWatchedRequestLeavesTheNextOneWhole(t *testing.T) {
	s, release := startWithSlowRoute(t)
	const slow, quick = "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n", "GET /quick HTTP/1.1\r\nHost: x\r\n\r\n"
	runs := int32(0)
	for name, early := range map[string]int{
		"behind the response": 0, "in two parts": 5, "whole, before it": len(quick),
	} {
		conn := s.dial(t)
		_, _ = io.WriteString(conn, slow)
		s.eventually(t, name+": the client is watched", func() bool { return s.Watched() == 1 })
		_, _ = io.WriteString(conn, quick[:early])
		release <- struct{}{}
		_, _ = io.WriteString(conn, quick[early:])
		_ = conn.CloseWrite()
		runs += 2
		got, err := io.ReadAll(conn)
		if err != nil {
			t.Error(err)
		}
		s.check(t, string(got), reply("/slow")+reply("/quick"), runs)
		s.eventually(t, name+": the watch has ended", func() bool { return s.Watched() == 0 })
	}
}

// TestEachLongRequestIsWatched checks that the long requests among the short ones of a connection are all
// watched.
func TestEachLongRequestIsWatched(t *testing.T) {
	t.Parallel()
	s, release := startWithSlowRoute(t)
	conn := s.dial(t)
	ask := func(path string) { _, _ = io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n") }
	expect := func(path string) {
		got := make([]byte, len(reply(path)))
		if _, err := io.ReadFull(conn, got); err != nil || string(got) != reply(path) {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	for range 3 {
		for range 100 {
			ask("/quick")
			expect("/quick")
		}
		ask("/slow")
		s.eventually(t, "the client is watched", func() bool { return s.Watched() == 1 })
		release <- struct{}{}
		expect("/slow")
	}
}

// TestHandlerSetsAWriteDeadline checks that a handler's write deadline reaches the socket, and that it is
// cleared for the next response.
func TestHandlerSetsAWriteDeadline(t *testing.T) {
	t.Parallel()
	s := startRaw(t, httpserver.ListenerConfig{Handler: http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		control := http.NewResponseController(w)
		switch r.URL.Path {
		case "/cleared":
			_ = control.SetWriteDeadline(time.Unix(1, 0))
			_ = control.SetWriteDeadline(time.Time{})
		case "/past":
			_ = control.SetWriteDeadline(time.Unix(1, 0))
			_, _ = w.Write([]byte("x"))
			if err := control.Flush(); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("written after the deadline: %v", err)
			}
		case "/later":
			_ = control.SetWriteDeadline(time.Now().Add(time.Minute))
		}
		write(w, r.URL.Path)
	})}, httpserver.Limits{})
	conn := s.dial(t)
	for _, path := range []string{"/later", "/cleared", "/plain", "/past"} {
		_, _ = io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
	}
	got, err := io.ReadAll(conn)
	if err != nil {
		t.Error(err)
	}
	s.check(t, string(got), reply("/later")+reply("/cleared")+reply("/plain"), 4)
}
