package httpserver_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/services/httpserver"
)

// received is the text that a client received, and when the server closed the connection.
type received struct {
	text  string
	after time.Duration
}

// watch reads until the connection is closed, and measures the time with a fake clock.
func watch(conn net.Conn) <-chan received {
	end := make(chan received, 1)
	start := time.Now()
	go func() {
		got, _ := io.ReadAll(conn)
		end <- received{string(got), time.Since(start)}
	}()
	return end
}

// TestDeadlines checks every deadline of docs/reference/http-api.md exactly. A step waits and then sends.
func TestDeadlines(t *testing.T) {
	type step struct {
		wait time.Duration
		send string
	}
	const (
		get     = "GET /g HTTP/1.1\r\nHost: x\r\n\r\n"
		post    = "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n"
		chunked = "POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
		expect  = "POST /p HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
	)
	s := time.Second
	none, one := []string(nil), []string{timeoutLine}
	for _, r := range []struct {
		name  string
		steps []step
		want  received
		runs  int32
		lines []string
	}{
		{"silent connection", nil, received{timedOut, 20 * s}, 0, one},
		{"half a head", []step{{0, "GET / HT"}}, received{timedOut, 20 * s}, 0, one},
		{"a late half of a head", []step{{15 * s, "GET / HT"}}, received{timedOut, 20 * s}, 0, one},
		{"a trickled head", []step{{0, "GET / HTTP/1.1\r\n"}, {9 * s, "Host: x\r\n"}, {9 * s, "A: b\r\n"}},
			received{timedOut, 20 * s}, 0, one},
		{"a head just in time", []step{{19*s + 999*time.Millisecond, get}},
			received{reply("/g|"), 24*s + 999*time.Millisecond}, 1, none},
		{"idle", []step{{0, get}}, received{reply("/g|"), 5 * s}, 1, none},
		{"idle again", []step{{0, get}, {4 * s, get}}, received{reply("/g|") + reply("/g|"), 9 * s}, 2, none},
		{"empty lines when idle", []step{{0, get}, {3 * s, "\r\n"}}, received{reply("/g|"), 5 * s}, 1, none},
		{"half a head when idle", []step{{0, get}, {4 * s, "G"}}, received{reply("/g|") + timedOut, 24 * s}, 1,
			one},
		{"a second head in pieces", []step{{0, get}, {4 * s, "GE"}, {19 * s, get[2:]}},
			received{reply("/g|") + reply("/g|"), 28 * s}, 2, none},
		{"no body", []step{{0, post}}, received{timedOut, 30 * s}, 1, one},
		{"no body, head in pieces", []step{{0, post[:5]}, {10 * s, post[5:]}}, received{timedOut, 30 * s}, 1, one},
		{"no body on a late request", []step{{15 * s, post}}, received{timedOut, 45 * s}, 1, one},
		{"no body on a second request", []step{{0, get}, {4 * s, post}}, received{reply("/g|") + timedOut, 34 * s},
			2, one},
		{"a trickled body", []step{{0, post}, {14 * s, "a"}, {15 * s, "b"}}, received{timedOut, 30 * s}, 1, one},
		{"a body just in time", []step{{0, post}, {14 * s, "a"}, {15 * s, "bc"}},
			received{reply("/p|abc"), 34 * s}, 1, none},
		{"a chunked body without its end", []step{{0, chunked}, {1 * s, "1\r\na\r\n"}, {1 * s, "0\r\n"}},
			received{timedOut, 30 * s}, 1, one},
		{"a body that was asked for", []step{{0, expect}},
			received{"HTTP/1.1 100 Continue\r\n\r\n" + timedOut, 30 * s}, 1, one},
	} {
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pipes := newPipeListener()
				server := startRaw(t, httpserver.ListenerConfig{Inherited: pipes}, httpserver.Limits{})
				conn := pipes.dial()
				end := watch(conn)
				for _, step := range r.steps {
					time.Sleep(step.wait)
					if _, err := io.WriteString(conn, step.send); err != nil {
						t.Error(err)
					}
				}
				if got := <-end; got != r.want {
					t.Errorf("got %.200q after %v, want %.200q after %v", got.text, got.after, r.want.text, r.want.after)
				}
				server.check(t, "", "", r.runs, r.lines...)
			})
		})
	}
}

