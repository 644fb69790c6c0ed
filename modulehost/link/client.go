package link

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"
)

// maxOwed is how many abandoned calls a peer may leave unanswered. Every call is answered once, also a cancelled one;
// a peer that never does would otherwise grow the table without end.
const maxOwed = 16 << 10

// Client is the calling end of a link. All its methods may be called concurrently.
type Client struct {
	wire *wire
	done chan struct{}

	mu      sync.Mutex
	lost    error
	next    uint32
	pending map[uint32]*waiter
	waiting atomic.Int32 // how many are pending, roughly
	owed    int
	free    sync.Pool
	clock   clock // of exchanges; Call's deadline is its context's

	// A caller that is alone reads its answer itself, under a lease; the standing reader reads for all others, and watches a link that
	// is quiet. In between nobody reads, for two milliseconds at least.
	frames     *frames // of whoever reads
	reading    bool    // somebody does, or is about to
	unanswered int
	own        lease
	wake       chan struct{} // makes the standing reader read; has room for the one who sets reading
	standing   sync.WaitGroup

	settling sync.WaitGroup // exchanges that were left before their bodies had ended
}

// waiter is one call or ping under way. Who removes it from pending, under the lock, owns it: the reader then delivers
// exactly once.
type waiter struct {
	ping      bool
	abandoned bool // nobody waits any more; the late answer is dropped
	response  proto.Message
	answered  chan error // buffered: the reader never waits for a caller

	reads    bool      // its caller is to read, or to call waitFor
	exchange *Exchange // nil for a Call
}

// NewClient takes over conn and starts to read from it. The owner calls Close in the end, also after a loss.
func NewClient(conn net.Conn) *Client {
	c := &Client{done: make(chan struct{}), pending: map[uint32]*waiter{}, frames: newFrames(conn), wake: make(chan struct{}, 1)}
	c.wire = newWire(conn, func() bool { return c.waiting.Load() > 1 })
	c.free.New = func() any { return &waiter{answered: make(chan error, 2)} } // an answer, and a deadline
	c.clock.timer = time.AfterFunc(time.Hour, c.ring)
	c.clock.timer.Stop()
	c.own.quick, c.own.expired, c.own.quiet = leaseFor, c.interrupt, c.standBy
	c.own.init()
	c.reading = true
	c.wake <- struct{}{}
	c.standing.Go(c.read)
	return c
}

// Call sends request and waits for the answer, which it decodes into response (nil: not wanted). Errors: a *Failure that the
// handler chose; ErrTooLarge, ErrUnencodable and ErrNoDeadline when nothing was sent; ErrLost; and ctx's own error as soon
// as ctx ends, in which case the other end is told to cancel. After an error response holds nothing of meaning.
func (c *Client) Call(ctx context.Context, m Method, request, response proto.Message) error {
	return c.exchange(ctx, frame{kind: kindCall, method: m}, request, response)
}

// Ping returns nil once the other end's reader has answered, however busy its handlers are. Errors as Call's.
func (c *Client) Ping(ctx context.Context) error {
	return c.exchange(ctx, frame{kind: kindPing}, nil, nil)
}

// Done is closed when the link is lost or closed and no call is in flight any more.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err is nil until Done is closed, then ErrLost with its cause.
func (c *Client) Err() error {
	select {
	case <-c.done:
		return c.lost
	default:
		return nil
	}
}

// Close ends the link, returns ErrLost to every call in flight and waits for all that the client started. It always
// returns nil and may be called again.
func (c *Client) Close() error {
	_ = c.wire.fail(net.ErrClosed)
	<-c.done
	c.wire.wait()
	c.settling.Wait()
	c.standing.Wait()
	return nil
}

func (c *Client) exchange(ctx context.Context, f frame, request, response proto.Message) error {
	if _, ok := ctx.Deadline(); !ok {
		return ErrNoDeadline
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	w := c.free.Get().(*waiter)
	w.ping, w.response = f.kind == kindPing, response
	if err := c.register(&f, w); err != nil {
		return err
	}
	if err := c.wire.send(ctx, f, request); err != nil {
		c.unsent(f.id, w)
		return err
	}
	c.readFor(w)
	select {
	case err := <-w.answered:
		c.recycle(w)
		return err
	case <-ctx.Done():
	}
	if !c.abandon(f.id) {
		err := <-w.answered // the reader has it in hand this moment
		c.recycle(w)
		return err
	}
	if f.kind == kindCall {
		_ = c.wire.send(ctx, frame{kind: kindCancel, id: f.id}, nil)
	}
	return ctx.Err()
}

// register gives f an id that is not in use and notes who waits for it.
func (c *Client) register(f *frame, w *waiter) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost != nil {
		return c.lost
	}
	if x := w.exchange; x != nil {
		c.clock.set(x.due)
	}
	for taken := true; taken; {
		c.next++
		_, taken = c.pending[c.next]
	}
	f.id = c.next
	c.pending[f.id] = w
	c.unanswered++
	if w.reads = false; !c.reading {
		c.reading = true
		if w.reads = w.exchange == nil || w.exchange.wanted == nil; !w.reads {
			c.wake <- struct{}{}
		}
	}
	c.waiting.Store(int32(len(c.pending)))
	return nil
}

// recycle is for waiters whose one answer was received.
func (c *Client) recycle(w *waiter) {
	w.response = nil
	c.free.Put(w)
}

