package realtime

import (
	"context"
	"net/http"
	"syscall"
)

// Connection is the connection that carries a stream, as far as the stream uses it.
type Connection interface {
	// BeginStream is called before anything is written. From then on the end of the client's input ends the
	// request's context. It returns false if there is no room for the stream; then the connection must be closed
	// without a byte.
	BeginStream() bool
	// Socket returns the socket to which a stream writes that was taken from net/http; nil if it cannot be
	// taken.
	Socket() syscall.RawConn
	// EndStream is called once for a stream that was taken from net/http, and closes the connection. Until then
	// the socket must stay open; to end the stream earlier, shut the socket down.
	EndStream(how StreamEnd)
}

// StreamEnd is why a stream ended.
type StreamEnd uint8

const (
	StreamTold    StreamEnd = iota // its reader got the last event and should receive everything
	StreamLeft                     // its client has disconnected
	StreamCut                      // its reader was too slow
	StreamStalled                  // its socket accepted nothing for too long
)

type connectionKey struct{}

// WithConnection is for http.Server.ConnContext. Without it streams do not use a Connection.
func WithConnection(ctx context.Context, connection Connection) context.Context {
	return context.WithValue(ctx, connectionKey{}, connection)
}

// ConnectionOf returns the Connection that WithConnection has stored; nil if there is none.
func ConnectionOf(ctx context.Context) Connection {
	connection, _ := ctx.Value(connectionKey{}).(Connection)
	return connection
}

// Stream serves one reader. It is called after all gates. It returns when the stream has ended, or when it
// has taken the connection from net/http (http.Hijacker), if that has a socket; then the stream continues
// without the handler. An error has a code and means that nothing was written: ErrUnavailable,
// ErrHandlerFailed, ErrOverloaded, or the error of the Snapshot. The request's headers and query are ignored.
// The writer must support Flush and SetWriteDeadline, or unwrap to one that does.
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
