package link

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/protobuf/proto"
)

// Outgoing is a call whose request or response may have a body on a socket.
type Outgoing struct {
	Method            Method
	Request, Response proto.Message
	Within            time.Duration // to the response; restarted when an uploaded body has ended
	Pause             time.Duration // between two pieces of the response's body
	Bodies            *Bodies       // where further sockets come from
	Socket            *Socket       // lent with the call, as Request says; nil: none
	Streamed          bool          // the request's body follows on Socket, once the handler reads it
}

// Exchange is one such call in flight. One goroutine uses it and must call Close. A socket that was lent to
// it is lent to no other call until the module has finished with it, however the exchange ends here.
type Exchange struct {
	client *Client
	waiter *waiter
	id     uint32
	bodies *Bodies
	socket *Socket
	pause  time.Duration
	within time.Duration

	// Of the client, under its lock; follows is written before the response is handed over.
	due       time.Time
	late      bool
	responded bool
	follows   bool
	wanted    chan struct{} // nil unless the request's body is streamed

	received   bool // the response was received here
	left       bool // leaveLane
	upload     *upload
	unsent     []byte // of a request's body that was cut short within a piece
	body       pieceReader
	ctx        context.Context // of the response's body
	stopWaking func() bool
}

var errLate = errors.New("no answer in time")

// Begin sends the call. Errors as Client.Call's; then Socket is free again.
func (c *Client) Begin(ctx context.Context, o Outgoing) (*Exchange, error) {
	x := &Exchange{client: c, bodies: o.Bodies, socket: o.Socket, pause: o.Pause, within: o.Within,
		due: time.Now().Add(o.Within)}
	if o.Streamed {
		x.wanted = make(chan struct{}, 1)
	}
	x.waiter = c.waiters.Get().(*waiter)
	x.waiter.ping, x.waiter.response, x.waiter.exchange = false, o.Response, x
	f := frame{kind: kindCall, method: o.Method}
	err := ctx.Err()
	if err == nil {
		err = c.register(&f, x.waiter)
	}
	if err == nil {
		if err = c.wire.send(ctx, f, o.Request); err != nil {
			c.forgetUnsent(f.id, x.waiter)
		}
	}
	if err != nil {
		x.releaseSocket()
		return nil, err
	}
	x.id = f.id
	return x, nil
}

