package browsertest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
)

// gate holds back the requests below a path until it is opened.
type gate struct {
	path    string
	waiting atomic.Int32
	opened  chan struct{}
}

// closeGate holds back the requests below a path from now on.
func (f *faultProxy) closeGate(path string) *gate {
	g := &gate{path: path, opened: make(chan struct{})}
	f.gate.Store(g)
	return g
}

// open lets the held and all later requests pass.
func (g *gate) open() { close(g.opened) }

// passes waits until a request may pass; false means that its client is gone.
func (g *gate) passes(r *http.Request) bool {
	if g == nil || !strings.HasPrefix(r.URL.Path, g.path) {
		return true
	}
	g.waiting.Add(1)
	select {
	case <-g.opened:
		return true
	case <-r.Context().Done():
		return false
	}
}

// hostScript simulates another build of the displays' host script: pages name it with another hash, but its
// code is the same.
type hostScript struct {
	hash, real string
	pages      atomic.Int32 // number of sent pages that name it
}

// setHostScript makes the platform appear to have the build hash instead of its real build.
func (f *faultProxy) setHostScript(hash, real string) *hostScript {
	s := &hostScript{hash: hash, real: real}
	f.script.Store(s)
	return s
}

// rewrite replaces the simulated hash in a request by the real one.
func (s *hostScript) rewrite(r *http.Request) {
	if s == nil || !strings.HasPrefix(r.URL.Path, "/display/") {
		return
	}
	r.URL.Path = strings.Replace(r.URL.Path, s.hash, s.real, 1)
	r.Header.Del("If-None-Match")
	r.Header.Set("Accept-Encoding", "identity")
}

// modify replaces the real hash in a page by the simulated one.
func (s *hostScript) modify(response *http.Response) error {
	if s == nil || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
		return nil
	}
	page, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	page = bytes.ReplaceAll(page, []byte(s.real), []byte(s.hash))
	response.Body = io.NopCloser(bytes.NewReader(page))
	response.Header.Set("Content-Length", fmt.Sprint(len(page)))
	response.Header.Del("ETag")
	s.pages.Add(1)
	return nil
}
