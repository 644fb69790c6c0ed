package dev

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed page.js
var pageScript []byte

// The routes that dev adds before those of the platform.
const (
	statePath  = "/_dev/state"
	scriptPath = "/_dev/page.js"
	stateWait  = 10 * time.Second // how long one request of a page waits for a change
)

// pages notifies open pages of the Dashboard and of displays of the result of a save: a new generation to
// mount, or what went wrong. Safe for concurrent use.
type pages struct {
	mu      sync.Mutex
	state   pageState
	changed chan struct{} // closed at the next change
	errors  *pageErrors
	bench   *bench
}

// pageState is the state that pages receive.
type pageState struct {
	Number     int          `json:"number"`     // increases with every change
	Generation int          `json:"generation"` // the platform to show
	Failure    *pageFailure `json:"failure"`    // nil: the last save runs
}

type pageFailure struct {
	Module string `json:"module"`
	Step   string `json:"step"`
	Text   string `json:"text"`
}

func newPages(errors *pageErrors, b *bench) *pages {
	return &pages{changed: make(chan struct{}), errors: errors, bench: b}
}

func (p *pages) update(change func(*pageState)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.state)
	p.state.Number++
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *pages) now() (pageState, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state, p.changed
}

// wrap adds dev's routes before a platform's handler, and dev's script to its pages. Requests that wait for
// a change end when serving ends.
func (p *pages) wrap(serving context.Context, platform http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case path == errorPath && r.Method == http.MethodPost:
			p.errors.serve(w, r)
		case strings.HasPrefix(path, benchPath) && p.bench.serve(w, r):
		case strings.HasPrefix(path, shownModules):
			p.bench.follow(platform, w, r)
		case r.Method != http.MethodGet:
			platform.ServeHTTP(w, r)
		case path == statePath:
			p.sendState(serving, w, r)
		case path == scriptPath:
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
			w.Header().Set("Cache-Control", "no-store")
			_, _ = w.Write(pageScript)
		case strings.HasPrefix(path, mapPath):
			p.errors.serveMap(w, strings.TrimPrefix(path, mapPath))
		case path == "/" || strings.HasPrefix(path, "/display/"):
			withScript(platform, w, r)
		default:
			platform.ServeHTTP(w, r)
		}
	})
}

// sendState responds with the state: at once if it differs from the one that the page knows, else after the
// next change.
func (p *pages) sendState(serving context.Context, w http.ResponseWriter, r *http.Request) {
	known, err := strconv.Atoi(r.URL.Query().Get("known"))
	state, changed := p.now()
	if err == nil && known == state.Number {
		timer := time.NewTimer(stateWait)
		defer timer.Stop()
		select {
		case <-changed:
		case <-timer.C:
		case <-serving.Done():
		case <-r.Context().Done():
		}
		state, _ = p.now()
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(state)
}

// withScript adds dev's script to a page. Other responses pass unchanged.
func withScript(platform http.Handler, w http.ResponseWriter, r *http.Request) {
	plain := r.Clone(r.Context())
	plain.Header.Del("Accept-Encoding")
	plain.Header.Del("If-None-Match")
	held := &heldResponse{ResponseWriter: w}
	platform.ServeHTTP(held, plain)
	header, body := w.Header(), held.body.Bytes()
	if strings.HasPrefix(header.Get("Content-Type"), "text/html") {
		body = bytes.Replace(body, []byte("</head>"), []byte(`<script src="`+scriptPath+`"></script></head>`), 1)
		header.Del("Etag")
		header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	if held.status != 0 {
		w.WriteHeader(held.status)
	}
	_, _ = w.Write(body)
}

// heldResponse buffers a response until it is complete.
type heldResponse struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader stores the status.
func (h *heldResponse) WriteHeader(status int) { h.status = status }

// Write appends to the buffered body.
func (h *heldResponse) Write(b []byte) (int, error) { return h.body.Write(b) }
