package httpserver

import (
	"io"
	"syscall"
	"time"
)

// This file is how a connection ends: by its deadline, by a fault, by net/http, for room or by a stop.

// ring is the timer's call.
func (c *conn) ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	due, look := c.clock.rang()
	if look {
		c.look()
	}
	switch {
	case c.closed || !due:
	case c.mute: // the peer has had its time to read the fault
		_ = c.finish()
	case c.waiting() && (!c.fresh || c.all.stopping.Load()):
		c.lapsed = true
		_ = c.Conn.SetReadDeadline(past) // wakes who reads
	default:
		c.fail(faultTimeout)
	}
}

// lapse ends a connection whose idle time is over, silently, unless the next request came in time: under
// load only the goroutine that reads it is late. That one alone can tell, so it is the one who asks. again:
// it shall read.
func (c *conn) lapse() (again bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.lapsed {
		return false
	}
	if c.unread() {
		c.resume()
		return true
	}
	_ = c.finish()
	return false
}

// resume takes back that the idle time is over.
func (c *conn) resume() {
	c.lapsed = false
	_ = c.Conn.SetReadDeadline(time.Time{})
	c.clock.set(time.Now().Add(c.all.limits.lull))
}

// unread tells whether the peer has sent what nobody has read yet. Closing the socket on that would reset
// the connection.
func (c *conn) unread() (waits bool) {
	if c.raw == nil {
		return false
	}
	_ = c.raw.Control(func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		waits = n > 0 && err == nil
	})
	return waits
}

// endOfInput is what net/http gets to see of err, with which reading ended. Behind a whole request a peer
// may send no more and still wait for the answer (RFC 9112 §9.6), so net/http, which would end the
// request's context, is told only if the connection is reset. A stream ends: nothing else tells soon that
// its reader has left.
func (c *conn) endOfInput(err error) error {
	if !c.halfClose(err) {
		return err
	}
	err = c.raw.Read(broken) // or until net/http asks no more, or a stream begins
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.endless:
		return io.EOF
	case err == nil:
		return syscall.ECONNRESET
	}
	return err
}

func (c *conn) halfClose(err error) (answered bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.halfClosed = err == io.EOF
	return c.halfClosed && c.busy.Load() && c.framing.stage == between && !c.endless && c.raw != nil
}

// BeginStream is called before an answer without an end. False: its client has as many as it may, and
// nothing must be written.
func (c *conn) BeginStream() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.endless = c.all.beginStream(c); c.endless && c.halfClosed {
		_ = c.Conn.SetReadDeadline(past) // wakes who waits for a reset
	}
	return c.endless
}

var past = time.Unix(1, 0)

// giveWay closes a connection silently, unless a request is under way.
func (c *conn) giveWay() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy.Load() || c.closed {
		return false
	}
	if c.tail {
		c.reset()
		return true
	}
	c.deaf, c.mute = true, true
	_ = c.shut()
	return true
}

// fail ends the connection's reading with one line, and answers where no answer has begun.
func (c *conn) fail(f fault) {
	if c.deaf {
		return
	}
	c.deaf = true
	c.all.note(f.line())
	if !c.begun {
		c.mute = true
		_ = c.Conn.SetWriteDeadline(time.Now().Add(c.all.limits.writable))
		_, _ = io.WriteString(c.Conn, string(f))
		c.linger()
	}
	_ = c.Conn.SetReadDeadline(past) // wakes who reads
}

// linger ends the answer, and leaves the socket open for a moment: closing it on bytes nobody has read
// resets the connection, and the peer may lose the answer with it.
func (c *conn) linger() {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		c.shut()
		return
	}
	c.clock.set(time.Now().Add(c.all.limits.linger))
}

// CancelBody ends the connection's reading under a handler that answers yet.
func (c *conn) CancelBody() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancel()
}

func (c *conn) cancel() {
	if !c.deaf {
		c.deaf, c.partial = true, true
		c.clock.clear()
		_ = c.Conn.SetReadDeadline(past) // wakes who reads
	}
}

// bodyCame tells whether all of the request has been read: then what is left of its body fits into a buffer
// of net/http's.
func (c *conn) bodyCame() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.framing.stage == between
}

// CloseWrite is net/http's own lingering, behind an answer to a request it has not read to its end.
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
	c.left = true
	if c.partial && !c.mute && !c.closed {
		c.mute = true
		c.linger()
	}
	if c.mute && !c.closed {
		return nil // the timer closes
	}
	if c.closed {
		return c.shut()
	}
	return c.finish()
}

// abort closes the socket, whatever happens on it.
func (c *conn) abort() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.shut()
}

func (c *conn) shut() (err error) {
	if !c.closed {
		c.closed = true
		c.clock.timer.Stop()
		err = c.Conn.Close()
		c.all.release(c)
	}
	if c.left && !c.over {
		c.over = true
		c.all.leave()
	}
	return err
}
