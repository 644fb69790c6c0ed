package httpserver

import (
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// conn stands between net/http and a socket. It keeps the exact deadlines, refuses what net/http would let pass, and puts the fixed
// answers in the place of net/http's own (contract.md §1, Transport). It has no goroutine: one timer wakes it.
//
// A request's way: its bytes are taken, its head is whole (busy), its handler is admitted, its answer begins, settle ends it. A read
// never hands out bytes of two requests, so that net/http asks for the next one's when the answer is out. Only the one byte that it
// reads ahead, to notice a peer who leaves, may come earlier.
type conn struct {
	net.Conn
	all *connections

	bounded atomic.Bool // net/http has set a read deadline; it does so only to stop a read

	mu       sync.Mutex
	framing  framing
	held     []byte    // read already, but the next request's
	since    time.Time // the request's first byte; zero when nobody had to know
	fresh    bool      // no answer yet
	busy     bool
	admitted bool
	begun    bool
	deaf     bool // nothing is read any more
	mute     bool // nothing is written any more
	partial  bool // its request's body was cancelled
	lapsed   bool // its idle time is over, and who reads has not said yet that nothing came
	closed   bool // the socket
	left     bool // net/http has closed its side
	clock    clock
}

func newConn(socket net.Conn, all *connections) *conn {
	c := &conn{Conn: socket, all: all, fresh: true, framing: framing{maxHead: all.limits.head}}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock.timer = time.AfterFunc(all.limits.header, c.ring)
	c.clock.rings = time.Now().Add(all.limits.header)
	c.clock.due = c.clock.rings
	return c
}

// errOver is what net/http answers with nothing.
var errOver error = os.ErrDeadlineExceeded

// Read hands out what came, at most to the end of one request.
func (c *conn) Read(p []byte) (int, error) {
	if n, err := c.readHeld(p); n > 0 || err != nil {
		return n, err
	}
	n, err := c.Conn.Read(p)
	for n == 0 && c.lapse() {
		n, err = c.Conn.Read(p)
	}
	if n == 0 {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	used, over := c.take(p[:n])
	if over != nil {
		return 0, over
	}
	if used < n {
		c.held = append(c.held, p[used:n]...)
	}
	return used, err
}

func (c *conn) readHeld(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.deaf {
		return 0, errOver
	}
	if len(c.held) == 0 {
		return 0, nil
	}
	n, err := c.take(c.held[:min(len(p), len(c.held))])
	copy(p, c.held[:n])
	if c.held = c.held[n:]; len(c.held) == 0 {
		c.held = nil
	}
	return n, err
}

// take follows what was read, and sets the deadline of what is missing.
func (c *conn) take(p []byte) (used int, err error) {
	if c.deaf {
		return 0, errOver
	}
	if c.lapsed {
		c.resume() // it came in time
	}
	heads := c.framing.heads
	if used, err = c.framing.follow(p); err != nil {
		c.fail(faultOf(err))
		return 0, errOver
	}
	if c.framing.heads != heads {
		c.busy = true
	}
	switch stage := c.framing.stage; {
	case c.busy && stage <= inHead:
		c.clock.clear() // whole: the rest of its time is the handler's
	case c.busy:
		c.begin()
		c.clock.set(c.since.Add(c.all.limits.request))
	case stage == inHead && c.begin() && !c.fresh:
		c.clock.set(c.since.Add(c.all.limits.header)) // a fresh connection's runs since it was accepted
	}
	return used, nil
}

// begin notes when the request began, and tells whether that was now.
func (c *conn) begin() bool {
	if !c.since.IsZero() {
		return false
	}
	c.since = time.Now()
	return true
}

// admit lets a handler run, once for each head, if net/http reads the request's framing as it was read here.
func (c *conn) admit(r *http.Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	declared := c.framing.declared
	same := r.ProtoMajor == 1 && declared.coded == (len(r.TransferEncoding) > 0) && (declared.coded || declared.length == r.ContentLength)
	if !c.busy || c.admitted || !same {
		c.fail(faultBadRequest)
	}
	c.admitted = !c.mute
	return c.admitted
}

// Write passes a handler's answer on. What net/http writes with no handler running is a refusal of its own.
func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	switch {
	case c.mute:
		c.mu.Unlock()
		return 0, net.ErrClosed
	case !c.admitted:
		c.fail(faultIn(p))
		c.mu.Unlock()
		return len(p), nil
	case !c.begun:
		c.begun = !isContinue(p)
	}
	c.mu.Unlock()
	return c.Conn.Write(p)
}

// settle is called when an answer is out and the connection stays.
func (c *conn) settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh, c.busy, c.admitted, c.begun = false, false, false, false
	c.since = time.Now()
	if c.framing.stage == inHead { // of which a byte was read ahead
		c.clock.set(c.since.Add(c.all.limits.header))
		return
	}
	c.clock.set(c.since.Add(c.all.idleLimit()))
	c.since = time.Time{}
}

// hurry gives a connection without a request the shorter time that is left at a stop.
func (c *conn) hurry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting() && !c.closed {
		c.clock.set(time.Now().Add(c.all.limits.lull))
	}
}

// waiting tells whether nothing of a request has come.
func (c *conn) waiting() bool { return !c.busy && c.framing.stage == between && !c.mute }

// SetReadDeadline spares the socket what net/http calls several times a request to clear what is not set.
func (c *conn) SetReadDeadline(t time.Time) error {
	if c.bounded.Swap(!t.IsZero()) || !t.IsZero() {
		return c.Conn.SetReadDeadline(t)
	}
	return nil
}
