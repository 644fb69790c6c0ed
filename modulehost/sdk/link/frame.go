package link

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
)

// kind is the second field of a frame. Numbers are part of docs/link.md.
type kind uint8

const (
	kindCall     kind = 1
	kindResponse kind = 2
	kindFailure  kind = 3
	kindCancel   kind = 4
	kindPing     kind = 5
	kindPong     kind = 6
	kindLend     kind = 7 // caller: lends a body socket to this call; the method byte is its descriptor
	kindWant     kind = 8 // server: the call's handler begins to read the request's body
)

// bodyFollows is the method byte of a response whose body is sent on the call's socket. The call stays in
// service until the body's ending.
const bodyFollows Method = 1

// A frame begins with u32 length of the rest, u8 kind, u8 method, u32 call id, little-endian.
const (
	lengthBytes = 4
	headBytes   = lengthBytes + 1 + 1 + 4
	maxFrame    = headBytes + MaxMessage
	smallFrame  = 64 << 10
)

type frame struct {
	kind    kind
	method  Method
	id      uint32
	payload []byte // valid until the next frame is read
}

func appendHead(b []byte, f frame, payload int) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(headBytes-lengthBytes+payload))
	b = append(b, byte(f.kind), byte(f.method))
	return binary.LittleEndian.AppendUint32(b, f.id)
}

// frameReader reads frames into one buffer. Its memory is bounded by the largest frame, whatever length a
// peer sends.
type frameReader struct {
	conn       net.Conn
	small, buf []byte // buf is small, or a large one for a long frame
	start, end int
	large      sync.Pool // emptied by the garbage collector, so a link does not keep a rare large buffer
}

func newFrameReader(conn net.Conn) *frameReader {
	small := make([]byte, smallFrame)
	return &frameReader{conn: conn, small: small, buf: small}
}

// next returns io.EOF only between two frames.
func (r *frameReader) next() (frame, error) {
	if err := r.fill(headBytes); err != nil {
		return frame{}, err
	}
	length := binary.LittleEndian.Uint32(r.buf[r.start:])
	if length < headBytes-lengthBytes || length > maxFrame-lengthBytes {
		return frame{}, errFrameLength
	}
	total := lengthBytes + int(length)
	if err := r.fill(total); err != nil {
		return frame{}, err
	}
	b := r.buf[r.start : r.start+total : r.start+total]
	r.start += total
	return frame{
		kind:    kind(b[4]),
		method:  Method(b[5]),
		id:      binary.LittleEndian.Uint32(b[6:]),
		payload: b[headBytes:],
	}, nil
}

// fill reads until there are n bytes at start.
func (r *frameReader) fill(n int) error {
	if r.end-r.start >= n {
		return nil
	}
	r.makeRoom(n)
	for r.end < n {
		m, err := r.conn.Read(r.buf[r.end:])
		r.end += m
		if err != nil && r.end < n {
			if err == io.EOF && r.end > 0 {
				return io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}

// makeRoom moves the remaining bytes, always fewer than n, to the front of a buffer for n bytes.
func (r *frameReader) makeRoom(n int) {
	rest, old := r.buf[r.start:r.end], r.buf
	switch {
	case n <= len(r.small):
		r.buf = r.small
	case len(r.buf) < n:
		large, ok := r.large.Get().(*[maxFrame]byte)
		if !ok {
			large = new([maxFrame]byte)
		}
		r.buf = large[:]
	}
	r.start, r.end = 0, copy(r.buf, rest)
	if len(old) > len(r.buf) {
		r.large.Put((*[maxFrame]byte)(old))
	}
}
