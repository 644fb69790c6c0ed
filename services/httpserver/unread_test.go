package httpserver_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/httpserver"
)

// TestUnreadBodyIsCancelled checks that a response never waits for an unread body, and that the connection
// ends soon after it. The clients do not send their bodies.
func TestUnreadBodyIsCancelled(t *testing.T) {
	const declared, chunked, expected = "Content-Length: 9\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n",
		"Expect: 100-continue\r\nContent-Length: 9\r\n\r\n"
	const large = "Content-Length: 100000\r\n\r\nxxxx"
	for _, r := range []struct {
		name, request string
		who           string
		framings      []string
		status        int
	}{
		{"too large for its route", "POST /api/v1/things", "owner", []string{large}, 413},
		{"too large, declared on a route that reads late", "PUT /api/v1/things/7", "owner", []string{large}, 413},
		{"no Origin", "POST /api/v1/things", "nowhere", []string{declared, chunked, expected, large}, 403},
		{"no permission", "PUT /api/v1/things/7", "member", []string{declared, chunked, expected}, 403},
		{"nobody", "PUT /api/v1/things/7", "", []string{declared, chunked, expected}, 401},
		{"an unknown path", "POST /api/v1/nothing", "owner", []string{declared, chunked, expected, large}, 404},
		{"another method", "DELETE /api/v1/things", "owner", []string{declared, chunked, expected, large}, 404},
		{"a route without a body", "GET /api/v1/open", "owner", []string{declared, chunked, expected, large}, 200},
		{"a long answer without a body", "GET /api/v1/long", "owner", []string{declared, chunked, expected, large},
			200},
		{"a handler that panics", "GET /api/v1/panics", "owner", []string{declared, chunked, expected, large}, 500},
		{"health", "POST /api/v1/health/live", "owner", []string{declared, chunked, expected, large}, 405},
		{"a preflight", "OPTIONS /api/v1/things", "owner", []string{declared, chunked, expected, large}, 204},
	} {
		for _, framing := range r.framings {
			t.Run(r.name+"/"+strings.Fields(framing)[0], func(t *testing.T) {
				t.Parallel()
				f, handler := table(t)
				s := startRaw(t, httpserver.ListenerConfig{Handler: handler}, httpserver.Limits{Request: time.Hour})
				conn := s.dial(t)
				_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
				origin := "Origin: " + home + "\r\nAccess-Control-Request-Method: POST\r\n"
				if r.who == "nowhere" {
					origin = ""
				}
				_, _ = io.WriteString(conn, r.request+" HTTP/1.1\r\nHost: x\r\nTest-Who: "+r.who+"\r\n"+origin+framing)
				reader := bufio.NewReader(conn)
				response, err := http.ReadResponse(reader, nil)
				if err != nil {
					t.Fatalf("%s with a body that is held back: no response: %v", r.request, err)
				}
				if response.StatusCode != r.status || !response.Close {
					t.Errorf("%s: status %d, close %v; want %d and Connection: close", r.request, response.StatusCode,
						response.Close, r.status)
				}
				if _, err := io.Copy(io.Discard, response.Body); err != nil {
					t.Error(err)
				}
				if rest, err := io.ReadAll(reader); len(rest) > 0 || err != nil {
					t.Errorf("%s: the connection did not end behind the response: %q, %v", r.request, rest, err)
				}
				s.eventually(t, "the socket is closed", func() bool { return s.Open() == 0 })
				if s.logs.Len() > 0 || f.handled.Load() > 1 {
					t.Errorf("logged %v, want nothing; handled %d times, want at most once", s.logs.All(),
						f.handled.Load())
				}
			})
		}
	}
}

// TestSmallUnreadBodyKeepsItsConnection checks that an unread body that arrived with the head is discarded,
// and that the next request gets a response.
func TestSmallUnreadBodyKeepsItsConnection(t *testing.T) {
	_, handler := table(t)
	s := startRaw(t, httpserver.ListenerConfig{Handler: handler}, httpserver.Limits{})
	conn := s.dial(t)
	reader := bufio.NewReader(conn)
	for _, r := range []struct {
		request string
		status  int
	}{{"POST /api/v1/things", 403}, {"POST /api/v1/nothing", 404}, {"GET /api/v1/long", 200},
		{"GET /api/v1/open", 200}} {
		for _, framing := range []string{"Content-Length: 9\r\n\r\n123456789",
			"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"} {
			_, _ = io.WriteString(conn, r.request+" HTTP/1.1\r\nHost: x\r\n"+framing)
			response, err := http.ReadResponse(reader, nil)
			if err != nil {
				t.Fatalf("http.ReadResponse: error %v, want none; request %v", err, r.request)
			}
			if response.StatusCode != r.status || response.Close {
				t.Errorf("%s: status %d, close %v; want %d and a connection that stays", r.request, response.StatusCode,
					response.Close, r.status)
			}
			_, _ = io.Copy(io.Discard, response.Body)
		}
	}
}
