// Command notes is a module for tests that publishes how many notes its process has received. The tests
// supply its UI.
package main

import (
	"context"
	"net/http"
	"os"
	"sync/atomic"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type notes struct {
	host *sdk.Host
	sent atomic.Int64
}

func main() { sdk.Serve(&notes{}) }

// Register declares a channel, a route that publishes to it, and a route that ends the process.
func (n *notes) Register(r *sdk.Registry) error {
	r.Channel("board", "notes.read", func(context.Context) (any, error) { return n.sent.Load(), nil })
	r.Handle("POST /notes", "notes.read", sdk.NoBody, func(w http.ResponseWriter, _ *http.Request) {
		if err := n.host.Realtime.Publish("board", n.sent.Add(1)); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
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
