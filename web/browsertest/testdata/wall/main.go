// Command wall is a module for tests of displays: it shows one text, which a caller with the permission can
// change.
package main

import (
	"context"
	"io"
	"net/http"
	"sync"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type wall struct {
	host *sdk.Host

	mu   sync.Mutex
	text string
}

func main() { sdk.Serve(&wall{text: "nothing said yet"}) }

// Register declares the channel of the text, and the route that changes it.
func (w *wall) Register(r *sdk.Registry) error {
	r.Channel("board", "wall.view", func(context.Context) (any, error) { return w.said(), nil })
	r.Handle("POST /say", "wall.say", sdk.Buffered(1<<10), w.say)
	return nil
}

func (w *wall) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text
}

func (w *wall) say(out http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return // the platform responds
	}
	w.mu.Lock()
	w.text = string(text)
	w.mu.Unlock()
	if err := w.host.Realtime.Publish("board", string(text)); err != nil {
		http.Error(out, err.Error(), http.StatusInternalServerError)
	}
}

// Start keeps the host.
func (w *wall) Start(_ context.Context, h *sdk.Host) error {
	w.host = h
	return nil
}

// Stop does nothing.
func (w *wall) Stop(context.Context) error { return nil }