// TestHandlerHasNoDeadline checks that the request's deadline ends with its body, and that the handler may
// take longer.
func TestHandlerHasNoDeadline(t *testing.T) {
	for name, request := range map[string]string{
		"no body": "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"body":    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pipes := newPipeListener()
				s := startRaw(t, httpserver.ListenerConfig{Inherited: pipes,
					Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						_, _ = io.ReadAll(r.Body)
						time.Sleep(time.Hour)
						write(w, fmt.Sprint(r.Context().Err()))
					})}, httpserver.Limits{})
				conn := pipes.dial()
				end := watch(conn)
				_, _ = io.WriteString(conn, request)
				if got := <-end; got.after != time.Hour+5*time.Second {
					t.Errorf("closed after %v, want %v", got.after, time.Hour+5*time.Second)
				} else {
					s.check(t, got.text, reply("<nil>"), 1)
				}
			})
		})
	}
}

// TestBodyDeadlineUnderAHandler checks that the response to a late body is sent at the deadline, even while
// the handler does not read, and that the handler's response is dropped.
func TestBodyDeadlineUnderAHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipes := newPipeListener()
		var readError error
		s := startRaw(t, httpserver.ListenerConfig{Inherited: pipes,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				time.Sleep(40 * time.Second)
				_, readError = io.ReadAll(r.Body)
				write(w, "late")
			})}, httpserver.Limits{})
		conn := pipes.dial()
		end := watch(conn)
		_, _ = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na")
		if got, want := <-end, (received{timedOut, 30 * time.Second}); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
		if err := s.end(); err.Error() != "context canceled" {
			t.Errorf("end: error %.200q, want %.200q", err.Error(), "context canceled")
		}
		if readError == nil {
			t.Error("the body ended well")
		}
		s.check(t, "", "", 1, timeoutLine)
	})
}

// TestReadAheadIsARequest checks that the first byte of a next request, which net/http reads while a handler
// runs, starts that request's deadline only after the response.
func TestReadAheadIsARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipes := newPipeListener()
		s := startRaw(t, httpserver.ListenerConfig{Inherited: pipes,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(time.Minute)
				write(w, "x")
			})}, httpserver.Limits{})
		conn := pipes.dial()
		end := watch(conn)
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\nG")
		if got, want := <-end, (received{reply("x") + timedOut, 80 * time.Second}); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
		s.check(t, "", "", 1, timeoutLine)
	})
}

// TestPieces sends the same requests divided in two at every byte, and byte by byte: the responses must be
// the same.
func TestPieces(t *testing.T) {
	requests := "\r\n\nPOST /p HTTP/1.1\r\nHost: x\r\nContent-Length: " + strings.Repeat("0", 70) +
		"3\r\n\r\nabc\r\n" +
		"POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nhi\r\n0\r\nA: b\r\n\r\n" +
		"GET /g HTTP/1.1\nHost: x\nA: " + "0123456789012345678901234567890123456789012345678901234567890123456789" +
		"\n\n" +
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
	want := reply("/p|abc") + reply("/p|hi") + reply("/g|") + badRequest
	for cut := range len(requests) {
		synctest.Test(t, func(t *testing.T) {
			pipes := newPipeListener()
			s := startRaw(t, httpserver.ListenerConfig{Inherited: pipes}, httpserver.Limits{})
			conn := pipes.dial()
			end := watch(conn)
			pieces := []string{requests[:cut], requests[cut:]}
			if cut == 0 {
				pieces = strings.Split(requests, "")
			}
			for _, piece := range pieces {
				_, _ = io.WriteString(conn, piece)
			}
			s.check(t, (<-end).text, want, 3, refusedLine)
		})
	}
}
