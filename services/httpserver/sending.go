package httpserver

import (
	"bytes"
	"net"
	"sync"
	"time"
)

// This file is how a response is sent: its deadline moves whenever the peer takes some bytes, however long
// the response is.

const (
	// checkInterval is how often a response is looked after that has not left. A peer that stops taking is thus
	// closed up to so much late.
	checkInterval = time.Second
	// piece is what must leave in time where the kernel does not tell what the peer has taken.
	piece = 64 << 10
)

// progress is what a peer has taken of the current response.
type progress struct {
	at    time.Time // the last time that it took something, as far as is known
	known bool
	taken uint64
}

// watch is called before a part of a response is sent. A peer that takes nothing for limits.stall is closed.
func (c *conn) watch() {
	c.progress = progress{at: time.Now()}
	c.clock.setCheck(c.progress.at.Add(checkInterval))
	c.sending.Store(true)
}

func (c *conn) send(p []byte) (n int, err error) {
	defer c.sending.Store(false)
	if c.reportsTaken() {
		if c.held != nil {
			return c.sendHeld(p)
		}
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

// serverBuffer is what net/http collects in bytes before it writes. A Write of so many is followed by
// another one, unless the response, or what is flushed of it, ends there.
const serverBuffer = 4 << 10

var heads = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Join makes the head of a response leave with the beginning of its body, which net/http would write behind
// it. It is called before a handler writes more than twice serverBuffer at once: the rest, too, is longer
// than net/http's buffer, and so it is written at once.
func (c *conn) Join() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.joins = !c.responseBegun && c.reportsTaken()
}

// hold keeps the beginning of a response for the next Write. It is called with the lock held.
func (c *conn) hold(p []byte) {
	c.held = heads.Get().(*bytes.Buffer)
	c.held.Write(p)
}

// sendHeld sends what is held, and p behind it. It returns how much of p has left.
func (c *conn) sendHeld(p []byte) (n int, err error) {
	held := c.held
	c.held = nil
	defer heads.Put(held)
	defer held.Reset()
	parts := net.Buffers{held.Bytes(), p}
	first := held.Len()
	sent, err := parts.WriteTo(c.Conn)
	return max(int(sent)-first, 0), err
}

// reportsTaken is whether the kernel tells what the peer has taken.
func (c *conn) reportsTaken() bool {
	_, isTCP := c.Conn.(*net.TCPConn)
	return isTCP && c.raw != nil && kernelReportsTaken
}

// checkProgress ends a connection whose peer takes nothing of its response.
func (c *conn) checkProgress() {
	if !c.sending.Load() && !c.closeOnTaken {
		return
	}
	if c.closeOnTaken && unsent(c.raw) == 0 {
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

// maxKernelBytes is how many bytes of a response the kernel may keep for a peer after the connection was left
// to it. It keeps them for minutes.
const maxKernelBytes = 16 << 10

// finish closes the socket, or leaves it open until the peer has taken more of its response.
func (c *conn) finish() error {
	c.readClosed, c.writeClosed = true, true
	if !c.closed && !c.closeOnTaken && unsent(c.raw) > maxKernelBytes {
		if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
			c.closeOnTaken = true
			c.clock.clear()
			c.progress = progress{at: time.Now()}
			c.clock.setCheck(c.progress.at.Add(checkInterval))
		}
	}
	if c.closeOnTaken {
		return nil
	}
	return c.closeSocket()
}

// reset closes the socket, and what the peer has not taken goes at once.
func (c *conn) reset() {
	c.readClosed, c.writeClosed = true, true
	if socket, ok := c.Conn.(interface{ SetLinger(seconds int) error }); ok {
		_ = socket.SetLinger(0)
	}
	_ = c.closeSocket()
}
