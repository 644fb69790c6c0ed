package sdk

import (
	"errors"
	"io"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// Errors that a request's body may end with, beside io.EOF and *http.MaxBytesError.
const (
	// ErrBodyAborted: the client disconnected, or the platform stopped reading from it.
	ErrBodyAborted = link.ErrBodyAborted
	// ErrBodyClosed: the response has begun, or the handler has returned.
	ErrBodyClosed = link.ErrBodyClosed
)

// body is a request's body on a socket.
type body struct {
	*link.Incoming
	max   int64
	onEnd func() // called when all of it was read
}

// Read reads the bytes that have arrived.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.Incoming.Read(p)
	if err == io.EOF {
		b.onEnd()
	}
	return n, b.publicError(err)
}

// WriteTo lets io.Copy work without a buffer of its own.
func (b *body) WriteTo(w io.Writer) (int64, error) {
	n, err := b.Incoming.WriteTo(w)
	b.onEnd()
	return n, b.publicError(err)
}

// Close is called by a handler that needs no more of the body.
func (b *body) Close() error {
	b.Deny()
	return nil
}

func (b *body) publicError(err error) error {
	if errors.Is(err, link.ErrBodyOverflow) {
		return &http.MaxBytesError{Limit: b.max}
	}
	return err
}
