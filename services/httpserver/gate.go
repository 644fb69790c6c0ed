package httpserver

import (
	"context"
	"net"
	"net/http"

	"github.com/narthex-platform/narthex/realtime/stream"
)

// gate is the handler that net/http calls. Requests that the connection does not admit never reach the route
// table.
type gate struct {
	handler http.Handler
	all     *connections
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := r.Context().Value(connKey{}).(*conn)
	if !c.admit(r) {
		return // the fault's response is sent, and nothing more will be written
	}
	defer c.handlerReturned()
	g.handler.ServeHTTP(w, r)
}

type connKey struct{}

func connContext(ctx context.Context, socket net.Conn) context.Context {
	c := socket.(*conn)
	ctx, leave := context.WithCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancelRequests = leave
	return context.WithValue(stream.WithConnection(ctx, c), connKey{}, c) // outermost: looked up most often
}

// connState is called by net/http when a response was sent, or a stream has hijacked the connection.
func connState(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateIdle:
		c.(*conn).finishResponse()
	case http.StateHijacked:
		c.(*conn).lend()
	}
}
