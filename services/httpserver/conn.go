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

// conn is the connection that net/http gets in place of a socket. It enforces exact deadlines, refuses
// requests that net/http would accept, and replaces net/http's own error responses by fixed ones (fault.go).
// It has no goroutine, only one timer.
//
// phase.go has the phases of a connection and the moves between them. A read never returns bytes of two
// requests, so that net/http reads the next request only after the response was written. disconnect.go
// handles the reads with which net/http detects that a client has disconnected.
type conn struct {
	net.Conn
	raw syscall.RawConn // nil: not a socket of the operating system
	all *connections

	cancelRequests context.CancelFunc // ends the contexts of the connection's requests

	readBounded  atomic.Bool // net/http has set a read deadline, which it does only to stop a read
	writeBounded atomic.Bool // a handler has set a write deadline

	at      atomic.Uint32 // the phase
	sending atomic.Bool   // a Write is in progress

	// These fields belong to connections and are used under its lock.
	client *client // nil: not counted
	places [2]*list.Element
	stream bool // counted as a stream

	mu            sync.Mutex
	framing       framing
	pending       []byte    // already read, but belongs to the next request
	began         time.Time // when the request's first byte arrived; zero if that was not needed
	handled       bool      // its handler has returned
	last          bool      // its response has Connection: close
	streaming     bool      // its response is a stream, which ends when the peer ends its input
	halfClosed    bool      // the peer has ended its input, and its request is in progress
	readClosed    bool      // nothing is read any more
	bodyCancelled bool      // its request's body was cancelled
	idleExpired   bool      // its idle time is over; the reading goroutine has not confirmed that nothing came
	faulted       bool      // a fault's response was written instead of the handler's
	serverDone    bool      // net/http no longer uses the connection
	clock         clock
	progress      progress

	unwatched bool          // in the list of that name
	watched   chan struct{} // not nil while a goroutine watches the client; closed when the goroutine ends
}

func newConn(socket net.Conn, all *connections) *conn {
	c := &conn{
		Conn:           socket,
		all:            all,
		cancelRequests: func() {},
		framing:        framing{maxHead: all.limits.head},
	}
	if holder, ok := socket.(syscall.Conn); ok {
		c.raw, _ = holder.SyscallConn()
	}
	if buffered, ok := socket.(interface{ SetWriteBuffer(bytes int) error }); ok {
		// without this limit the kernel buffers some MiB for a peer that does not read
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
	for n == 0 && err == nil { // again, if only empty lines were read, or the idle expiry was cancelled
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
	if skipped > 0 {
		copy(p, p[skipped:used])
	}
	return used - skipped, err
}

// follow passes the bytes read to framing, and sets the deadline for the missing part of the request.
func (c *conn) follow(p []byte) (skipped, used int, err error) {
	if c.readClosed {
		return 0, 0, errEnded
	}
	if c.idleExpired {
		c.cancelIdleExpiry() // the request came in time
	}
	heads := c.framing.heads
	if skipped, used, err = c.framing.follow(p); err != nil {
		c.fail(faultOf(err))
		return 0, 0, errEnded
	}
	stage := c.framing.stage
	switch {
	case c.framing.heads != heads:
		c.move(phaseReceived)
	case c.phase() == phaseIdle && stage == inHead:
		c.move(phaseHead)
	}
	switch busy := c.phase().busy(); {
	case busy && stage <= inHead:
		c.clock.clear() // the request is complete: the handler has no deadline
	case busy:
		c.beginRequest()
		c.clock.set(c.began.Add(c.all.limits.request))
	case stage == inHead && c.beginRequest() && (!c.fresh() || c.all.stopping.Load()):
		// the deadline of a fresh connection was set when it was accepted
		c.clock.set(c.all.headBy(c.began.Add(c.all.limits.header)))
	}
	return skipped, used, nil
}

// fresh reports whether no request has come yet, before the head of the next one is complete.
func (c *conn) fresh() bool { return c.framing.heads == 0 }

// beginRequest records the time of the request's first byte. It returns false if it was already recorded.
func (c *conn) beginRequest() bool {
	if !c.began.IsZero() {
		return false
	}
	c.began = time.Now()
	return true
}

// admit reports whether the handler may run: once for each head, and only if net/http found the same framing
// as this package.
func (c *conn) admit(r *http.Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	declared := c.framing.declared
	same := r.ProtoMajor == 1 && declared.coded == (len(r.TransferEncoding) > 0) &&
		(declared.coded || declared.length == r.ContentLength)
	if c.phase() != phaseReceived || !same {
		c.fail(faultBadRequest)
		return false
	}
	c.move(phaseHandling)
	return true
}

// handlerReturned is called when the handler has returned. A later read cancels the unread rest of the body.
// A stream that was lent needs its contexts no more: they would be a fifth of the memory that it keeps.
func (c *conn) handlerReturned() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handled = true
	if c.serverDone {
		c.cancelRequests()
		c.cancelRequests = func() {}
	}
}

// Write sends a handler's response. When no handler was admitted, net/http writes an error response of its
// own, which Write replaces by a fault.
func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	body := p
	switch at := c.phase(); {
	case at.over():
		c.mu.Unlock()
		return 0, net.ErrClosed
	case at < phaseHandling:
		c.fail(faultOfResponse(p))
		c.mu.Unlock()
		return len(p), nil
	case at == phaseHandling && !isContinue(p):
		c.move(phaseResponding)
		if c.all.stopping.Load() {
			c.last = true
			body = addConnectionClose(p)
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

// addConnectionClose inserts Connection: close after the status line. This must happen when the head is sent,
// because a stop may begin after the handler has set its headers.
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
	if c.phase() != phaseResponding {
		return // it has ended meanwhile
	}
	c.handled = false
	if c.framing.stage == inHead { // a byte of the next head was already read
		c.move(phaseHead)
	} else {
		c.move(phaseIdle)
	}
	if c.streaming {
		c.streaming = false
		c.all.endStream(c)
	}
	if c.last {
		c.readClosed = true // net/http does not know that the connection ends
		return
	}
	c.began = time.Now()
	if c.phase() == phaseHead {
		c.clock.set(c.all.headBy(c.began.Add(c.all.limits.header)))
		return
	}
	c.clock.set(c.began.Add(c.all.idleLimit()))
	c.began = time.Time{}
}

// shortenHeader sets the shorter deadline of a stop for a connection without a complete head.
func (c *conn) shortenHeader() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.phase() {
	case phaseIdle:
		c.clock.set(time.Now().Add(c.all.limits.stopIdle))
	case phaseHead:
		c.clock.set(c.all.headBy(c.clock.due))
	}
}

// SetReadDeadline ignores unnecessary calls, which net/http makes several times per request: to end a read
// that does not wait, and to clear a deadline that is not set.
func (c *conn) SetReadDeadline(t time.Time) error {
	if !t.IsZero() && c.endsReadAhead() {
		return nil
	}
	if changesDeadline(&c.readBounded, t) {
		return c.Conn.SetReadDeadline(t)
	}
	return nil
}

// SetWriteDeadline ignores the call with which net/http clears the deadline after each request.
func (c *conn) SetWriteDeadline(t time.Time) error {
	if changesDeadline(&c.writeBounded, t) {
		return c.Conn.SetWriteDeadline(t)
	}
	return nil
}

// changesDeadline returns false for the clearing of a deadline that is not set.
func changesDeadline(bounded *atomic.Bool, t time.Time) bool {
	if t.IsZero() && !bounded.Load() {
		return false
	}
	bounded.Store(!t.IsZero())
	return true
}
