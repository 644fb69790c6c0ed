package link

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// This file is the module's side of bodies. SDKs use it.

// ErrBodyClosed is a read from a request's body that is over: the response has begun, or the handler has
// returned.
const ErrBodyClosed = Error("BODY_CLOSED")

// Incoming is a request's body. Its methods may be called concurrently.
type Incoming struct {
	socket *Socket
	want   func() error // nil: it comes unasked

	closed atomic.Bool

	mu    sync.Mutex
	begun bool
	body  pieceReader
	rest  []byte // what Buffer has read
}

// Incoming prepares to read a request's body; want asks the host for it when the first Read comes. Close
// must follow.
func (s *Socket) Incoming(want func() error) *Incoming {
	i := &Incoming{socket: s, want: want}
	i.body.from = blockingReader{s}
	return i
}

// Read reads at most a piece. Errors: io.EOF at the end of a complete body; ErrBodyOverflow when it is longer
// than the route allows; ErrBodyAborted when its sender gave up; ErrBodyClosed; ErrLost.
func (i *Incoming) Read(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed.Load() {
		return 0, ErrBodyClosed
	}
	if len(i.rest) > 0 {
		n := copy(p, i.rest)
		i.rest = i.rest[n:]
		return n, nil
	}
	return i.read(p)
}

func (i *Incoming) read(p []byte) (int, error) {
	if !i.begun {
		if i.want != nil {
			if err := i.want(); err != nil {
				return 0, err
			}
		}
		i.socket.reading.Lock() // until the last request's body on this socket has been read to its ending
		i.begun = true
	}
	return i.body.Read(p)
}

// WriteTo copies the whole body with no buffer of the caller's.
func (i *Incoming) WriteTo(w io.Writer) (total int64, err error) {
	b := buffers.Get().(*buffer)
	defer buffers.Put(b)
	for {
		n, err := i.Read(*b)
		if n > 0 {
			written, err := w.Write((*b)[:n])
			if total += int64(written); err != nil {
				return total, err
			}
		}
		switch err {
		case nil:
		case io.EOF:
			return total, nil
		default:
			return total, err
		}
	}
}

// Buffer reads a body that comes unasked into memory, where Read finds it: the response then may begin.
func (i *Incoming) Buffer() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed.Load() || i.body.ended() {
		return
	}
	rest, _ := io.ReadAll(readerFunc(i.read)) // its error is found again by Read
	i.rest = append(i.rest, rest...)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Deny makes every further Read fail with ErrBodyClosed.
func (i *Incoming) Deny() { i.closed.Store(true) }

// Close reads and drops the rest of the body, so that the socket is ready for the next request. Call it after
// the response: only then does the host send the ending of a body that it has not sent completely.
func (i *Incoming) Close() {
	i.Deny()
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.begun && i.want == nil {
		i.socket.reading.Lock()
		i.begun = true
	}
	if i.begun {
		i.body.drain()
		i.begun, i.want = false, errNotWanted
		i.socket.reading.Unlock()
	}
}

func errNotWanted() error { return ErrBodyClosed }

// BodyWriter collects what a handler writes until it fills a piece. Not for concurrent use.
type BodyWriter struct {
	b *buffer
	n int
}

// NewBodyWriter takes a buffer, which Release gives back; long is for a body that is known to be longer
// than ShortBody.
func NewBodyWriter(long bool) *BodyWriter {
	size := ShortBody
	if long {
		size = PieceBuffer
	}
	return &BodyWriter{b: poolFor(size).Get().(*buffer)}
}

// Held is what was filled in and not sent.
func (w *BodyWriter) Held() []byte { return w.b.data()[:w.n] }

// Room is where more can be filled in, followed by Grow.
func (w *BodyWriter) Room() []byte { return w.b.data()[w.n:] }

// Grow tells that n bytes of Room were filled in.
func (w *BodyWriter) Grow(n int) { w.n += n }

// Send sends what is held. With flush, the host passes it on at once.
func (w *BodyWriter) Send(socket *Socket, flush bool) error {
	piece := w.b.piece(w.n)
	if flush {
		piece = w.b.last(w.n, pieceFlush)
	} else if w.n == 0 {
		return nil
	}
	n := w.n
	w.n = 0
	err := socket.sendAll(piece)
	if n == len(w.b.data()) && n == ShortBody { // it is no short one
		w.Release()
		w.b = buffers.Get().(*buffer)
	}
	return err
}

// End sends what is held and then the ending. Without whole it sends nothing but the ending of an aborted
// body.
func (w *BodyWriter) End(socket *Socket, whole bool) error {
	ending := pieceEnd
	if !whole {
		w.n, ending = 0, pieceAbort
	}
	n := w.n
	w.n = 0
	return socket.sendAll(w.b.last(n, ending))
}

// Release gives the buffer back. The writer must not be used afterwards.
func (w *BodyWriter) Release() {
	poolFor(len(w.b.data())).Put(w.b)
	w.b = nil
}

func (s *Socket) sendAll(p []byte) error {
	if _, err := s.write(p, time.Time{}, nil); err != nil {
		return errors.Join(ErrLost, err)
	}
	return nil
}
