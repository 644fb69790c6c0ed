package gateway

import (
	"errors"
	"io"

	"github.com/narthex-platform/narthex/modulehost/link"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// inline is the longest body that travels with its head (docs/link.md).
const inline = 8 << 10

// buffered is a request's whole body in memory, counted in the module's account until release.
type buffered struct {
	short  []byte      // travels with the call
	long   *link.Whole // travels on a socket; nil: short
	memory link.Memory
	taken  int // bytes of the account
}

// read takes a buffered body into memory, and room for it in the account before that. ErrOverloaded when
// there is none.
func (r *route) read(c *httpapi.Call) (*buffered, error) {
	b := &buffered{memory: r.memory}
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

func (b *buffered) fill(c *httpapi.Call) (err error) {
	declared := c.Request.ContentLength
	switch {
	case declared > inline:
		if err := b.hold(link.WholeBytes(int(declared))); err != nil {
			return err
		}
		b.long = link.NewWhole(int(declared))
		return c.FillBody(b.long.Data())
	case declared >= 0:
		if err := b.hold(int(declared)); err != nil {
			return err
		}
		b.short, err = c.ReadBody()
		return err
	}
	return b.fillChunked(c)
}

// fillChunked reads a body of unknown length. It is counted while it grows: room for the longest one would
// leave the account to some thirty senders, however little they send.
func (b *buffered) fillChunked(c *httpapi.Call) (err error) {
	body := c.Request.Body
	c.Request.Body = &growing{ReadCloser: body, buffered: b}
	b.short, err = c.ReadBody()
	c.Request.Body = body
	if err != nil || len(b.short) <= inline {
		return err
	}
	if err := b.hold(b.taken + link.WholeBytes(len(b.short))); err != nil {
		return err
	}
	b.long = link.NewWhole(len(b.short))
	copy(b.long.Data(), b.short)
	b.short = nil
	return b.hold(link.WholeBytes(len(b.long.Data())))
}

// hold makes n bytes of the account this body's.
func (b *buffered) hold(n int) error {
	if n > b.taken && !b.memory.Take(n-b.taken) {
		return ErrOverloaded
	}
	if n < b.taken {
		b.memory.Give(b.taken - n)
	}
	b.taken = n
	return nil
}

// growing counts a body while it is read into a buffer that grows by a quarter: for a moment there are two.
type growing struct {
	io.ReadCloser
	buffered *buffered
	read     int
}

func (g *growing) Read(p []byte) (int, error) {
	n, err := g.ReadCloser.Read(p)
	g.read += n
	if held := g.buffered.hold(max(g.buffered.taken, g.read*5/2)); held != nil {
		return n, held
	}
	return n, err
}

// release gives the memory back; calling it twice, or for no body, is fine.
func (b *buffered) release() {
	if b == nil {
		return
	}
	if b.long != nil {
		b.long.Release()
	}
	b.memory.Give(b.taken)
	b.taken = 0
}
