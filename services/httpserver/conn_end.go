package httpserver

import (
	"io"
	"time"
)

// This file is how a connection ends: by its deadline, by a fault, by net/http, to make room for another
// connection, or by a stop.

// expire is the timer's call.
func (c *conn) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	due, look := c.clock.expired()
	if look {
		c.checkProgress()
	}
	switch {
	case c.closed || !due:
	case c.writeClosed: // the peer has had its time to read the fault
		_ = c.finish()
	case c.waiting() && (!c.fresh || c.all.stopping.Load()):
		c.idleExpired = true
		_ = c.Conn.SetReadDeadline(past) // ends a Read in progress
	default:
		c.fail(faultTimeout)
	}
}

// expireIdle ends a connection whose idle time is over, silently, unless the next request came in time: under
// load only the reading goroutine is late, and only it can tell, so it calls this. again: it must read once
// more.
func (c *conn) expireIdle() (again bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.idleExpired {
		return false
	}
	if c.unread() {
		c.cancelIdleExpiry()
		return true
	}
	_ = c.finish()
	return false
}

// cancelIdleExpiry takes back that the idle time is over.
func (c *conn) cancelIdleExpiry() {
	c.idleExpired = false
	_ = c.Conn.SetReadDeadline(time.Time{})
	c.clock.set(time.Now().Add(c.all.limits.stopIdle))
}

// unread reports whether the socket holds unread bytes of the peer. Closing the socket would then reset the
// connection.
func (c *conn) unread() (waits bool) {
	if c.raw == nil {
		return false
	}
	_ = c.raw.Control(func(fd uintptr) {
		n, err := peek(fd)
		waits = n > 0 && err == nil
	})
	return waits
}

// BeginStream is called before a response without an end. False: its client has as many as it may, and
// nothing must be written.
func (c *conn) BeginStream() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streaming = c.all.beginStream(c); c.streaming && c.halfClosed {
		_ = c.Conn.SetReadDeadline(past) // ends the wait for a reset
	}
	return c.streaming
}

var past = time.Unix(1, 0)

// closeIdle closes a connection silently, unless a request is under way.
func (c *conn) closeIdle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy.Load() || c.closed {
		return false
	}
	if c.closeOnTaken {
		c.reset()
		return true
	}
	c.readClosed, c.writeClosed = true, true
	_ = c.closeSocket()
	return true
}

// fail ends the connection's reading with one line of the log, and writes the fault's response unless a
// response has begun.
func (c *conn) fail(f fault) {
	if c.readClosed {
		return
	}
	c.readClosed = true
	c.all.logEvent(f.line())
	if !c.responseBegun {
		c.writeClosed = true
		c.faulted = true
		c.all.faults(f.status(), 0)
		_ = c.Conn.SetWriteDeadline(time.Now().Add(c.all.limits.writable))
		_, _ = io.WriteString(c.Conn, string(f))
		c.linger()
	}
	_ = c.Conn.SetReadDeadline(past) // ends a Read in progress
}

// linger ends the response, and leaves the socket open for a moment: closing it on unread bytes
// resets the connection, and the peer may lose the response with it.
func (c *conn) linger() {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		c.closeSocket()
		return
	}
	c.clock.set(time.Now().Add(c.all.limits.linger))
}

// CancelBody ends the connection's reading while its handler can still respond.
func (c *conn) CancelBody() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancel()
}

func (c *conn) cancel() {
	if !c.readClosed {
		c.readClosed, c.bodyCancelled = true, true
		c.clock.clear()
		_ = c.Conn.SetReadDeadline(past) // ends a Read in progress
	}
}

// bodyReceived tells whether all of the request has been read: then what is left of its body fits into a
// buffer of net/http's.
func (c *conn) bodyReceived() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.framing.stage == between
}

// CloseWrite is called by net/http after its response to a request that it has not read to its end.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Close is net/http's: the socket goes with it, unless it lingers.
func (c *conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.serverDone = true
	if c.bodyCancelled && !c.writeClosed && !c.closed {
		c.writeClosed = true
		c.linger()
	}
	if c.writeClosed && !c.closed {
		return nil // the timer closes
	}
	if c.closed {
		return c.closeSocket()
	}
	return c.finish()
}

// abort closes the socket at once.
func (c *conn) abort() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lent {
		c.shutDown()
		return
	}
	_ = c.closeSocket()
}

func (c *conn) closeSocket() (err error) {
	if !c.closed {
		c.closed = true
		c.leave()
		c.clock.timer.Stop()
		err = c.Conn.Close()
		c.all.release(c)
	}
	if c.serverDone && !c.ended {
		c.ended = true
		c.all.finish()
	}
	return err
}