// forget frees the id of a call that is over.
func (c *Client) forget(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

// unsent is forget for a call that was never sent.
func (c *Client) unsent(id uint32, w *waiter) {
	c.mu.Lock()
	delete(c.pending, id)
	c.unanswered--
	c.mu.Unlock()
	c.waitFor(w)
}

// abandon reports whether the call was still unanswered; if so its answer will be dropped.
func (c *Client) abandon(id uint32) bool {
	c.mu.Lock()
	w, ok := c.pending[id]
	if ok {
		w.abandoned, w.response = true, nil
		c.owed++
	}
	owed := c.owed
	c.mu.Unlock()
	if owed > maxOwed {
		_ = c.wire.fail(errOwes)
	}
	return ok
}

// claim takes the one who waits for an answer of this kind; nil: it was never asked.
func (c *Client) claim(id uint32, ping bool) *waiter {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.pending[id]
	if w == nil || w.ping != ping || w.exchange != nil && w.exchange.answered {
		return nil
	}
	c.unanswered--
	if w.exchange != nil && !w.abandoned {
		w.exchange.answered = true // its id stays in use until its bodies have ended
		return w
	}
	delete(c.pending, id)
	if w.abandoned {
		c.owed--
	}
	return w
}

// read is the standing reader. It ends when the link is lost and everybody was told.
func (c *Client) read() {
	for {
		select {
		case <-c.wake:
		case <-c.wire.gone:
			if !c.tellLoss() {
				return
			}
		}
		if !c.readUntil(c.release) {
			return
		}
	}
}

// tellLoss makes the standing reader the one who finds out that the link is gone, unless a caller who reads does.
func (c *Client) tellLoss() bool {
	c.mu.Lock()
	mine := !c.reading
	c.reading = true
	c.mu.Unlock()
	if mine {
		return true
	}
	select {
	case <-c.wake:
		return true
	case <-c.done:
		return false
	}
}

// readUntil reads frames until enough says so after one; false: the link is lost, and everybody was told.
func (c *Client) readUntil(enough func() bool) bool {
	for {
		f, err := c.frames.next()
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			_ = c.wire.conn.SetReadDeadline(time.Time{}) // interrupted, perhaps in another's place
			err = nil
		case err == nil:
			err = c.receive(f)
		}
		if err != nil {
			c.end(c.wire.fail(err))
			return false
		}
		if enough() {
			return true
		}
	}
}

// readFor lets a caller who is alone read its own answer, and those of whoever comes after it. It may return before that has come.
func (c *Client) readFor(w *waiter) {
	if !w.reads {
		return
	}
	t := c.own.begin()
	if !c.readUntil(func() bool { return len(w.answered) > 0 || c.own.lost(t) }) {
		w.reads = false
		return
	}
	c.own.end(t)
	c.waitFor(w)
}

// waitFor ends the reading of a caller. The standing reader goes on if there is an answer to come.
func (c *Client) waitFor(w *waiter) {
	if !w.reads {
		return
	}
	w.reads = false
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reading = c.unanswered > 0 || c.wire.isGone(); c.reading {
		c.wake <- struct{}{}
	}
}

// release ends the reading of the standing reader when nobody waits, so that the next caller can read for itself.
func (c *Client) release() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unanswered > 0 || !c.own.wanted() {
		return false
	}
	c.reading = false
	c.own.watch()
	return true
}

// interrupt wakes the caller that reads.
func (c *Client) interrupt() { _ = c.wire.conn.SetReadDeadline(longAgo) }

// standBy makes the standing reader watch a link on which nobody calls.
func (c *Client) standBy() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reading && c.lost == nil {
		c.reading = true
		c.wake <- struct{}{}
	}
}

func (c *Client) end(err error) {
	c.mu.Lock()
	c.lost = err
	close(c.done) // before anybody is told: whoever comes later then finds it closed
	for _, w := range c.pending {
		if !w.abandoned && (w.exchange == nil || !w.exchange.answered) {
			w.answered <- err // has room
		}
	}
	c.pending = nil
	c.clock.timer.Stop()
	c.own.stop()
	c.mu.Unlock()
}

// receive returns an error when the frame loses the link.
func (c *Client) receive(f frame) error {
	switch f.kind {
	case kindAnswer, kindFailure, kindPong:
	case kindWant:
		return c.want(f)
	default:
		return errFrameKind
	}
	w := c.claim(f.id, f.kind == kindPong)
	if w == nil {
		return errNeverAsked
	}
	if w.abandoned {
		return nil
	}
	if f.kind == kindAnswer && f.method == bodyFollows {
		if w.exchange == nil {
			w.answered <- lost(errNeverAsked)
			return errNeverAsked
		}
		w.exchange.follows = true
	}
	answer, err := decode(f, w.response)
	if err != nil {
		answer = lost(err)
	}
	w.answered <- answer
	return err
}

// want tells an exchange that its request's body is read now. Once, and only where there is one.
func (c *Client) want(f frame) error {
	if len(f.payload) > 0 {
		return errFrameBody
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.pending[f.id]
	if w == nil || w.exchange == nil || w.exchange.wanted == nil || w.exchange.answered {
		return errNeverAsked
	}
	select {
	case w.exchange.wanted <- struct{}{}:
		return nil
	default:
		return errNeverAsked
	}
}

// decode runs in the reader, straight from its buffer, so that an answer is copied once. The caller cannot have left:
// it waits for whoever claimed it.
func decode(f frame, response proto.Message) (answer, broken error) {
	switch {
	case f.kind == kindPong:
		if len(f.payload) > 0 {
			return nil, errFrameBody
		}
	case f.kind == kindFailure:
		failure, ok := parseFailure(f.payload)
		if !ok {
			return nil, errNotDecoded
		}
		return failure, nil
	case response != nil:
		if proto.Unmarshal(f.payload, response) != nil {
			return nil, errNotDecoded
		}
	}
	return nil, nil
}
