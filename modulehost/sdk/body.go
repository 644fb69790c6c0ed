package sdk

import (
	"errors"
	"io"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// Errors with which reading a request's body may end, besides io.EOF and *http.MaxBytesError.
const (
	// ErrBodyAborted: the client disconnected, or the platform stopped reading from it.
	ErrBodyAborted = link.ErrBodyAborted
	// ErrBodyClosed: the handler has begun the response or has returned.
	ErrBodyClosed = link.ErrBodyClosed
)

// body is a request's body on a socket.
type body struct {
	*link.Incoming
	max   int64
	onEnd func() // called at the end of the body
}

// Read reads bytes that have arrived, and waits if there are none.
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

// Close discards the rest of the body.
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
