package httpserver

import (
	"net"

	"github.com/narthex-platform/narthex/realtime/stream"
)

// This file handles a connection whose stream was hijacked from net/http (http.Hijacker). It is still counted
// as a connection and as a stream, and a stop waits for it. The stream itself keeps the deadlines.

// Socket returns the socket to which the connection's stream writes.
func (c *conn) Socket() stream.Socket { return stream.SocketOf(c.raw) }

// lend is called when net/http gives up a hijacked connection.
func (c *conn) lend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopWatching()
	c.readClosed = true
	c.pending = nil
	if c.phase() == phaseHandling {
		c.move(phaseLent)
		c.clock.clear()
	}
	c.leave()
}

// EndStream closes the socket of a stream that was hijacked from net/http, or lets it linger until its last
// deadline.
func (c *conn) EndStream(how stream.End) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase() != phaseLent { // it had ended before it was lent
		_ = c.closeSocket()
		return
	}
	switch how {
	case stream.Finished:
		if c.unread() { // closing now would reset before the peer has read all
			c.linger()
			return
		}
		_ = c.finish()
	case stream.Left:
		_ = c.closeSocket()
	case stream.Stalled:
		c.all.logEvent(stalledLine)
		c.reset()
	case stream.Cut:
		c.reset()
	}
}

// shutDown shuts the connection down but does not close the descriptor, because the stream uses it until
// EndStream.
func (c *conn) shutDown() {
	if socket, isTCP := c.Conn.(*net.TCPConn); isTCP {
		_ = socket.SetLinger(0)
		_ = socket.CloseRead()
		_ = socket.CloseWrite()
	}
}
