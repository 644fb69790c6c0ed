package sdk

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// response is the http.ResponseWriter of a handler. A body of at most 8 KiB is sent with its head when the
// handler has returned. A longer one is sent on a body socket, piece by piece, whenever a piece is full or
// flushed.
type response struct {
	ctx        context.Context
	onPiece    func() // called after each piece, which restarts the platform's wait
	call       *link.Call
	sockets    *sockets
	lentSocket uint32         // the socket that came with the request; 0: none
	request    *link.Incoming // the request's body on a socket; nil: none
	streamed   bool

	header http.Header

	mu       sync.Mutex // goroutines that outlive their handler must not write into the next response
	status   int
	sent     []*abi.Header // the headers at the time when the status was written
	body     *link.BodyWriter
	socket   *link.Socket // set when the head is sent
	err      error        // once set it stays, because the response is not read any more
	returned bool
}

// Header returns the headers, which are sent with the status.
func (w *response) Header() http.Header { return w.header }

// WriteHeader fixes status and headers; only the first call counts.
func (w *response) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.setStatus(status)
}

func (w *response) setStatus(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	w.sent = make([]*abi.Header, 0, len(w.header))
	for name, values := range w.header {
		for _, value := range values {
			w.sent = append(w.sent, &abi.Header{Name: []byte(name), Value: []byte(value)})
		}
	}
}

// Write appends to the body. It fails when the response is not read any more.
func (w *response) Write(p []byte) (total int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(p) > 0 {
		room, err := w.bufferRoom()
		if err != nil {
			return total, err
		}
		n := copy(room, p)
		w.body.Grow(n)
		p, total = p[n:], total+n
	}
	return total, nil
}

// WriteString is Write for a string.
func (w *response) WriteString(s string) (total int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(s) > 0 {
		room, err := w.bufferRoom()
		if err != nil {
			return total, err
		}
		n := copy(room, s)
		w.body.Grow(n)
		s, total = s[n:], total+n
	}
	return total, nil
}

// ReadFrom lets io.Copy work without a buffer of its own.
func (w *response) ReadFrom(r io.Reader) (total int64, err error) {
	for err == nil {
		var n int
		n, err = w.readSome(r)
		total += int64(n)
	}
	if err == io.EOF {
		err = nil
	}
	return total, err
}

func (w *response) readSome(r io.Reader) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	room, err := w.bufferRoom()
	if err != nil {
		return 0, err
	}
	n, err := r.Read(room)
	w.body.Grow(n)
	return n, err
}

// Flush sends the buffered bytes. It implements http.Flusher; see FlushError.
func (w *response) Flush() { _ = w.FlushError() }

// FlushError is Flush for an http.ResponseController.
func (w *response) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.prepare()
	return w.send(true)
}

// bufferRoom returns at least one free byte of the buffer, or an error.
func (w *response) bufferRoom() ([]byte, error) {
	w.prepare()
	if w.err == nil && len(w.body.Room()) == 0 {
		_ = w.send(false)
	}
	if w.err != nil {
		return nil, w.err
	}
	return w.body.Room(), nil
}

func (w *response) prepare() {
	w.setStatus(http.StatusOK)
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	if w.body == nil && w.err == nil {
		length := w.declaredLength()
		long := length != nil && *length > link.ShortBody
		w.body = link.NewBodyWriter(long)
		if length != nil && *length >= link.SharedBody {
			if socket, err := w.sockets.at(w.lentSocket); err == nil {
				w.err = w.move(socket)
			}
		}
	}
}

func (w *response) send(flush bool) error {
	if w.err == nil {
		w.err = w.openBody(nil)
	}
	if w.err == nil {
		var long bool
		if long, w.err = w.body.Send(w.socket, flush); long && w.err == nil {
			w.err = w.move(w.socket)
		}
		w.onPiece()
	}
	return w.err
}

// move makes the body use the socket's lane, where the platform reads it without a copy. It does nothing
// while the request's body uses the lane. Without a lane the body stays as it is.
func (w *response) move(socket *link.Socket) error {
	if w.request != nil && w.request.UsesLane() {
		return nil
	}
	return w.body.Move(socket)
}

// openBody sends the head, unless it was sent, and waits for a socket. After that a streamed request body can
// no longer be read; a buffered one was read into memory before.
func (w *response) openBody(length *uint64) error {
	if w.socket != nil {
		return nil
	}
	if w.request != nil && w.streamed {
		w.request.Deny()
	} else if w.request != nil {
		w.request.Buffer()
	}
	if length == nil {
		length = w.declaredLength()
	}
	head := &abi.HandleResponse{Status: uint32(w.status), Headers: w.sent, BodyBytes: length}
	if err := w.call.Respond(head, true); err != nil {
		return err
	}
	descriptor := w.lentSocket
	if descriptor == 0 {
		var err error
		if descriptor, err = w.call.AwaitSocket(); err != nil {
			return err
		}
	}
	var err error
	w.socket, err = w.sockets.at(descriptor)
	return err
}

// declaredLength returns the Content-Length that the handler has set.
func (w *response) declaredLength() *uint64 {
	for _, header := range w.sent {
		if string(header.GetName()) == "Content-Length" {
			if length, err := strconv.ParseUint(string(header.GetValue()), 10, 63); err == nil {
				return &length
			}
		}
	}
	return nil
}

// end sends the rest. If the handler has panicked, it aborts the response instead.
func (w *response) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.returned && w.socket == nil && w.err == nil {
		w.respond()
	}
	_ = w.call.Fail(&link.Failure{CodeText: link.CodePanicked}) // no effect if the call has a response
	if w.socket != nil {
		_ = w.body.End(w.socket, w.returned && w.err == nil && w.ctx.Err() == nil)
	}
	if w.body != nil {
		w.body.Release()
	}
	w.body, w.socket, w.err = nil, nil, errReturned
}

var errReturned = errors.New("the handler has returned")

// respond sends a response whose head has not been sent.
func (w *response) respond() {
	w.setStatus(http.StatusOK)
	var held []byte
	if w.body != nil {
		held = w.body.Held()
	}
	if len(held) <= abi.MaxInline {
		_ = w.call.Respond(&abi.HandleResponse{Status: uint32(w.status), Headers: w.sent, Body: held}, false)
		return
	}
	length := w.declaredLength() // a wrong length cuts the response off, as for one that is sent piece by piece
	if length == nil {
		whole := uint64(len(held))
		length = &whole
	}
	if w.err = w.openBody(length); w.err == nil && len(held) >= link.SharedBody {
		w.err = w.move(w.socket)
	}
}
