package httpserver

import (
	"bytes"
	"container/list"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// conn stands between net/http and a socket. It keeps the exact deadlines, refuses what net/http would let
// pass, and replaces net/http's own refusals by the fixed ones (fault.go). It has no goroutine: one timer
// wakes it.
//
// A request's way: its bytes are taken, its head is whole (busy), its handler is admitted, its answer
// begins, settle ends it. A read never hands out bytes of two requests, so that net/http asks for the next
// one's when the answer is out. Only the one byte that it reads ahead, to notice a peer who leaves, may
// come earlier.
type conn struct {
	net.Conn
	raw syscall.RawConn // nil: no socket of the operating system
	all *connections

	bounded atomic.Bool // net/http has set a read deadline; it does so only to stop a read
	busy    atomic.Bool // from a whole head to the end of its answer; written under mu
	sending atomic.Bool // a Write is under way

	// Of connections, under its lock.
	client *client // nil: not counted
	places [2]*list.Element
	stream bool // counted as one

	mu         sync.Mutex
	framing    framing
	held       []byte    // read already, but the next request's
	since      time.Time // the request's first byte; zero when nobody had to know
	fresh      bool      // no answer yet
	admitted   bool
	handled    bool // its handler has returned
	begun      bool
	last       bool // its answer says that the connection ends
	endless    bool // its answer is a stream, which an end of input ends
	halfClosed bool // the peer sends no more
	deaf       bool // nothing is read any more
	mute       bool // nothing is written any more
	partial    bool // its request's body was cancelled
	lapsed     bool // its idle time is over, and who reads has not said yet that nothing came
	closed     bool // the socket
	left       bool // net/http has closed its side
	over       bool // both, and connections knows
	tail       bool // it is closed when the peer has taken the rest of its answer
	clock      clock
	progress   progress
}

func newConn(socket net.Conn, all *connections) *conn {
	c := &conn{Conn: socket, all: all, fresh: true, framing: framing{maxHead: all.limits.head}}
	if holder, ok := socket.(syscall.Conn); ok {
		c.raw, _ = holder.SyscallConn()
	}
	if buffered, ok := socket.(interface{ SetWriteBuffer(bytes int) error }); ok {
		// without it the kernel keeps some MiB for a peer that does not read
		_ = buffered.SetWriteBuffer(all.limits.unsent)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.clock.timer = time.AfterFunc(all.limits.header, c.ring)
	c.clock.rings = now.Add(all.limits.header)
	c.clock.due = c.clock.rings
	return c
}

// errOver is what net/http answers with nothing.
var errOver error = os.ErrDeadlineExceeded

// Read hands out what came, at most to the end of one request.
func (c *conn) Read(p []byte) (n int, err error) {
	for n == 0 && err == nil { // again: only empty lines came, or an idle end was taken back
		if n, err = c.readHeld(p); n == 0 && err == nil {
			n, err = c.readSocket(p)
		}
	}
	return n, err
}

func (c *conn) readHeld(p []byte) (n int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handled && c.framing.stage != between {
		c.cancel() // net/http would wait for a body that nobody wants, before the answer goes out
	}
	if c.deaf {
		return 0, errOver
	}
	for len(c.held) > 0 && n == 0 && err == nil {
		skipped, used := 0, copy(p, c.held)
		skipped, used, err = c.take(p[:used])
		n = copy(p, p[skipped:used])
		c.held = c.held[used:]
	}
	if len(c.held) == 0 {
		c.held = nil
	}
	return n, err
}

func (c *conn) readSocket(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n == 0 {
		if c.lapse() {
			return 0, nil
		}
		return 0, c.endOfInput(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	skipped, used, over := c.take(p[:n])
	if over != nil {
		return 0, over
	}
	if used < n {
		c.held = append(c.held, p[used:n]...)
	}
	copy(p, p[skipped:used])
	return used - skipped, err
}

// take follows what was read, and sets the deadline of what is missing.
func (c *conn) take(p []byte) (skipped, used int, err error) {
	if c.deaf {
		return 0, 0, errOver
	}
	if c.lapsed {
		c.resume() // it came in time
	}
	heads := c.framing.heads
	if skipped, used, err = c.framing.follow(p); err != nil {
		c.fail(faultOf(err))
		return 0, 0, errOver
	}
	if c.framing.heads != heads {
		c.busy.Store(true)
	}
	switch busy, stage := c.busy.Load(), c.framing.stage; {
	case busy && stage <= inHead:
		c.clock.clear() // whole: the rest of its time is the handler's
	case busy:
		c.begin()
		c.clock.set(c.since.Add(c.all.limits.request))
	case stage == inHead && c.begin() && (!c.fresh || c.all.stopping.Load()):
		// a fresh connection's runs since it was accepted
		c.clock.set(c.all.headBy(c.since.Add(c.all.limits.header)))
	}
	return skipped, used, nil
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
	same := r.ProtoMajor == 1 && declared.coded == (len(r.TransferEncoding) > 0) &&
		(declared.coded || declared.length == r.ContentLength)
	if !c.busy.Load() || c.admitted || !same {
		c.fail(faultBadRequest)
	}
	c.admitted = !c.mute
	return c.admitted
}

// returned is called when the handler has: what it has not read of the body, nobody will.
func (c *conn) returned() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handled = true
}

// Write passes a handler's answer on. What net/http writes with no handler running is a refusal of its own.
func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	answer := p
	switch {
	case c.mute:
		c.mu.Unlock()
		return 0, net.ErrClosed
	case !c.admitted:
		c.fail(faultIn(p))
		c.mu.Unlock()
		return len(p), nil
	case !c.begun && !isContinue(p):
		c.begun = true
		if c.all.stopping.Load() {
			c.last = true
			answer = announceEnd(p)
		}
	}
	c.watch()
	c.mu.Unlock()
	n, err := c.send(answer)
	if err == nil {
		return len(p), nil
	}
	return min(n, len(p)), err
}

var (
	lineEnd     = []byte("\r\n")
	headEnd     = []byte("\r\n\r\n")
	closeHeader = []byte("\r\nConnection: close\r\n")
)

// announceEnd puts Connection: close behind the status line. Only here is it certain that the stop had
// begun, or not, when the head went out; net/http was asked for it too early.
func announceEnd(answer []byte) []byte {
	head, _, _ := bytes.Cut(answer, headEnd)
	if bytes.Contains(append(head[:len(head):len(head)], lineEnd...), closeHeader) {
		return answer
	}
	status, _, found := bytes.Cut(answer, lineEnd)
	if !found {
		return answer
	}
	announced := make([]byte, 0, len(answer)+len(closeHeader))
	announced = append(append(announced, status...), closeHeader...)
	return append(announced, answer[len(status)+len(lineEnd):]...)
}

// settle is called when an answer is out and the connection stays.
func (c *conn) settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh, c.admitted, c.handled, c.begun = false, false, false, false
	c.busy.Store(false)
	if c.endless {
		c.endless = false
		c.all.endStream(c)
	}
	if c.last {
		c.deaf = true // net/http does not know
		return
	}
	c.since = time.Now()
	if c.framing.stage == inHead { // of which a byte was read ahead
		c.clock.set(c.all.headBy(c.since.Add(c.all.limits.header)))
		return
	}
	c.clock.set(c.since.Add(c.all.idleLimit()))
	c.since = time.Time{}
}

// hurry gives a connection without a whole head the shorter time that is left at a stop.
func (c *conn) hurry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed || c.mute || c.busy.Load():
	case c.framing.stage == between:
		c.clock.set(time.Now().Add(c.all.limits.lull))
	default:
		c.clock.set(c.all.headBy(c.clock.due))
	}
}

// waiting tells whether nothing of a request has come.
func (c *conn) waiting() bool { return !c.busy.Load() && c.framing.stage == between && !c.mute }

// SetReadDeadline spares the socket what net/http calls several times a request to clear what is not set.
func (c *conn) SetReadDeadline(t time.Time) error {
	if c.bounded.Swap(!t.IsZero()) || !t.IsZero() {
		return c.Conn.SetReadDeadline(t)
	}
	return nil
}
