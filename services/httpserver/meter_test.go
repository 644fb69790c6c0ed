package httpserver_test

import (
	"fmt"
	"io"
	"maps"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
)

// recorder is a Meter that stores the counts.
type recorder struct {
	mu     sync.Mutex
	counts map[string]int
}

func newRecorder() *recorder { return &recorder{counts: make(map[string]int)} }

func (r *recorder) add(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[what]++
}

// Route counts a response as "method route status".
func (r *recorder) Route(method, path string) func(int, time.Duration) {
	return func(status int, _ time.Duration) { r.add(fmt.Sprintf("%s %s %d", method, path, status)) }
}

// Refused counts a cause.
func (r *recorder) Refused(cause string) { r.add(cause) }

// TestFaultInAHandlersPlaceIsCountedOnce checks that a body that never arrives is counted as one 408,
// although its handler ran and its response was dropped.
func TestFaultInAHandlersPlaceIsCountedOnce(t *testing.T) {
	meter := newRecorder()
	handler, err := httpserver.New(httpserver.Config{
		Routes: []httpapi.Route{{
			Method: "POST", Path: "/things", Origin: httpapi.OriginByHandler, Body: httpapi.WholeBody, MaxBody: 100,
			Handle: func(c *httpapi.Call) error { return c.JSON(200, struct{}{}) },
		}},
		ClientAddress: direct(), Meter: meter, Log: zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	s := startRaw(t, httpserver.ListenerConfig{Handler: handler, Meter: meter},
		httpserver.Limits{Request: 50 * time.Millisecond, Linger: 50 * time.Millisecond})
	for body, want := range map[string]string{"{": timedOut, "{}": "HTTP/1.1 200 OK\r\n"} {
		conn := s.dial(t)
		_, _ = io.WriteString(conn, "POST /things HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"+
			"Content-Length: 2\r\n\r\n"+body)
		got, err := io.ReadAll(conn)
		if err != nil || len(got) < len(want) || string(got[:len(want)]) != want {
			t.Errorf("body %q: got %q and error %v, want %q and none", body, got, err, want)
		}
	}
	_ = s.end() // then every handler has returned and is counted
	want := map[string]int{" transport 408": 1, "deadline": 1, "POST /things 200": 1}
	if !maps.Equal(meter.counts, want) {
		t.Errorf("one body in time and one that never came: counted %v, want %v", meter.counts, want)
	}
}
