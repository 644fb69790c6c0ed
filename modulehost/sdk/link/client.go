package link

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"
)

// Client is the calling end of a link. All its methods may be called concurrently.
type Client struct {
	wire   *wire
	memory Memory
	done   chan struct{}

	mu      sync.Mutex
	lost    error
	next    uint32
	pending map[uint32]*waiter
	waiting atomic.Int32 // how many are pending, roughly
	owed    int
	waiters sync.Pool
	clock   clock // of exchanges; Call's deadline is its context's

	// A lone caller reads its response itself, under a lease. The standing reader reads for all others, and
	// watches an idle link. Between the two nobody reads for at least two milliseconds.
	frames      *frameReader // of the goroutine that reads
	reading     bool         // somebody does, or is about to
	outstanding int
	readLease   lease
	wake        chan struct{} // makes the standing reader read; has room for one, which sets reading
	standing    sync.WaitGroup
	released    sync.Once // frames

	abandoned abandoned
	settling  sync.WaitGroup // exchanges that were left before their bodies had ended
}

// NewClient takes over conn and starts to read from it. The owner must call Close, also after a loss.
func NewClient(conn net.Conn, list ...Option) *Client {
	memory := collect(list).memory
	c := &Client{memory: memory, done: make(chan struct{}), pending: map[uint32]*waiter{},
		wake: make(chan struct{}, 1)}
	c.frames = newFrameReader(conn, memory)
	c.wire = newWire(conn, func() bool { return c.waiting.Load() > 1 }, memory)
	c.waiters.New = func() any { return &waiter{result: make(chan error, 2)} } // a response, and a deadline
	c.clock.timer = time.AfterFunc(time.Hour, c.expire)
	c.clock.timer.Stop()
	c.readLease.quick, c.readLease.expired, c.readLease.quiet = leaseFor, c.interrupt, c.standBy
	c.readLease.init()
	c.reading = true
	c.wake <- struct{}{}
	c.standing.Go(c.read)
	return c
}

// Call sends request and waits for the response, which it decodes into response (nil: not wanted). Errors: a
// *Failure that the handler chose; ErrOverloaded; ErrTooLarge, ErrUnencodable and ErrNoDeadline when
// nothing was sent; ErrLost; and ctx's own error as soon as ctx ends, in which case a cancel is
// sent. After an error response holds nothing of meaning.
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

// Close ends the link, returns ErrLost to every call in flight and waits for all that the client started.
// It always returns nil and may be called again.
func (c *Client) Close() error {
	_ = c.wire.fail(net.ErrClosed)
	<-c.done
	c.wire.wait()
	c.settling.Wait()
	c.standing.Wait()
	c.released.Do(c.frames.release)
	return nil
}

func (c *Client) exchange(ctx context.Context, f frame, request, response proto.Message) error {
	if _, ok := ctx.Deadline(); !ok {
		return ErrNoDeadline
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	w := c.waiters.Get().(*waiter)
	w.ping, w.response = f.kind == kindPing, response
	if err := c.register(&f, w); err != nil {
		return err
	}
	if err := c.wire.send(ctx, f, request); err != nil {
		c.forgetUnsent(f.id, w)
		return err
	}
	c.readFor(w)
	select {
	case err := <-w.result:
		c.recycle(w)
		return err
	case <-ctx.Done():
	}
	if !c.abandon(f.id) {
		err := <-w.result // the reader has it in hand this moment
		c.recycle(w)
		return err
	}
	if f.kind == kindCall {
		_ = c.wire.send(ctx, frame{kind: kindCancel, id: f.id}, nil)
	}
	return ctx.Err()
}

func (c *Client) end(err error) {
	c.mu.Lock()
	c.lost = err
	close(c.done) // before the callers are woken, so that later callers find it closed
	for _, w := range c.pending {
		if !w.abandoned && (w.exchange == nil || !w.exchange.responded) {
			w.result <- err // has room
		}
	}
	c.pending = nil
	c.clock.timer.Stop()
	c.abandoned.stop()
	c.readLease.stop()
	c.mu.Unlock()
}
