package gateway

import (
	"errors"
	"io"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// inline is the longest body that travels with its head (docs/link.md).
const inline = 8 << 10

// bufferedBody is a request's whole body in memory, counted in the module's account until release.
type bufferedBody struct {
	short    []byte             // travels with the call
	long     *link.BufferedBody // travels on a socket; nil: short
	memory   link.Memory
	reserved int // bytes of the account
}

// read takes a buffered body into memory, and room for it in the account before that. ErrOverloaded when
// there is none.
func (r *route) read(c *httpapi.Call) (*bufferedBody, error) {
	b := &bufferedBody{memory: r.memory}
	err := b.fill(c)
	if err == nil {
		return b, nil
	}
	b.release()
	if errors.Is(err, ErrOverloaded) {
		c.CancelBody()
		return nil, ErrOverloaded
	}
	return nil, err
}

func (b *bufferedBody) fill(c *httpapi.Call) (err error) {
	declared := c.Request.ContentLength
	switch {
	case declared > inline:
		if err := b.reserve(link.BufferedBodyBytes(int(declared))); err != nil {
			return err
		}
		b.long = link.NewBufferedBody(int(declared))
		return c.FillBody(b.long.Data())
	case declared >= 0:
		if err := b.reserve(int(declared)); err != nil {
			return err
		}
		b.short, err = c.ReadBody()
		return err
	}
	return b.fillChunked(c)
}

// fillChunked reads a body of unknown length. It is counted while it grows: room for the longest one would
// leave the account to some thirty senders, however little they send.
func (b *bufferedBody) fillChunked(c *httpapi.Call) (err error) {
	body := c.Request.Body
	c.Request.Body = &countingBody{ReadCloser: body, buffered: b}
	b.short, err = c.ReadBody()
	c.Request.Body = body
	if err != nil || len(b.short) <= inline {
		return err
	}
	if err := b.reserve(b.reserved + link.BufferedBodyBytes(len(b.short))); err != nil {
		return err
	}
	b.long = link.NewBufferedBody(len(b.short))
	copy(b.long.Data(), b.short)
	b.short = nil
	return b.reserve(link.BufferedBodyBytes(len(b.long.Data())))
}

// reserve makes n bytes of the account this body's.
func (b *bufferedBody) reserve(n int) error {
	if n > b.reserved && !b.memory.Reserve(n-b.reserved) {
		return ErrOverloaded
	}
	if n < b.reserved {
		b.memory.Release(b.reserved - n)
	}
	b.reserved = n
	return nil
}

// countingBody counts a body while it is read into a buffer that grows by a quarter: for a moment there are
// two.
type countingBody struct {
	io.ReadCloser
	buffered *bufferedBody
	read     int
}

func (g *countingBody) Read(p []byte) (int, error) {
	n, err := g.ReadCloser.Read(p)
	g.read += n
	if held := g.buffered.reserve(max(g.buffered.reserved, g.read*5/2)); held != nil {
		return n, held
	}
	return n, err
}

// release gives the memory back; calling it twice, or for no body, is fine.
func (b *bufferedBody) release() {
	if b == nil {
		return
	}
	if b.long != nil {
		b.long.Release()
	}
	b.memory.Release(b.reserved)
	b.reserved = 0
}
