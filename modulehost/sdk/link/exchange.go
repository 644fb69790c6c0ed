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
	Within            time.Duration // timeout for the response, from the end of an uploaded body
	Upload            time.Duration // timeout for an uploaded body, from the call; 0: there is none
	Pause             time.Duration // timeout between two pieces of the response's body
	Bodies            *Bodies       // the pool for further sockets
	Socket            *Socket       // lent with the call, and named in Request; nil: none
	Body              *BufferedBody // a buffered request body, which SendBody sends on Socket; nil: none
	Streamed          bool          // the request's body is sent on Socket when the handler reads it
	lane              *LaneBody     // a buffered request body in the lane of Socket, as Body; nil: none
}

// Exchange is a call in progress with such bodies. Only one goroutine may use it, and it must call Close. A
// socket that was lent to it is lent to no other call until the module has finished with it, however the
// exchange ends here.
type Exchange struct {
	client *Client
	waiter *waiter
	id     uint32
	bodies *Bodies
	socket *Socket
	pause  time.Duration
	within time.Duration

	// Used by the client under its lock; follows is written before the response is delivered.
	due       time.Time
	timer     *time.Timer // fires at due
	late      bool
	responded bool
	follows   bool
	wanted    chan struct{} // nil unless the request's body is streamed

	unwritten  []byte // of a buffered body, for SendBody
	received   bool   // the response was received here
	left       bool   // leaveLane was called
	upload     *upload
	unsent     []byte // of a request's body that was cut off within a piece
	body       pieceReader
	ctx        context.Context // of the response's body
	stopWaking func() bool
}

var errLate = errors.New("no answer in time")

// Begin sends the call. Errors as for Client.Call; after one Socket is free again.
func (c *Client) Begin(ctx context.Context, o Outgoing) (*Exchange, error) {
	x := &Exchange{client: c, bodies: o.Bodies, socket: o.Socket, pause: o.Pause, within: o.Within,
		due: time.Now().Add(o.Upload + o.Within)}
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
			x.timer.Stop()
			c.forgetUnsent(f.id)
		}
	}
	if err != nil {
		x.releaseSocket()
		return nil, err
	}
	switch {
	case o.Body != nil:
		x.unwritten = o.Body.b.last(o.Body.n, pieceEnd)
	case o.lane != nil:
		x.unwritten = o.lane.begin(x.socket.lane)
	}
	return x, nil
}

// expire fails the exchange if it has no response yet.
func (x *Exchange) expire() {
	c := x.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending[x.id] == x.waiter && !x.responded && !x.late {
		x.late = true
		x.waiter.result <- errLate
	}
}

// AwaitResponse waits for the response, which is then in Outgoing.Response. It calls wanted when the handler
// begins to read a streamed body. Errors as for Client.Call; context.DeadlineExceeded when Within has passed;
// ErrBodyAborted when Upload's source failed.
func (x *Exchange) AwaitResponse(ctx context.Context, wanted func()) error {
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

// Follows reports, after the response, whether there is a body to Read.
func (x *Exchange) Follows() bool { return x.received && x.follows }

// OpenBody prepares Read: it lends a socket if the call has none. long is as for Bodies.Take, and so are the
// errors. ctx also bounds the reading.
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

// exchangeReader reads the socket of an exchange, until its context ends or nothing arrives for its pause.
type exchangeReader struct{ x *Exchange }

func (t exchangeReader) Read(p []byte) (int, error) {
	return t.x.socket.read(p, time.Now().Add(t.x.pause), t.x.ctx.Err)
}

// Read reads at most one piece of the response's body. It returns io.EOF at the end; after any other error
// the body is incomplete.
func (x *Exchange) Read(p []byte) (int, error) { return x.body.Read(p) }

// sendFreed reports free slots to the module. The module reads the report before it sends more than the lane
// has slots, so it is a fault of the module if the socket is full. The report comes after the ending of the
// request's body, which the module has read.
func (x *Exchange) sendFreed(freed []byte) error {
	due := time.Now().Add(x.pause)
	if x.upload != nil && !x.upload.goneBefore(due) {
		return errPiece
	}
	_, err := x.socket.write(freed, due, nil)
	return err
}

// Next is Read without a copy. It returns bytes in b, or in memory that the module may still change. They are
// valid until the next call.
func (x *Exchange) Next(b []byte) ([]byte, error) { return x.body.next(b) }

// Flush reports whether the module wants the bytes of the last Read to be sent at once.
func (x *Exchange) Flush() bool { return x.body.flush }

// SendBody sends a buffered request body. Call it once after Begin; afterwards the body is not used any more.
// After an error only Close may be called.
func (x *Exchange) SendBody(ctx context.Context) error {
	rest := x.unwritten
	if x.unwritten = nil; len(rest) == 0 {
		return nil
	}
	defer x.socket.wakeOn(ctx)()
	return x.send(ctx, rest)
}

// send keeps the bytes that are not sent when ctx ends. A piece that was begun must be finished, or the next
// body would be read as its rest.
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
	x.client.mu.Lock()
	defer x.client.mu.Unlock()
	x.waiter.held.add(x.client.memory, len(p))
	x.unsent = append(x.unsent, p...)
}

func endingPiece(kind pieceKind) []byte { return []byte{byte(kind), 0, 0, 0} }

// Close ends the exchange. It cancels a call that has not ended in the module. A socket in use returns to the
// pool when the module has finished with it; Close does not wait for that.
func (x *Exchange) Close() {
	x.timer.Stop()
	x.leaveLane()
	if x.stopWaking != nil {
		x.stopWaking()
	}
	c := x.client
	over := x.received && (!x.follows || x.body.ended())
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

// end releases the resources of the exchange when both bodies have ended.
func (x *Exchange) end() {
	x.client.forget(x.id)
	x.releaseSocket()
	if x.late {
		x.client.drop(x.waiter)
	} else {
		x.waiter.exchange = nil
		x.client.recycle(x.waiter)
	}
}

// leaveLane is called when the exchange no longer uses the lane's memory.
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

// abandon drops the response, whether it has arrived or not.
func (x *Exchange) abandon() {
	x.client.abandon(x.id)
	x.client.drop(x.waiter)
}

// settle waits until the module has finished with the socket: its response has arrived, its body has ended,
// and the request's body has an ending. A module that never gets there blocks only its own socket, and only
// while its process runs.
func (x *Exchange) settle() {
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
	if x.follows && !x.body.ended() { // the next user of the socket would read the rest of this body
		x.client.drop(x.waiter)
		_ = x.client.wire.fail(errPiece)
		return
	}
	x.end()
}

// blockingReader reads without a deadline.
type blockingReader struct{ *Socket }

func (p blockingReader) Read(b []byte) (int, error) { return p.read(b, time.Time{}, nil) }

var _ io.Reader = blockingReader{}

// settleLater is for an exchange that was closed before its bodies had ended.
func (c *Client) settleLater(x *Exchange) {
	c.mu.Lock()
	c.markAbandoned(x.waiter)
	c.mu.Unlock()
	if !c.track(x.settle) {
		c.drop(x.waiter)
	}
}

// track runs f in a goroutine for which Close waits. It returns false if the link is lost, and with it the
// process and its sockets.
func (c *Client) track(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost == nil {
		c.settling.Go(f)
	}
	return c.lost == nil
}
