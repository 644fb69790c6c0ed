package gateway

import (
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
// there is none: then nothing was read.
func (r *route) read(c *httpapi.Call) (*buffered, error) {
	b := &buffered{memory: r.memory}
	declared := c.Request.ContentLength
	switch {
	case declared > inline:
		b.taken = link.WholeBytes(int(declared))
	case declared >= 0:
		b.taken = int(declared)
	default: // chunked: it grows while it is read
		b.taken = 2 * link.WholeBytes(int(r.limit))
	}
	if !b.memory.Take(b.taken) {
		b.taken = 0
		c.CancelBody()
		return nil, ErrOverloaded
	}
	if err := b.fill(c); err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}

func (b *buffered) fill(c *httpapi.Call) (err error) {
	if declared := c.Request.ContentLength; declared > inline {
		b.long = link.NewWhole(int(declared))
		return c.FillBody(b.long.Data())
	}
	if b.short, err = c.ReadBody(); len(b.short) > inline {
		b.long = link.NewWhole(len(b.short))
		copy(b.long.Data(), b.short)
		b.short = nil
	}
	return err
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
