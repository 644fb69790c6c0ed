package link

import (
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// upload copies a request's body to its socket, in its own goroutine, because the response may come before
// the body's end.
type upload struct {
	halted   atomic.Bool
	failed   chan struct{} // closed if the source has failed
	released chan struct{} // closed when the source is no longer read
	sent     chan struct{} // closed when the ending is sent or can no longer be sent
	whole    bool          // valid after released: the whole source was read
	err      error         // valid after released: why not
}

var errHalted = errors.New("the answer came before the end of the body")

// Upload sends what source yields, up to limit bytes. Call it once the handler wants the body, and call Halt
// before source becomes invalid.
func (x *Exchange) Upload(source io.Reader, limit int64) {
	u := &upload{failed: make(chan struct{}), released: make(chan struct{}), sent: make(chan struct{})}
	x.upload = u
	if !x.client.track(func() { u.run(x, source, limit) }) {
		u.err = ErrLost
		close(u.released)
		close(u.sent)
	}
}

// Halt ends the upload if it has not ended, and returns when the source is no longer used. interrupt makes a
// blocked Read of the source return. whole reports whether the source was read to its end. If not, err is
// ErrBodyOverflow, ErrBodyAborted if the source failed by itself, or another error without meaning. The
// module is notified of the end only after that, so the response to it cannot have arrived before.
func (x *Exchange) Halt(interrupt func()) (whole bool, err error) {
	u := x.upload
	if u == nil {
		return false, nil
	}
	select {
	case <-u.released:
	default:
		u.halted.Store(true)
		x.socket.wake()
		interrupt()
		<-u.released
	}
	return u.whole, u.err
}

func (u *upload) gone() bool {
	select {
	case <-u.sent:
		return true
	default:
		return false
	}
}

// goneBefore waits until the ending is sent.
func (u *upload) goneBefore(due time.Time) bool {
	if u.gone() {
		return true
	}
	timeout := time.NewTimer(time.Until(due))
	defer timeout.Stop()
	select {
	case <-u.sent:
		return true
	case <-timeout.C:
		return false
	}
}

func (u *upload) ended() error {
	if u.halted.Load() {
		return errHalted
	}
	return nil
}

func (u *upload) run(x *Exchange, source io.Reader, limit int64) {
	defer close(u.sent)
	to := uploadTo{socket: x.socket, b: buffers.take(PieceBuffer), ended: u.ended}
	defer buffers.give(to.b)
	rest := u.copy(x, &to, source, limit)
	close(u.released)
	// Without a deadline: the handler has returned or is about to read, and the SDK reads the rest.
	_, _ = x.socket.write(rest, time.Time{}, nil)
}

// copy returns the bytes that remain to be written: the rest of a piece that was begun, and the ending.
func (u *upload) copy(x *Exchange, to *uploadTo, source io.Reader, limit int64) []byte {
	for left := limit; ; {
		room, err := to.room()
		if err != nil {
			u.err = errHalted
			return to.last(0, pieceAbort)
		}
		n, err := source.Read(room[:min(PieceBuffer, left+1)])
		if left -= int64(n); left < 0 {
			u.err = ErrBodyOverflow
			x.extend()
			return to.last(0, pieceOverflow)
		}
		switch {
		case err == io.EOF:
			u.whole = true
			x.extend()
			return to.last(n, pieceEnd)
		case err != nil:
			if u.err = errHalted; !u.halted.Load() {
				u.err = ErrBodyAborted
				close(u.failed)
			}
			return to.last(n, pieceAbort)
		case n == 0:
			continue
		}
		piece := to.last(n, nothing)
		written, err := x.socket.write(piece, time.Time{}, u.ended)
		if err != nil {
			u.err = err
			return append(piece[written:], endingPiece(pieceAbort)...) // fits into piece's capacity
		}
	}
}

// uploadTo is the memory into which a body is read: a slot of the socket's lane, if it has one, else a
// buffer.
type uploadTo struct {
	socket *Socket
	b      *buffer
	ended  func() error
}

// room waits for a free slot. It fails if the upload was halted, the link is lost, or the module responds.
func (t *uploadTo) room() ([]byte, error) {
	if lane := t.socket.lane; lane != nil {
		return lane.room(&t.socket.in, t)
	}
	return t.b.data(), nil
}

// Read reads from the module.
func (t *uploadTo) Read(p []byte) (int, error) { return t.socket.read(p, time.Time{}, t.ended) }

func (t *uploadTo) last(n int, behind pieceKind) []byte {
	if lane := t.socket.lane; lane != nil {
		return lane.send(n, behind)
	}
	return t.b.last(n, behind)
}

// extend restarts the timeout for the response, because the request's body has ended.
func (x *Exchange) extend() {
	x.client.mu.Lock()
	defer x.client.mu.Unlock()
	x.due = time.Now().Add(x.within)
	x.timer.Reset(x.within)
}
