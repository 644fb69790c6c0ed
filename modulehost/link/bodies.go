package link

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// This file is the module's side of bodies, for SDKs.

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
	i.body.from = patient{s}
	return i
}

// Read reads at most a piece. io.EOF: whole; ErrBodyOverflow: longer than the route allows; ErrBodyAborted:
// the rest does not come; ErrBodyClosed; ErrLost.
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

// Deny lets no Read come through any more.
func (i *Incoming) Deny() { i.closed.Store(true) }

// Close leaves the socket as the next request must find it: it takes what still comes of the body, to its
// ending. Only after the answer, for that is what makes the host send one.
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

// BodyWriter holds what a handler writes until it is a piece. Not for concurrent use.
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

// Send sends what is held. flush: and the host shall pass it on at once.
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

// End sends what is held and the ending: a whole body's, or that of one that was given up.
func (w *BodyWriter) End(socket *Socket, whole bool) error {
	ending := pieceEnd
	if !whole {
		w.n, ending = 0, pieceAbort
	}
	n := w.n
	w.n = 0
	return socket.sendAll(w.b.last(n, ending))
}

// Release gives the buffer back; the writer is of no use any more.
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
