package link

import (
	"context"
	"net"
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

	settling sync.WaitGroup // exchanges that were left before their bodies had ended
}

// waiter is one call or ping under way. Who removes it from pending, under the lock, owns it: the reader then delivers
// exactly once.
type waiter struct {
	ping      bool
	abandoned bool // nobody waits any more; the late answer is dropped
	response  proto.Message
	answered  chan error // buffered: the reader never waits for a caller

	exchange *Exchange // nil for a Call
}

// NewClient takes over conn and starts to read from it. The owner calls Close in the end, also after a loss.
func NewClient(conn net.Conn) *Client {
	c := &Client{done: make(chan struct{}), pending: map[uint32]*waiter{}}
	c.wire = newWire(conn, func() bool { return c.waiting.Load() > 1 })
	c.free.New = func() any { return &waiter{answered: make(chan error, 2)} } // an answer, and a deadline
	c.clock.timer = time.AfterFunc(time.Hour, c.ring)
	c.clock.timer.Stop()
	go c.read()
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
		c.forget(f.id)
		return err
	}
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
	c.waiting.Store(int32(len(c.pending)))
	return nil
}

// recycle is for waiters whose one answer was received.
func (c *Client) recycle(w *waiter) {
	w.response = nil
	c.free.Put(w)
}

// forget removes a call that was never sent.
func (c *Client) forget(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
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

// read is the client's one goroutine. It ends when the link is lost, having told everyone who waits.
func (c *Client) read() {
	frames := newFrames(c.wire.conn)
	for {
		f, err := frames.next()
		if err == nil {
			err = c.receive(f)
		}
		if err != nil {
			c.end(c.wire.fail(err))
			return
		}
	}
}

func (c *Client) end(err error) {
	c.mu.Lock()
	c.lost = err
	for _, w := range c.pending {
		if !w.abandoned && (w.exchange == nil || !w.exchange.answered) {
			w.answered <- err // has room
		}
	}
	c.pending = nil
	c.clock.timer.Stop()
	c.mu.Unlock()
	close(c.done)
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
