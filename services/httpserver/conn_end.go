package httpserver

import (
	"io"
	"time"
)

// This file contains the ways in which a connection ends: by its deadline, by a fault, by net/http, to make
// room for another connection, or by a stop.

// expire is called by the timer.
func (c *conn) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase() == phaseClosed {
		return
	}
	due, look := c.clock.expired()
	if look {
		c.checkProgress()
	}
	switch at := c.phase(); {
	case at == phaseClosed || !due:
	case at.over(): // the time for the peer to read the fault is over
		_ = c.finish()
	case at == phaseIdle && (!c.fresh() || c.all.stopping.Load()):
		c.idleExpired = true
		_ = c.Conn.SetReadDeadline(past) // ends a Read in progress
	default:
		c.fail(faultTimeout)
	}
}

// expireIdle closes a connection whose idle time is over, without a response, unless the next request came in
// time. Only the reading goroutine calls it, because under load this goroutine may be late and only it can
// check for unread bytes. If again is true, it must read once more.
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

// cancelIdleExpiry resets idleExpired, because bytes have arrived in time.
func (c *conn) cancelIdleExpiry() {
	c.idleExpired = false
	_ = c.Conn.SetReadDeadline(time.Time{})
	c.clock.set(time.Now().Add(c.all.limits.stopIdle))
}

// unread reports whether the socket has unread bytes from the peer. Closing the socket would then reset the
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

// BeginStream is called before a response without an end. It returns false if the client already has the
// maximum number of streams; then nothing may be written.
func (c *conn) BeginStream() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streaming = c.all.beginStream(c); c.streaming && c.halfClosed {
		_ = c.Conn.SetReadDeadline(past) // ends the wait for a reset
	}
	return c.streaming
}

var past = time.Unix(1, 0)

// closeIdle closes a connection without a response, unless a request is in progress.
func (c *conn) closeIdle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.phase(); at.busy() || at == phaseClosed {
		return false
	}
	c.readClosed = true
	_ = c.closeSocket()
	return true
}

// fail stops reading from the connection, logs the fault as one line, and writes the fault's response unless
// a response has begun. Its response replaces the handler's, so the handler's context ends.
func (c *conn) fail(f fault) {
	if c.readClosed {
		return
	}
	c.readClosed = true
	c.all.logEvent(f.line())
	if c.phase() < phaseResponding {
		c.faulted = true
		c.all.faults(f.status(), 0)
		_ = c.Conn.SetWriteDeadline(time.Now().Add(c.all.limits.writable))
		_, _ = io.WriteString(c.Conn, string(f))
		c.linger()
		c.cancelRequests()
	}
	_ = c.Conn.SetReadDeadline(past) // ends a Read in progress
}

// linger closes the sending half, and leaves the socket open for a short time. Closing a socket with unread
// bytes resets the connection, and then the peer may lose the response.
func (c *conn) linger() {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		_ = c.closeSocket()
		return
	}
	c.move(phaseLingering)
	c.clock.set(time.Now().Add(c.all.limits.linger))
}

// CancelBody stops reading from the connection while its handler can still respond.
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

// bodyReceived reports whether the whole request has been read from the socket. Then the unread rest of its
// body is in a buffer of net/http.
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

// Close is called by net/http. It closes the socket too, unless the socket lingers.
func (c *conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leave()
	switch {
	case c.phase().over():
		return nil // the socket is closed, or will be by the timer
	case c.bodyCancelled:
		c.linger()
		return nil
	}
	return c.finish()
}

// leave records that net/http no longer uses the connection.
func (c *conn) leave() {
	if !c.serverDone && c.phase() == phaseClosed {
		c.all.finish()
	}
	c.serverDone = true
}

// abort closes the socket at once.
func (c *conn) abort() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase() == phaseLent {
		c.shutDown()
		return
	}
	_ = c.closeSocket()
}

func (c *conn) closeSocket() error {
	if c.phase() == phaseClosed {
		return nil
	}
	c.move(phaseClosed)
	c.cancelRequests()
	c.clock.timer.Stop()
	err := c.Conn.Close()
	c.all.release(c)
	if c.serverDone {
		c.all.finish()
	}
	return err
}
