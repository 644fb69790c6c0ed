package link

import (
	"context"
	"net"
	"sync"

	"google.golang.org/protobuf/proto"
)

// Client is the calling end of a link. All its methods may be called concurrently.
type Client struct {
	wire   *wire
	memory Memory
	done   chan struct{}

	mu         sync.Mutex
	lost       error
	next       uint32
	pending    map[uint32]*waiter
	unanswered int // abandoned calls without a response
	waiters    sync.Pool

	frames *frameReader // used by the goroutine that reads

	abandoned abandoned
	reading   sync.WaitGroup // the goroutine that reads
	settling  sync.WaitGroup // exchanges that were left before their bodies had ended
}

// NewClient takes over conn and starts to read from it. The owner must call Close, also after a loss.
func NewClient(conn net.Conn, list ...Option) *Client {
	c := &Client{memory: collect(list).memory, done: make(chan struct{}), pending: map[uint32]*waiter{}}
	c.frames = newFrameReader(conn)
	c.wire = newWire(conn)
	c.waiters.New = func() any { return &waiter{result: make(chan error, 2)} } // a response, and a deadline
	c.reading.Go(c.read)
	return c
}

// Call sends request and waits for the response, which it decodes into response (nil: it is dropped). Errors:
// a *Failure of the handler; ErrOverloaded; ErrTooLarge, ErrUnencodable and ErrNoDeadline, after which
// nothing was sent; ErrLost; and ctx's own error as soon as ctx ends, in which case a cancel is sent. After
// an error the contents of response are undefined.
func (c *Client) Call(ctx context.Context, m Method, request, response proto.Message) error {
	return c.exchange(ctx, frame{kind: kindCall, method: m}, request, response)
}

// Ping returns nil when the other end's reader has responded, however busy its handlers are. Errors as for
// Call.
func (c *Client) Ping(ctx context.Context) error {
	return c.exchange(ctx, frame{kind: kindPing}, nil, nil)
}

// Done is closed when the link is lost or closed and no call is in progress any more.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err returns nil until Done is closed, then ErrLost with its cause.
func (c *Client) Err() error {
	select {
	case <-c.done:
		return c.lost
	default:
		return nil
	}
}

// Close ends the link, returns ErrLost to every call in progress and waits for all goroutines of the client.
// It always returns nil and may be called again.
func (c *Client) Close() error {
	_ = c.wire.fail(net.ErrClosed)
	<-c.done
	c.wire.wait()
	c.settling.Wait()
	c.reading.Wait()
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
		c.forgetUnsent(f.id)
		return err
	}
	select {
	case err := <-w.result:
		c.recycle(w)
		return err
	case <-ctx.Done():
	}
	if !c.abandon(f.id) {
		err := <-w.result // the reader is delivering it now
		c.recycle(w)
		return err
	}
	if f.kind == kindCall {
		_ = c.wire.send(ctx, frame{kind: kindCancel, id: f.id}, nil)
	}
	return ctx.Err()
}

// read reads until the link is lost, and then gives every caller its error.
func (c *Client) read() {
	for {
		f, err := c.frames.next()
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
	close(c.done) // before the callers are notified, so that later callers find it closed
	for _, w := range c.pending {
		if !w.abandoned && (w.exchange == nil || !w.exchange.responded) {
			w.result <- err // the channel has capacity
		}
	}
	c.pending = nil
	c.abandoned.stop()
	c.mu.Unlock()
}
