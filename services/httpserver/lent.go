package httpserver

import (
	"net"
	"syscall"

	"github.com/narthex-platform/narthex/realtime"
)

// This file is a connection whose stream was taken from net/http (http.Hijacker). It stays counted, as a
// connection and as a stream, and a stop waits for it. Its deadlines are the stream's.

// Socket is where a stream may write without net/http; nil where the connection has no socket.
func (c *conn) Socket() syscall.RawConn {
	if _, isTCP := c.Conn.(*net.TCPConn); isTCP {
		return c.raw
	}
	return nil
}

// lend is net/http's last word on a connection.
func (c *conn) lend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopWatching()
	c.lent, c.serverDone = true, true
	c.readClosed, c.responseBegun = true, true
	c.pending = nil
	c.clock.clear()
}

// EndStream closes the socket of a stream that was taken from net/http, or leaves it to its last deadline.
func (c *conn) EndStream(how realtime.StreamEnd) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lent = false
	switch how {
	case realtime.StreamTold:
		if c.writeClosed = true; c.unread() { // closing it now would reset what the peer is to read
			c.linger()
			return
		}
		_ = c.finish()
	case realtime.StreamLeft:
		_ = c.closeSocket()
	case realtime.StreamStalled:
		c.all.logEvent(stalledLine)
		c.reset()
	case realtime.StreamCut:
		c.reset()
	}
}

// shutDown lets the stream end the connection: the descriptor is the stream's until then.
func (c *conn) shutDown() {
	if socket, isTCP := c.Conn.(*net.TCPConn); isTCP {
		_ = socket.SetLinger(0)
		_ = socket.CloseRead()
		_ = socket.CloseWrite()
	}
}