// AwaitResponse waits for the response, which is then in Outgoing.Response. wanted is called when the handler
// begins to read a streamed body. Errors as Client.Call's; context.DeadlineExceeded when Within has passed;
// ErrBodyAborted when Upload's source failed.
func (x *Exchange) AwaitResponse(ctx context.Context, wanted func()) error {
	x.client.readFor(x.waiter)
	for {
		var failed chan struct{}
		if x.upload != nil {
			failed = x.upload.failed
		}
		select {
		case err := <-x.waiter.result:
			if err == errLate {
				return context.DeadlineExceeded
			}
			x.received = true
			return err
		case <-x.wanted:
			wanted()
		case <-failed:
			return ErrBodyAborted
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Follows tells, after the response, whether it has a body to Read.
func (x *Exchange) Follows() bool { return x.received && x.follows }

// OpenBody prepares Read: it lends a socket if the call has none; long is as Bodies.Take's. Errors as its.
// ctx bounds the reading too.
func (x *Exchange) OpenBody(ctx context.Context, long bool) error {
	if x.socket == nil {
		socket, err := x.bodies.Take(ctx, long)
		if err != nil {
			return err
		}
		x.socket = socket
		if err := x.client.wire.send(ctx, frame{kind: kindLend, method: Method(socket.descriptor), id: x.id},
			nil); err != nil {
			x.releaseSocket()
			return err
		}
	}
	x.ctx = ctx
	x.body.socket, x.body.from, x.body.reply = x.socket, exchangeReader{x}, x.sendFreed
	x.stopWaking = x.socket.wakeOn(ctx)
	return nil
}

// exchangeReader reads the socket of an exchange, until its context ends or nothing came for its pause.
type exchangeReader struct{ x *Exchange }

func (t exchangeReader) Read(p []byte) (int, error) {
	return t.x.socket.read(p, time.Now().Add(t.x.pause), t.x.ctx.Err)
}

// Read reads the response's body, at most a piece. io.EOF is its end; after any other error it is incomplete.
func (x *Exchange) Read(p []byte) (int, error) { return x.body.Read(p) }

// sendFreed tells the module of free slots. It reads that before it sends more than the lane has, so a full
// socket is no excuse; and it has read the request's body, whose ending then is out.
func (x *Exchange) sendFreed(freed []byte) error {
	due := time.Now().Add(x.pause)
	if x.upload != nil && !x.upload.goneBefore(due) {
		return errPiece
	}
	_, err := x.socket.write(freed, due, nil)
	return err
}

// Next is Read for who can take bytes where they lie: in b, or in memory that the module may still change.
// They are the caller's until the next call.
func (x *Exchange) Next(b []byte) ([]byte, error) { return x.body.next(b) }

// Flush tells whether the module wants what Read returned last to go out at once.
func (x *Exchange) Flush() bool { return x.body.flush }

// SendBody sends a buffered request body. After an error only Close may follow.
func (x *Exchange) SendBody(ctx context.Context, body *BufferedBody) error {
	x.client.endReading(x.waiter)
	defer x.socket.wakeOn(ctx)()
	return x.send(ctx, body.b.last(body.n, pieceEnd))
}

// send keeps what the end of ctx leaves unsent: a piece that was begun must be finished, or the next body
// would be read as its rest.
func (x *Exchange) send(ctx context.Context, p []byte) error {
	if x.unsent != nil {
		x.keepUnsent(p)
		return nil
	}
	n, err := x.socket.write(p, x.due, ctx.Err)
	if n < len(p) && over(x.due, ctx.Err) != nil {
		x.keepUnsent(p[n:])
		return nil
	}
	return err
}

func (x *Exchange) keepUnsent(p []byte) {
	x.client.memory.Add(len(p))
	x.unsent = append(x.unsent, p...)
}

func endingPiece(kind pieceKind) []byte { return []byte{byte(kind), 0, 0, 0} }

// Close ends the exchange. A call that has not ended in the module is cancelled, and a socket in use returns
// to the pool when the module has finished with it. Close does not wait for that.
func (x *Exchange) Close() {
	x.leaveLane()
	if x.stopWaking != nil {
		x.stopWaking()
	}
	c := x.client
	c.endReading(x.waiter)
	over := x.received && (!x.follows || x.body.ended())
	if x.received {
		c.discharge(x.waiter, false)
	}
	if !over {
		_ = c.wire.send(context.Background(), frame{kind: kindCancel, id: x.id}, nil)
	}
	switch {
	case over && x.unsent == nil && (x.upload == nil || x.upload.gone()):
		x.end()
	case x.socket == nil:
		x.abandon()
	default:
		c.settleLater(x)
	}
}

// end gives back what the exchange holds, when both bodies have ended.
func (x *Exchange) end() {
	x.client.forget(x.id)
	x.releaseSocket()
	if x.late {
		x.client.discharge(x.waiter, true)
	} else {
		x.waiter.exchange = nil
		x.client.recycle(x.waiter)
	}
}

// leaveLane is called when nothing of the exchange looks at the lane's memory any more.
func (x *Exchange) leaveLane() {
	if x.socket != nil && x.socket.lane != nil && !x.left {
		x.left = true
		x.bodies.leaveLane()
	}
}

func (x *Exchange) releaseSocket() {
	x.leaveLane()
	if x.socket != nil {
		x.bodies.give(x.socket)
		x.socket = nil
	}
}

// abandon drops the response, come or to come.
func (x *Exchange) abandon() {
	c := x.client
	c.discharge(x.waiter, true)
	c.mu.Lock()
	if w := c.pending[x.id]; w != nil && x.responded {
		delete(c.pending, x.id)
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	c.abandon(x.id)
}

// settle waits until the module has left the socket: its response has come, its body has ended, and the
// request's body has an ending. A module that never gets there keeps the socket from itself alone, and for
// as long as its process runs.
func (x *Exchange) settle() {
	defer x.client.memory.Release(len(x.unsent))
	rest := make(chan struct{})
	go func() {
		defer close(rest)
		if x.unsent != nil {
			_, _ = x.socket.write(x.unsent, time.Time{}, nil)
		}
	}()
	for !x.received {
		select {
		case err := <-x.waiter.result:
			x.received = err != errLate
		case <-x.wanted:
			if x.upload == nil {
				_, _ = x.socket.write(endingPiece(pieceAbort), time.Time{}, nil)
			}
		}
	}
	if x.follows {
		x.body.socket, x.body.from = x.socket, blockingReader{x.socket}
		x.body.reply = func(freed []byte) error {
			if <-rest; x.upload != nil {
				<-x.upload.sent
			}
			return x.socket.sendAll(freed)
		}
		x.body.drain()
	}
	if <-rest; x.upload != nil {
		<-x.upload.sent
	}
	if x.follows && !x.body.ended() { // broken: the next user of the socket would read the rest of this body
		x.client.discharge(x.waiter, true)
		_ = x.client.wire.fail(errPiece)
		return
	}
	x.end()
}

// blockingReader reads without a deadline.
type blockingReader struct{ *Socket }

func (p blockingReader) Read(b []byte) (int, error) { return p.read(b, time.Time{}, nil) }

var _ io.Reader = blockingReader{}

// settleLater is for an exchange that was left before its bodies had ended.
func (c *Client) settleLater(x *Exchange) {
	c.mu.Lock()
	c.markAbandoned(x.waiter)
	c.mu.Unlock()
	if !c.track(x.settle) {
		c.discharge(x.waiter, true)
		c.memory.Release(len(x.unsent))
	}
}

// track runs f in a goroutine that Close waits for; false when the link is lost, and with it the process
// and its sockets.
func (c *Client) track(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost == nil {
		c.settling.Go(f)
	}
	return c.lost == nil
}
