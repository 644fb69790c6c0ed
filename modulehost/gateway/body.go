package gateway

import (
	"errors"
	"io"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// bufferedBody is a request's whole body in memory, counted in the module's account until release.
type bufferedBody struct {
	short []byte             // sent with the call
	long  *link.BufferedBody // sent on a socket; nil: the body is short, or in a lane
	lane  *link.LaneBody     // its lane, whose memory is not counted in the account, as for responses
	counted
}

// counted is how much of a body is in memory, as the module's account counts it.
type counted struct {
	memory   link.Memory // the account
	reserved int         // bytes
}

// reserve extends the reservation in the account to n bytes. It returns ErrOverloaded if it has no room.
func (r *counted) reserve(n int) error {
	if n > r.reserved && !r.memory.Reserve(n-r.reserved) {
		return ErrOverloaded
	}
	if n < r.reserved {
		r.memory.Release(r.reserved - n)
	}
	r.reserved = n
	return nil
}

// release may be called twice.
func (r *counted) release() { _ = r.reserve(0) }

// read reads a buffered body into memory, and reserves its memory in the account before that. It returns
// ErrOverloaded if the account has no room.
func (r *route) read(c *httpapi.Call) (*bufferedBody, error) {
	b := &bufferedBody{counted: counted{memory: r.memory}}
	err := b.fill(c, r.module.Process)
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

func (b *bufferedBody) fill(c *httpapi.Call, process Process) (err error) {
	declared := c.Request.ContentLength
	if declared >= link.SharedBody {
		b.lane = process.TakeLane(int(declared))
	}
	switch {
	case b.lane != nil:
		return b.lane.Fill(c.FillBody)
	case declared > abi.MaxInline:
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

// fillChunked reads a body of unknown length. It reserves memory while the body grows. If it reserved the
// longest body at once, some thirty senders would fill the account, however little they send.
func (b *bufferedBody) fillChunked(c *httpapi.Call) (err error) {
	body := c.Request.Body
	c.Request.Body = &countingBody{ReadCloser: body, buffered: b}
	b.short, err = c.ReadBody()
	c.Request.Body = body
	if err != nil || len(b.short) <= abi.MaxInline {
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

// countingBody reserves memory while a body is read into a buffer that grows by a quarter each time. While
// the buffer grows, the old and the new one both exist.
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

// release releases the memory. It may be called twice, and on nil.
func (b *bufferedBody) release() {
	if b == nil {
		return
	}
	if b.long != nil {
		b.long.Release()
	}
	if b.lane != nil {
		b.lane.Release()
	}
	b.counted.release()
}
