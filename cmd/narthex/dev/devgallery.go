package dev

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/web"
)

// gallery serves the kit's components on a port of their own. Only dev does; the platform itself never
// shows them.
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
		_ = g.server.Serve(listener) // until stop
	}()
	return g, nil
}

// stop ends the gallery with all its connections.
func (g *gallery) stop() {
	_ = g.server.Close()
	<-g.ended
}
