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
	kindLend     kind = 7 // caller: its method byte is the descriptor of a body socket for this call
	kindWant     kind = 8 // server: the call's handler begins to read the request's body
)

// bodyFollows is the method byte of a response whose body comes on the call's socket. The call stays in
// service until the ending.
const bodyFollows Method = 1

// A frame begins with u32 length of what follows, u8 kind, u8 method, u32 call id, little-endian.
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

// frameReader reads frame after frame out of one buffer. Its memory is bounded by the largest frame, whatever
// a peer claims.
type frameReader struct {
	conn       net.Conn
	small, buf []byte // buf is small, or a large one while a long frame is under way
	start, end int
	memory     Memory    // knows of a large one
	large      sync.Pool // emptied by the collector, so a link that once saw a giant does not keep it
}

func newFrameReader(conn net.Conn, memory Memory) *frameReader {
	small := make([]byte, smallFrame)
	memory.Add(smallFrame)
	return &frameReader{conn: conn, small: small, buf: small, memory: memory}
}

// release gives the memory back. It is called when no goroutine reads any more.
func (r *frameReader) release() { r.memory.Release(len(r.buf)) }

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

// more tells whether bytes of a further frame have been read.
func (r *frameReader) more() bool { return r.end > r.start }

// fill reads until n bytes lie at start.
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

// makeRoom moves what is left, always less than n, to the front of a buffer that holds n bytes.
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
	if len(r.buf) != len(old) {
		r.memory.Add(len(r.buf) - len(old))
	}
	r.start, r.end = 0, copy(r.buf, rest)
	if len(old) > len(r.buf) {
		r.large.Put((*[maxFrame]byte)(old))
	}
}
