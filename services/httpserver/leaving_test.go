package httpserver_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/narthex-platform/narthex/services/httpserver"
)

// TestWatchedRequestLeavesTheNextOneWhole checks that after a long request, whose client was watched, the
// next request on the connection is complete, whether it arrives after the response, in two parts, or before
// the response.
func TestWatchedRequestLeavesTheNextOneWhole(t *testing.T) {
	release := make(chan struct{})
	s := startRaw(t, httpserver.ListenerConfig{Handler: http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		if r.URL.Path == "/slow" {
			<-release
		}
		write(w, r.URL.Path)
	})}, httpserver.Limits{})
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
