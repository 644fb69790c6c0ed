package stream

import "context"

// Connection is the connection that carries a stream, as far as the stream uses it.
type Connection interface {
	// BeginStream is called before anything is written. From then on the end of the client's input ends the
	// request's context. It returns false if there is no room for the stream; then the connection must be closed
	// without a byte.
	BeginStream() bool
	// Socket returns the socket to which the stream writes after it was taken from net/http.
	Socket() Socket
	// EndStream is called once for a stream that was taken from net/http, and closes the connection. Until then
	// the socket must stay open; to end the stream earlier, shut the socket down.
	EndStream(how End)
}

// Socket is what a stream writes to; SocketOf returns that of a connection.
type Socket interface {
	// Write writes as many bytes as there is room for now; -1 means that the socket is closed. It never blocks.
	Write(p []byte) int
	// Watch makes w call the reader's Ready from now on, until Unwatch. It returns false if that is impossible.
	Watch(w *Watch, r *Reader) bool
	Unwatch()
}

// End is why a stream ended.
type End uint8

const (
	Finished End = iota // its reader got the last event and should receive everything
	Left                // its client has disconnected
	Cut                 // its reader was too slow
	Stalled             // its socket accepted nothing for too long
)

type connectionKey struct{}

// WithConnection is for http.Server.ConnContext. A stream needs it.
func WithConnection(ctx context.Context, connection Connection) context.Context {
	return context.WithValue(ctx, connectionKey{}, connection)
}

// ConnectionOf returns the Connection that WithConnection has stored; nil if there is none.
func ConnectionOf(ctx context.Context) Connection {
	connection, _ := ctx.Value(connectionKey{}).(Connection)
	return connection
}
