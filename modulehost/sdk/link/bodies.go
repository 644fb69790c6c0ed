package link

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// This file is the module's side of bodies, for SDKs.

// ErrBodyClosed: the request's body can no longer be read, because the response has begun or the handler has
// returned.
const ErrBodyClosed = Error("BODY_CLOSED")

// Incoming is a request's body. Its methods may be called concurrently.
type Incoming struct {
	socket *Socket
	want   func() error // nil: the host sends the body without a request

	closed atomic.Bool
	ended  atomic.Bool
	lends  atomic.Bool // WriteTo has passed on memory of the lane

	mu     sync.Mutex
	locked bool // the reading lock of the socket is held
	body   pieceReader
	rest   []byte // bytes that Buffer has read
}

// Incoming prepares to read a request's body. want requests the body from the host and is called by the first
// Read. Close must follow.
func (s *Socket) Incoming(want func() error) *Incoming {
	i := &Incoming{socket: s, want: want}
	i.body.socket, i.body.from, i.body.reply = s, blockingReader{s}, s.sendAll
	if want == nil { // it is sent at once, so it must be read before the body of a later call
		s.reading.Lock()
		i.locked = true
	}
	return i
}

// Read reads at most one piece. Errors: io.EOF at the end of a complete body; ErrBodyOverflow if it is longer
// than the route allows; ErrBodyAborted if its sender has aborted it; ErrBodyClosed; ErrLost.
func (i *Incoming) Read(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.readLocked(p)
}

func (i *Incoming) readLocked(p []byte) (int, error) {
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
	if !i.locked && !i.ended.Load() {
		if i.want != nil {
			if err := i.want(); err != nil {
				return 0, err
			}
		}
		i.socket.reading.Lock() // until the previous request's body on this socket has been read to its ending
		i.locked = true
	}
	n, err := i.body.Read(p)
	i.leaveEnded()
	return n, err
}

// leaveEnded lets the response read what the host sends after the ending: which slots are free.
func (i *Incoming) leaveEnded() {
	if i.locked && i.body.ended() {
		i.locked = false
		i.ended.Store(true)
		i.socket.reading.Unlock()
	}
}

// WriteTo copies the whole body without a buffer of the caller: w gets the lane's memory itself.
func (i *Incoming) WriteTo(w io.Writer) (total int64, err error) {
	b := buffers.take(PieceBuffer)
	defer buffers.give(b)
	defer i.lends.Store(false)
	for {
		p, err := i.next(*b)
		if len(p) > 0 {
			written, err := w.Write(p)
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

// next is Read into p, or without a copy. Its bytes are valid until the next call.
func (i *Incoming) next(p []byte) ([]byte, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.lends.Store(false)
	if !i.locked || i.closed.Load() || len(i.rest) > 0 {
		n, err := i.readLocked(p)
		return p[:n], err
	}
	b, err := i.body.next(p)
	i.lends.Store(i.body.holds)
	i.leaveEnded()
	return b, err
}

// UsesLane reports whether the body is still arriving, or WriteTo is passing on memory of its lane, which a
// response in the lane would overwrite: a response to which the body is copied reads on meanwhile (Buffer).
func (i *Incoming) UsesLane() bool { return !i.ended.Load() || i.lends.Load() }

// Buffer reads a body that the host sends without a request into memory, from which Read returns it. Then the
// response may begin.
func (i *Incoming) Buffer() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed.Load() || i.body.ended() {
		return
	}
	rest, _ := io.ReadAll(readerFunc(i.read)) // a later Read gets the same error
	i.rest = append(i.rest, rest...)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Deny makes every further Read fail with ErrBodyClosed.
func (i *Incoming) Deny() { i.closed.Store(true) }

// Close reads and drops the rest of the body, so that the socket is ready for the next request. Call it after
// the response, because only then the host sends the ending of a body that it has not sent completely.
func (i *Incoming) Close() {
	i.Deny()
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended.Load() {
		return
	}
	if i.locked {
		i.body.drain()
		i.locked, i.want = false, errNotWanted
		i.socket.reading.Unlock()
	}
}

func errNotWanted() error { return ErrBodyClosed }

// BodyWriter collects what a handler writes until a piece is full. It is not safe for concurrent use.
type BodyWriter struct {
	size int     // of b
	b    *buffer // nil until it is needed
	slot []byte  // a slot of the lane; if not nil, it is used instead of b
	n    int
}

// NewBodyWriter returns a writer; Release returns its buffer to the pool. long is for a body that is known to
// be longer than ShortBody.
func NewBodyWriter(long bool) *BodyWriter {
	if long {
		return &BodyWriter{size: PieceBuffer}
	}
	return &BodyWriter{size: ShortBody}
}

// Move makes a writer use the socket's lane, if it has one, and copies the collected bytes into it. It waits
// for a free slot. The body of the call's request must no longer use it (Incoming.UsesLane): the host reports
// free slots after that body.
func (w *BodyWriter) Move(socket *Socket) error {
	if socket.lane == nil || w.slot != nil { // there is none, or the bytes are in it
		return nil
	}
	socket.reading.Lock()
	defer socket.reading.Unlock()
	slot, err := socket.lane.room(&socket.in, blockingReader{socket})
	if err != nil {
		return err
	}
	if w.n > 0 {
		copy(slot, w.Held())
	}
	w.slot = slot
	return nil
}

func (w *BodyWriter) data() []byte {
	if w.slot != nil {
		return w.slot
	}
	if w.b == nil {
		w.b = buffers.take(w.size)
	}
	return w.b.data()
}

// Held returns the bytes that were written and not sent.
func (w *BodyWriter) Held() []byte { return w.data()[:w.n] }

// Room returns the free space, for a write that Grow reports.
func (w *BodyWriter) Room() []byte { return w.data()[w.n:] }

// Grow reports that n bytes were written to Room.
func (w *BodyWriter) Grow(n int) { w.n += n }

// Send sends the collected bytes. With flush, the host passes them on at once. It returns true if the body is
// a long one, for whose rest Move may be called.
func (w *BodyWriter) Send(socket *Socket, flush bool) (long bool, err error) {
	behind, full := nothing, len(w.Room()) == 0
	if flush {
		behind = pieceFlush
	} else if w.n == 0 {
		return false, nil
	}
	err = socket.sendAll(w.take(socket, behind))
	w.slot = nil
	if full && w.size == ShortBody { // so it is not a short body
		w.Release()
		w.size = PieceBuffer
	}
	return full, err
}

// take frames the collected bytes.
func (w *BodyWriter) take(socket *Socket, behind pieceKind) []byte {
	n := w.n
	if w.n = 0; w.slot != nil {
		return socket.lane.send(n, behind)
	}
	w.data()
	return w.b.last(n, behind)
}

// End sends the collected bytes and then the ending. If whole is false, it sends only the ending of an
// aborted body.
func (w *BodyWriter) End(socket *Socket, whole bool) error {
	ending := pieceEnd
	if !whole {
		w.n, ending = 0, pieceAbort
	}
	return socket.sendAll(w.take(socket, ending))
}

// Release returns the buffer to the pool. The writer may be used again.
func (w *BodyWriter) Release() {
	if w.b != nil {
		buffers.give(w.b)
		w.b = nil
	}
}

func (s *Socket) sendAll(p []byte) error {
	if _, err := s.write(p, time.Time{}, nil); err != nil {
		return errors.Join(ErrLost, err)
	}
	return nil
}
