package link

import (
	"context"
	"net"
	"sync"

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
	owed    int
	free    sync.Pool
}

// waiter is one call or ping under way. Who removes it from pending, under the lock, owns it: the reader then delivers
// exactly once.
type waiter struct {
	ping      bool
	abandoned bool // nobody waits any more; the late answer is dropped
	response  proto.Message
	answered  chan error // buffered: the reader never waits for a caller
}

// NewClient takes over conn and starts to read from it. The owner calls Close in the end, also after a loss.
func NewClient(conn net.Conn) *Client {
	c := &Client{wire: newWire(conn), done: make(chan struct{}), pending: map[uint32]*waiter{}}
	c.free.New = func() any { return &waiter{answered: make(chan error, 1)} }
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
	return nil
}

func (c *Client) exchange(ctx context.Context, f frame, request, response proto.Message) error {
	if _, ok := ctx.Deadline(); !ok {
		return ErrNoDeadline
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	w, err := c.register(&f, response)
	if err != nil {
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
func (c *Client) register(f *frame, response proto.Message) (*waiter, error) {
	w := c.free.Get().(*waiter)
	w.ping, w.response = f.kind == kindPing, response
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost != nil {
		return nil, c.lost
	}
	for taken := true; taken; {
		c.next++
		_, taken = c.pending[c.next]
	}
	f.id = c.next
	c.pending[f.id] = w
	return w, nil
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
	if w == nil || w.ping != ping {
		return nil
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
	pending := c.pending
	c.pending = nil
	c.mu.Unlock()
	for _, w := range pending {
		if !w.abandoned {
			w.answered <- err
		}
	}
	close(c.done)
}

// receive returns an error when the frame loses the link.
func (c *Client) receive(f frame) error {
	if f.kind != kindAnswer && f.kind != kindFailure && f.kind != kindPong {
		return errFrameKind
	}
	w := c.claim(f.id, f.kind == kindPong)
	if w == nil {
		return errNeverAsked
	}
	if w.abandoned {
		return nil
	}
	answer, err := decode(f, w.response)
	if err != nil {
		answer = lost(err)
	}
	w.answered <- answer
	return err
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
