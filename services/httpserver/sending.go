package httpserver

import (
	"net"
	"time"
)

// This file contains how a response is sent. Its deadline is extended whenever the peer acknowledges some
// bytes, however long the response is.

const (
	// checkInterval is how often the progress of an unfinished response is checked. So a stalled connection is
	// closed up to this much too late.
	checkInterval = time.Second
	// piece is how many bytes must be written in time where the kernel does not report what the peer has
	// acknowledged.
	piece = 64 << 10
)

// progress is how much of the current response the peer has acknowledged.
type progress struct {
	at    time.Time // the last known time of an acknowledgement
	known bool
	taken uint64
}

// watch starts the check of the progress, before a part of a response is sent. The connection of a peer that
// acknowledges nothing for limits.stall is closed.
func (c *conn) watch() {
	c.progress = progress{at: time.Now()}
	c.clock.setCheck(c.progress.at.Add(checkInterval))
	c.sending.Store(true)
}

func (c *conn) send(p []byte) (n int, err error) {
	defer c.sending.Store(false)
	if c.reportsTaken() {
		return c.Conn.Write(p)
	}
	for {
		sent, err := c.Conn.Write(p[n:min(len(p), n+piece)])
		if n += sent; err != nil || n == len(p) {
			return n, err
		}
		c.mu.Lock()
		c.watch()
		c.mu.Unlock()
	}
}

// reportsTaken reports whether the kernel tells how many bytes the peer has acknowledged.
func (c *conn) reportsTaken() bool {
	_, isTCP := c.Conn.(*net.TCPConn)
	return isTCP && c.raw != nil
}

// checkProgress resets a connection whose peer has acknowledged nothing of its response for limits.stall.
func (c *conn) checkProgress() {
	draining := c.phase() == phaseDraining
	if !c.sending.Load() && !draining {
		return
	}
	if draining && unsent(c.raw) == 0 {
		_ = c.closeSocket()
		return
	}
	now := time.Now()
	if taken, ok := taken(c.raw); ok && (!c.progress.known || taken != c.progress.taken) {
		c.progress = progress{at: now, known: true, taken: taken}
	}
	end := c.progress.at.Add(c.all.limits.stall)
	if now.Before(end) {
		next := now.Add(checkInterval)
		if end.Before(next) {
			next = end
		}
		c.clock.setCheck(next)
		return
	}
	c.all.logEvent(stalledLine)
	c.reset()
}

// maxKernelBytes is how many unacknowledged bytes of a response a closed socket may leave in the kernel,
// which keeps them for minutes.
const maxKernelBytes = 16 << 10

// finish closes the socket, or keeps it open until the peer has acknowledged the rest of its response.
func (c *conn) finish() error {
	if c.phase() == phaseDraining {
		return nil
	}
	c.readClosed = true
	if c.phase() != phaseClosed && unsent(c.raw) > maxKernelBytes {
		if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
			c.move(phaseDraining)
			c.clock.clear()
			c.progress = progress{at: time.Now()}
			c.clock.setCheck(c.progress.at.Add(checkInterval))
			return nil
		}
	}
	return c.closeSocket()
}

// reset closes the socket with a reset, so that unacknowledged bytes are dropped at once.
func (c *conn) reset() {
	c.readClosed = true
	if socket, ok := c.Conn.(interface{ SetLinger(seconds int) error }); ok {
		_ = socket.SetLinger(0)
	}
	_ = c.closeSocket()
}
