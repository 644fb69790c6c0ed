package dev

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/web"
)

// gallery serves a page with the kit's components on a port of its own. Only dev has it; the platform itself
// does not serve it.
type gallery struct {
	address string
	server  *http.Server
	ended   chan struct{}
}

func startGallery(ctx context.Context) (*gallery, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errNoPort
	}
	g := &gallery{
		address: "http://" + listener.Addr().String(),
		server:  &http.Server{Handler: http.FileServerFS(web.Gallery()), ReadHeaderTimeout: 10 * time.Second},
		ended:   make(chan struct{}),
	}
	go func() {
		defer close(g.ended)
		_ = g.server.Serve(listener) // until stop is called
	}()
	return g, nil
}

// stop closes the gallery's server and all its connections.
func (g *gallery) stop() {
	_ = g.server.Close()
	<-g.ended
}
