package browsertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
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

// update is one process of a newer version beside the older one. Requests below some paths are still sent to
// the older one.
type update struct {
	newer *url.URL
	older []string
}

// beginUpdate sends requests to the newer process from now on, except those below some paths.
func (f *faultProxy) beginUpdate(newer *displayFixture, older ...string) {
	f.update.Store(&update{&url.URL{Scheme: "http", Host: "127.0.0.1:" + newer.port}, older})
	f.open.cut()
}

// target returns the process for a path.
func (u *update) target(path string, older *url.URL) *url.URL {
	if u == nil {
		return older
	}
	for _, below := range u.older {
		if strings.HasPrefix(path, below) {
			return older
		}
	}
	return u.newer
}

// hostScript simulates another build of the displays' host script: its code is the real one with a comment,
// so that its hash is another one.
type hostScript struct {
	hash, real string
	code       []byte
	pages      atomic.Int32 // number of sent pages that name it
}

// setHostScript makes the platform appear to have another build than its real one from now on.
func (f *faultProxy) setHostScript(t *testing.T) *hostScript {
	t.Helper()
	get := func(path string) []byte {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.origin+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "text/html")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	named := regexp.MustCompile(`"/display/host-([0-9a-f]{16})\.js"`).FindSubmatch(get("/display/wall"))
	if named == nil {
		t.Fatal("the page names no host script")
	}
	s := &hostScript{real: string(named[1])}
	s.code = append(get("/display/host-"+s.real+".js"), "// another build\n"...)
	sum := sha256.Sum256(s.code)
	s.hash = hex.EncodeToString(sum[:8])
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

// modify replaces the real hash in a page by the simulated one, and the real script by the simulated one.
func (s *hostScript) modify(response *http.Response) error {
	if s == nil {
		return nil
	}
	var body []byte
	switch path := response.Request.URL.Path; {
	case path == "/display/host-"+s.real+".js":
		body = s.code
	case strings.HasPrefix(response.Header.Get("Content-Type"), "text/html"):
		page, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		body = bytes.ReplaceAll(page, []byte(s.real), []byte(s.hash))
		s.pages.Add(1)
	default:
		return nil
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	response.Header.Set("Content-Length", fmt.Sprint(len(body)))
	response.Header.Del("ETag")
	return nil
}

// scriptFault replaces the responses to the requests for one script.
type scriptFault struct {
	path    string // its prefix
	respond http.HandlerFunc
}

// Responses that a script can have, none of which is the script.
var scriptFaults = map[string]http.HandlerFunc{
	"502": func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
	},
	"200 with HTML": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Cache-Control", "max-age=3600")
		_, _ = io.WriteString(w, "<!doctype html><p>Sign in to the guest network.")
	},
	"404 with HTML": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<!doctype html><p>404 page not found")
	},
	"cut off": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "(() => { const a = 1;")
		panic(http.ErrAbortHandler)
	},
	"ends early": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = io.WriteString(w, "(() => {})")
	},
	"silent": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
}

// setScriptFault begins a fault of the script whose path has a prefix. clearScriptFault ends it.
func (f *faultProxy) setScriptFault(prefix, name string) {
	f.scriptFault.Store(&scriptFault{prefix, scriptFaults[name]})
}

func (f *faultProxy) clearScriptFault() { f.scriptFault.Store(nil) }

// handles responds to a request for the broken script; false: this is another request.
func (s *scriptFault) handles(w http.ResponseWriter, r *http.Request) bool {
	if s == nil || !strings.HasPrefix(r.URL.Path, s.path) {
		return false
	}
	s.respond(w, r)
	return true
}
