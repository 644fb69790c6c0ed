package httpserver

import (
	"context"
	"net"
	"net/http"

	"github.com/narthex-platform/narthex/realtime"
)

// gate is the handler that net/http calls: what its connection does not admit never reaches the table.
type gate struct {
	handler http.Handler
	all     *connections
}

var closing = []string{"close"}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !r.Context().Value(connKey{}).(*conn).admit(r) {
		return // the fault is out, and nothing more will be written
	}
	if g.all.stopping.Load() {
		w.Header()["Connection"] = closing
	}
	g.handler.ServeHTTP(w, r)
}

type connKey struct{}

func connContext(ctx context.Context, c net.Conn) context.Context {
	ctx = context.WithValue(ctx, connKey{}, c)
	if socket, ok := c.(*conn).Conn.(realtime.Socket); ok {
		ctx = realtime.WithSocket(ctx, socket)
	}
	return ctx
}

// connState is how net/http tells that an answer is out.
func connState(c net.Conn, state http.ConnState) {
	if state == http.StateIdle {
		c.(*conn).settle()
	}
}
