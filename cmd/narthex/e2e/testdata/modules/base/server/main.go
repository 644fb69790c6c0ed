// Command base is a module for tests: it responds to requests, reads bodies, returns what the platform passed
// to it, and logs when it stops.
package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type base struct{ host *sdk.Host }

func main() { sdk.Serve(&base{}) }

// Register declares one route for each aspect that a test checks.
func (b *base) Register(r *sdk.Registry) error {
	r.Handle("GET /plain", "base.read", sdk.NoBody, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"plain":true}`)
	})
	r.Handle("POST /echo", "base.read", sdk.Buffered(1<<20), func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	})
	r.Handle("GET /request/{first}/{second}", "base.read", sdk.NoBody, b.request)
	r.Handle("GET /headers", "base.read", sdk.NoBody, headers)
	r.Probe("GET /headers")
	r.Handle("GET /panic", "base.read", sdk.NoBody,
		func(http.ResponseWriter, *http.Request) { panic("hunter2") })
	r.Handle("GET /restricted", "base.restricted", sdk.NoBody, func(http.ResponseWriter, *http.Request) {})
	return nil
}

// Start keeps the host.
func (b *base) Start(_ context.Context, h *sdk.Host) error {
	b.host = h
	h.Log.Info("base started")
	return nil
}

// Stop logs that it was called.
func (b *base) Stop(context.Context) error {
	b.host.Log.Info("base stopped")
	return nil
}

// request responds with everything that the handler received.
func (b *base) request(w http.ResponseWriter, r *http.Request) {
	may, err := b.host.Can(r.Context(), "base.restricted")
	if err != nil {
		panic(err)
	}
	foreign, err := b.host.Can(r.Context(), "core.devices.manage")
	if err != nil {
		panic(err)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"path": r.URL.EscapedPath(), "query": r.URL.RawQuery, "first": r.PathValue("first"),
		"second": r.PathValue("second"),
		"header": r.Header, "principal": sdk.Principal(r.Context()), "may": may, "foreign": foreign,
	})
}

// headers tries to set headers that only the platform may set.
func headers(w http.ResponseWriter, _ *http.Request) {
	for _, name := range []string{
		"Set-Cookie", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Strict-Transport-Security",
		"Clear-Site-Data",
		"Service-Worker-Allowed", "Cache-Control", "Vary", "Content-Security-Policy", "Connection",
		"Transfer-Encoding", "X-Request-Id",
	} {
		w.Header().Set(name, "module")
	}
	w.Header().Set("Etag", `"kept"`)
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, "<script></script>")
}
