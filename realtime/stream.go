package realtime

import (
	"context"
	"net/http"
	"syscall"
)

// Connection is what a stream asks of the connection that carries it.
type Connection interface {
	// BeginStream is called before anything is written, and says that an end of input ends the request's
	// context from now on. False: there is no room for the stream, and the connection ends without a byte.
	BeginStream() bool
	// Socket is where a stream writes that was taken from net/http. Nil: it cannot be taken.
	Socket() syscall.RawConn
	// EndStream is called once for a stream that was taken from net/http, and ends the connection. Until then
	// the socket must stay open: who wants it to end shuts it down.
	EndStream(how StreamEnd)
}

// StreamEnd is how a stream ended.
type StreamEnd uint8

const (
	StreamTold    StreamEnd = iota // its reader was told, and is to receive what was written
	StreamLeft                     // its client has left
	StreamCut                      // its reader was too slow
	StreamStalled                  // its socket took nothing for too long
)

type connectionKey struct{}

// WithConnection is for http.Server.ConnContext. Without it nothing is asked.
func WithConnection(ctx context.Context, connection Connection) context.Context {
	return context.WithValue(ctx, connectionKey{}, connection)
}

// ConnectionOf is what WithConnection put there; nil without it.
func ConnectionOf(ctx context.Context) Connection {
	connection, _ := ctx.Value(connectionKey{}).(Connection)
	return connection
}

// Stream serves one reader, and is called behind every gate. It returns when the stream has ended, or when it
// has taken the connection from net/http (http.Hijacker), where that has a socket: then the stream goes on
// without the handler. An error has a code and says that nothing was written: ErrUnavailable,
// ErrHandlerFailed, ErrOverloaded, or what the Snapshot failed with. The request's own headers and query mean
// nothing to it. The writer must know Flush and SetWriteDeadline, or unwrap to one that does.
func (h *Hub) Stream(w http.ResponseWriter, request *http.Request) error {
	connection := ConnectionOf(request.Context())
	if connection != nil && !connection.BeginStream() {
		panic(http.ErrAbortHandler)
	}
	r := newReader()
	r.socket = connection != nil && connection.Socket() != nil
	if !h.inbox.put(join{r}) {
		return ErrUnavailable
	}
	if err := r.await(request.Context()); err != nil {
		h.inbox.put(leave{r})
		return err
	}
	h.counts.readers.Add(1)
	if r.shard != nil && r.handOver(w, connection) {
		return nil
	}
	defer h.counts.readers.Add(-1)
	r.respond(w, request)
	return nil
}
