// Command notes is a module for tests that publishes how many notes its process has received. The tests
// supply its UI.
package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"sync/atomic"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type notes struct {
	host   *sdk.Host
	sent   atomic.Int64
	latest atomic.Value // a note, as JSON
}

func main() { sdk.Serve(&notes{}) }

// Register declares channels, a route that publishes to one, a route that says what it has received, a note
// that can be read and replaced, a route that nobody may use, and a route that ends the process.
func (n *notes) Register(r *sdk.Registry) error {
	n.latest.Store(`"Ruth has the key"`)
	r.Channel("board", "notes.read", func(context.Context) (any, error) { return n.sent.Load(), nil })
	r.Handle("POST /notes", "notes.read", sdk.NoBody, func(w http.ResponseWriter, _ *http.Request) {
		if err := n.host.Realtime.Publish("board", n.sent.Add(1)); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	r.Channel("control", "notes.read", func(context.Context) (any, error) { return 0, nil })
	r.Handle("PUT /echo", "notes.read", sdk.Buffered(1<<10), func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(r.URL.RawQuery + " " + r.Header.Get("Content-Type"))
	})
	r.Handle("GET /latest", "notes.read", sdk.NoBody, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(n.latest.Load().(string)))
	})
	r.Handle("PUT /latest", "notes.read", sdk.Buffered(1<<10), func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		n.latest.Store(string(text))
	})
	r.Handle("GET /x", "notes.hide", sdk.NoBody, func(http.ResponseWriter, *http.Request) {})
	r.Handle("POST /crash", "notes.read", sdk.NoBody, func(http.ResponseWriter, *http.Request) { os.Exit(1) })
	return nil
}

// Start keeps the host.
func (n *notes) Start(_ context.Context, h *sdk.Host) error {
	n.host = h
	return nil
}

// Stop does nothing.
func (n *notes) Stop(context.Context) error { return nil }
