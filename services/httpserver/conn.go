package httpserver

import (
	"bytes"
	"container/list"
	"context"
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
// A request passes these states: its bytes are read, its head is complete (busy), its handler is admitted,
// its response begins, finishResponse ends it. A read never returns bytes of two requests, so that net/http
// asks for the next request when the response was written. What net/http reads ahead, to notice a client that
// leaves, is answered by leaving.go.
type conn struct {
	net.Conn
	raw syscall.RawConn // nil: no socket of the operating system
	all *connections

	leave context.CancelFunc // ends the contexts of the connection's requests

	bounded atomic.Bool // net/http has set a read deadline; it does so only to stop a read
	busy    atomic.Bool // from a complete head to the end of its response; written under mu
	sending atomic.Bool // a Write is under way

	// Of connections, under its lock.
	client *client // nil: not counted
	places [2]*list.Element
	stream bool // counted as one

	mu            sync.Mutex
	framing       framing
	pending       []byte    // read already, but the next request's
	began         time.Time // the request's first byte; zero when it was not needed
	fresh         bool      // no response yet
	admitted      bool
	handled       bool // its handler has returned
	responseBegun bool
	last          bool // its response says that the connection ends
	streaming     bool // its response is a stream, which ends with the peer's input
	lent          bool // its stream writes to the socket without net/http, and closes it (lent.go)
	halfClosed    bool // the peer sends no more, and its request is under way
	readClosed    bool // nothing is read any more
	writeClosed   bool // nothing is written any more
	bodyCancelled bool // its request's body was cancelled
	idleExpired   bool // its idle time is over, and the reading goroutine has not confirmed that nothing came
	faulted       bool // a fault's response was written in place of its handler's
	closed        bool // the socket
	serverDone    bool // net/http has closed its side
	ended         bool // both, and connections knows
	closeOnTaken  bool // it is closed when the peer has taken the rest of its response
	joins         bool // the head waits for the body's first bytes (Join)
	clock         clock
	progress      progress

	held *bytes.Buffer // the beginning of a response, which leaves with the next Write; nil: none

	watched chan struct{} // not nil while a goroutine watches the client; closed when that ends
}

func newConn(socket net.Conn, all *connections) *conn {
	c := &conn{Conn: socket, all: all, leave: func() {}, fresh: true, framing: framing{maxHead: all.limits.head}}
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
	c.clock.timer = time.AfterFunc(all.limits.header, c.expire)
	c.clock.firesAt = now.Add(all.limits.header)
	c.clock.due = c.clock.firesAt
	return c
}

// errEnded is an error on which net/http writes no response.
var errEnded error = os.ErrDeadlineExceeded

// Read returns received bytes, at most to the end of one request.
func (c *conn) Read(p []byte) (n int, err error) {
	if len(p) == 1 && c.readAhead() {
		return 0, nil
	}
	for n == 0 && err == nil { // again: only empty lines came, or an idle end was taken back
		if n, err = c.readPending(p); n == 0 && err == nil {
			n, err = c.readSocket(p)
		}
	}
	return n, err
}

func (c *conn) readPending(p []byte) (n int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopWatching()
	if c.handled && c.framing.stage != between {
		c.cancel() // otherwise net/http would wait for an unwanted body before it sends the response
	}
	if c.readClosed {
		return 0, errEnded
	}
	for len(c.pending) > 0 && n == 0 && err == nil {
		skipped, used := 0, copy(p, c.pending)
		skipped, used, err = c.follow(p[:used])
		n = copy(p, p[skipped:used])
		c.pending = c.pending[used:]
	}
	if len(c.pending) == 0 {
		c.pending = nil
	}
	return n, err
}

func (c *conn) readSocket(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n == 0 {
		if c.expireIdle() {
			return 0, nil
		}
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	skipped, used, over := c.follow(p[:n])
	if over != nil {
		return 0, over
	}
	if used < n {
		c.pending = append(c.pending, p[used:n]...)
	}
	copy(p, p[skipped:used])
	return used - skipped, err
}

// follow follows what was read, and sets the deadline of what is missing.
func (c *conn) follow(p []byte) (skipped, used int, err error) {
	if c.readClosed {
		return 0, 0, errEnded
	}
	if c.idleExpired {
		c.cancelIdleExpiry() // it came in time
	}
	heads := c.framing.heads
	if skipped, used, err = c.framing.follow(p); err != nil {
		c.fail(faultOf(err))
		return 0, 0, errEnded
	}
	if c.framing.heads != heads {
		c.busy.Store(true)
	}
	switch busy, stage := c.busy.Load(), c.framing.stage; {
	case busy && stage <= inHead:
		c.clock.clear() // the request is complete: the rest of its time is the handler's
	case busy:
		c.beginRequest()
		c.clock.set(c.began.Add(c.all.limits.request))
	case stage == inHead && c.beginRequest() && (!c.fresh || c.all.stopping.Load()):
		// a fresh connection's runs since it was accepted
		c.clock.set(c.all.headBy(c.began.Add(c.all.limits.header)))
	}
	return skipped, used, nil
}

// beginRequest notes when the request began, and tells whether that was now.
func (c *conn) beginRequest() bool {
	if !c.began.IsZero() {
		return false
	}
	c.began = time.Now()
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
	c.admitted = !c.writeClosed
	return c.admitted
}

// handlerReturned is called when the handler has returned: the unread rest of the body is then dropped.
func (c *conn) handlerReturned() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handled = true
}

// Write passes a handler's response on. What net/http writes while no handler runs is a refusal of its own.
func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	body := p
	switch {
	case c.writeClosed:
		c.mu.Unlock()
		return 0, net.ErrClosed
	case !c.admitted:
		c.fail(faultOfResponse(p))
		c.mu.Unlock()
		return len(p), nil
	case !c.responseBegun && !isContinue(p):
		c.responseBegun = true
		if c.all.stopping.Load() {
			c.last = true
			body = addConnectionClose(p)
		}
		if c.joins && len(p) == serverBuffer {
			c.hold(body)
			c.mu.Unlock()
			return len(p), nil
		}
	}
	c.watch()
	c.mu.Unlock()
	n, err := c.send(body)
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

// addConnectionClose puts Connection: close behind the status line. Only here is it certain that the stop had
// begun, or not, when the head went out; net/http was asked for it too early.
func addConnectionClose(body []byte) []byte {
	head, _, _ := bytes.Cut(body, headEnd)
	if bytes.Contains(append(head[:len(head):len(head)], lineEnd...), closeHeader) {
		return body
	}
	status, _, found := bytes.Cut(body, lineEnd)
	if !found {
		return body
	}
	announced := make([]byte, 0, len(body)+len(closeHeader))
	announced = append(append(announced, status...), closeHeader...)
	return append(announced, body[len(status)+len(lineEnd):]...)
}

// finishResponse is called when a response was sent and the connection stays open.
func (c *conn) finishResponse() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh, c.admitted, c.handled, c.responseBegun = false, false, false, false
	c.joins = false
	c.busy.Store(false)
	if c.streaming {
		c.streaming = false
		c.all.endStream(c)
	}
	if c.last {
		c.readClosed = true // net/http does not know
		return
	}
	c.began = time.Now()
	if c.framing.stage == inHead { // of which a byte was read ahead
		c.clock.set(c.all.headBy(c.began.Add(c.all.limits.header)))
		return
	}
	c.clock.set(c.began.Add(c.all.idleLimit()))
	c.began = time.Time{}
}

// shortenHeader gives a connection without a whole head the shorter time that is left at a stop.
func (c *conn) shortenHeader() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed || c.writeClosed || c.busy.Load():
	case c.framing.stage == between:
		c.clock.set(time.Now().Add(c.all.limits.stopIdle))
	default:
		c.clock.set(c.all.headBy(c.clock.due))
	}
}

// waiting tells whether nothing of a request has come.
func (c *conn) waiting() bool { return !c.busy.Load() && c.framing.stage == between && !c.writeClosed }

// SetReadDeadline ignores the calls by which net/http ends a read that does not wait, or clears a deadline
// that is not set, several times a request.
func (c *conn) SetReadDeadline(t time.Time) error {
	if !t.IsZero() && c.endsReadAhead() {
		return nil
	}
	if c.bounded.Swap(!t.IsZero()) || !t.IsZero() {
		return c.Conn.SetReadDeadline(t)
	}
	return nil
}
