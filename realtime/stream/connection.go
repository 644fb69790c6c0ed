package stream

import (
	"context"
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
	EndStream(how End)
}

// End is why a stream ended.
type End uint8

const (
	Told    End = iota // its reader got the last event and should receive everything
	Left               // its client has disconnected
	Cut                // its reader was too slow
	Stalled            // its socket accepted nothing for too long
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
