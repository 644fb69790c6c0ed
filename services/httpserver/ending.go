package httpserver

import (
	"io"
	"net"
	"syscall"
	"time"
)

// This file is how a connection ends: by its deadline, by a fault, by net/http or by a stop.

// ring is the timer's call.
func (c *conn) ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed || !c.clock.rang():
	case c.mute: // the peer has had its time to read the fault
		c.shut()
	case c.waiting() && (!c.fresh || c.all.stopping.Load()):
		c.lapsed = true
		_ = c.Conn.SetReadDeadline(time.Unix(1, 0)) // wakes who reads
	default:
		c.fail(faultTimeout)
	}
}

// lapse ends a connection whose idle time is over, silently, unless the next request came in time: under load only the goroutine that
// reads it is late. That one alone can tell, so it is the one who asks. again: it shall read.
func (c *conn) lapse() (again bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.lapsed {
		return false
	}
	if unread(c.Conn) {
		c.resume()
		return true
	}
	c.deaf, c.mute = true, true
	_ = c.shut()
	return false
}

// resume takes back that the idle time is over.
func (c *conn) resume() {
	c.lapsed = false
	_ = c.Conn.SetReadDeadline(time.Time{})
	c.clock.set(time.Now().Add(c.all.limits.lull))
}

// unread tells whether the peer has sent what nobody has read yet. Closing the socket on that would reset the connection.
func unread(socket net.Conn) (waits bool) {
	holder, ok := socket.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := holder.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Control(func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		waits = n > 0 && err == nil
	})
	return waits
}

// fail ends the connection's reading with one line, and answers where no answer has begun.
func (c *conn) fail(f fault) {
	if c.deaf {
		return
	}
	c.deaf = true
	c.all.log.Warn(f.message())
	if !c.begun {
		c.mute = true
		_ = c.Conn.SetWriteDeadline(time.Now().Add(c.all.limits.writable))
		_, _ = io.WriteString(c.Conn, string(f))
		c.linger()
	}
	_ = c.Conn.SetReadDeadline(time.Unix(1, 0)) // wakes who reads
}

// linger ends the answer, and leaves the socket open for a moment: closing it on bytes nobody has read resets the connection, and the
// peer may lose the answer with it.
func (c *conn) linger() {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		c.shut()
		return
	}
	c.clock.set(time.Now().Add(c.all.limits.linger))
}

// cancelBody ends the connection's reading under a handler that answers yet.
func (c *conn) cancelBody() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.deaf {
		c.deaf, c.partial = true, true
		c.clock.clear()
		_ = c.Conn.SetReadDeadline(time.Unix(1, 0)) // wakes who reads
	}
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
	return c.shut()
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
	}
	if c.left {
		c.all.remove(c)
	}
	return err
}
