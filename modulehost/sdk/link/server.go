package link

import (
	"context"
	"net"

	"google.golang.org/protobuf/proto"
)

// Handler serves one call. payload is valid until it returns. ctx ends when the caller gives up or the link
// is lost. A nil message is an empty one. Only the code of an error is sent to the caller (and a *Failure's
// detail). If a handler panics, its caller gets HANDLER_PANICKED. Handlers run concurrently.
type Handler func(ctx context.Context, m Method, payload []byte) (proto.Message, error)

// CallHandler is a Handler for calls that may have bodies (Call).
type CallHandler func(ctx context.Context, c *Call) (proto.Message, error)

// server is the serving end of a link during one Serve.
type server struct {
	wire       *wire
	handle     CallHandler
	dispatcher *dispatcher
	frames     *frameReader // used by the goroutine that reads
	ended      chan error   // gets once why the link ends
}

// Serve takes over conn and serves its calls, at most inService (at least one) at once. Up to 1,024 further
// calls or 2.5 MiB are read and wait for their turn, in order. Beyond that reading pauses, so that later
// cancels and pings wait too. Serve blocks until ctx ends (ctx's error) or the link is lost (ErrLost; it
// wraps io.EOF if the peer has closed it between two frames). It returns only after every handler has ended,
// so handlers must return when their context ends.
func Serve(ctx context.Context, conn net.Conn, h Handler, inService int, list ...Option) error {
	return ServeCalls(ctx, conn, func(ctx context.Context, c *Call) (proto.Message, error) {
		return h(ctx, c.Method, c.Payload)
	}, inService, list...)
}

// ServeCalls is Serve for calls that may have bodies.
func ServeCalls(ctx context.Context, conn net.Conn, h CallHandler, inService int, list ...Option) error {
	serving, cancel := context.WithCancel(ctx)
	s := &server{handle: h, frames: newFrameReader(conn), ended: make(chan error, 1)}
	s.dispatcher = newDispatcher(serving, s.run, inService, collect(list).memory)
	s.wire = newWire(conn)
	watched := make(chan struct{})
	context.AfterFunc(serving, func() {
		defer close(watched)
		_ = s.wire.fail(net.ErrClosed)
	})
	s.dispatcher.workers.Go(s.read)
	err := s.wire.fail(<-s.ended)
	cancel()
	<-watched
	s.dispatcher.end()
	s.wire.wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// read reads until the link ends.
func (s *server) read() {
	for {
		f, err := s.frames.next()
		switch {
		case err != nil:
		case f.kind != kindCall:
			err = s.receive(s.dispatcher.ctx, f)
		default:
			c, runs := s.dispatcher.accept(f)
			switch {
			case c == nil:
				err = errCallTwice
			case c.refused:
				s.respond(s.dispatcher.ctx, f.id, nil, &Failure{CodeText: CodeOverloaded})
			case runs:
				s.dispatcher.dispatch(c)
			default:
				err = s.dispatcher.pause(s.wire.gone)
			}
		}
		if err != nil {
			s.ended <- err
			return
		}
	}
}

// receive returns an error if the frame violates the protocol, which loses the link.
func (s *server) receive(ctx context.Context, f frame) error {
	if len(f.payload) > 0 {
		return errFrameBody
	}
	switch f.kind {
	case kindCancel:
		if s.dispatcher.cancel(f.id) {
			s.respond(ctx, f.id, nil, &Failure{CodeText: CodeCancelled})
		}
		return nil
	case kindLend:
		if f.method == 0 || !s.dispatcher.attachSocket(f.id, uint32(f.method)) {
			return errLend
		}
		return nil
	case kindPing:
		return s.wire.send(ctx, frame{kind: kindPong, id: f.id}, nil)
	default:
		return errFrameKind
	}
}

// run handles one call and sends its response, even if the handler panics or calls runtime.Goexit. A failure
// after the end of the link is not sent: it may be due to that end, which the caller must get as a loss.
func (s *server) run(ctx context.Context, c *Call) {
	var message proto.Message
	var err error = &Failure{CodeText: CodePanicked}
	c.server = s
	defer func() {
		if !c.responded && (err == nil || ctx.Err() == nil) {
			s.respond(ctx, c.id, message, err)
		}
	}()
	message, err = s.handle(c.ctx, c)
}

// respond sends exactly one frame. It ignores errors of the link, which the reader notices.
func (s *server) respond(ctx context.Context, id uint32, message proto.Message, err error) {
	if err == nil {
		switch sent := s.wire.send(ctx, frame{kind: kindResponse, id: id}, message); sent {
		case ErrTooLarge:
			err = &Failure{CodeText: CodeTooLarge}
		case ErrUnencodable:
			err = &Failure{CodeText: CodeFailed}
		default:
			return
		}
	}
	if s.fail(ctx, id, failureOf(err)) == ErrTooLarge {
		_ = s.fail(ctx, id, &Failure{CodeText: CodeTooLarge})
	}
}

func (s *server) fail(ctx context.Context, id uint32, failure *Failure) error {
	return s.wire.send(ctx, frame{kind: kindFailure, id: id, payload: appendFailure(nil, failure)}, nil)
}
