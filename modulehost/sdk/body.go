package sdk

import (
	"errors"
	"io"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/link"
)

// Errors that a request's body may end with, beside io.EOF and *http.MaxBytesError.
const (
	// ErrBodyAborted: the client went away, or the platform stopped listening to it.
	ErrBodyAborted = link.ErrBodyAborted
	// ErrBodyClosed: the response has begun, or the handler has returned.
	ErrBodyClosed = link.ErrBodyClosed
)

// body is a request's body on a socket.
type body struct {
	*link.Incoming
	max   int64
	ended func() // called when all of it was read
}

// Read reads what has come.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.Incoming.Read(p)
	if err == io.EOF {
		b.ended()
	}
	return n, b.public(err)
}

// WriteTo spares io.Copy its buffer.
func (b *body) WriteTo(w io.Writer) (int64, error) {
	n, err := b.Incoming.WriteTo(w)
	b.ended()
	return n, b.public(err)
}

// Close is the handler's: it wants no more.
func (b *body) Close() error {
	b.Deny()
	return nil
}

func (b *body) public(err error) error {
	if errors.Is(err, link.ErrBodyOverflow) {
		return &http.MaxBytesError{Limit: b.max}
	}
	return err
}
