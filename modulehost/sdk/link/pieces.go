package link

import (
	"encoding/binary"
	"io"
	"sync"
)

// A body travels on a socket of its own as pieces: u8 kind, u24 length (little-endian), bytes. Exactly one
// ending is the last.

// pieceKind is the first byte of a piece. Numbers are part of docs/link.md.
type pieceKind uint8

const (
	nothing       pieceKind = 0
	pieceData     pieceKind = 1
	pieceFlush    pieceKind = 2 // no bytes: the host passes everything it has received on at once
	pieceEnd      pieceKind = 3 // the body is whole
	pieceAbort    pieceKind = 4 // the rest does not come
	pieceOverflow pieceKind = 5 // of a request: it is longer than its route allows, and the rest does not come
	pieceShared   pieceKind = 6 // its bytes lie in the next slot of the lane
	pieceFreed    pieceKind = 7 // its length is how many slots of the other direction are free again
)

const (
	pieceHead = 4
	// MaxPiece is the largest piece in bytes.
	MaxPiece = 1 << 20
	// PieceBuffer is what the host and the Go SDK send at a time in bytes (measured: with 64 KiB a response of
	// 1 MiB takes a third more).
	PieceBuffer = 256 << 10
	// ShortBody in bytes has buffers of its own, for most bodies are short. An SDK's response begins to leave
	// when it is longer.
	ShortBody = 64 << 10
	// SharedBody in bytes is the shortest response that a lane is for (measured: one of 32 KiB gains nothing).
	SharedBody = 48 << 10
)

// Why a body ended before its end.
const (
	// ErrBodyAborted: the sender of the body gave up.
	ErrBodyAborted = Error("BODY_ABORTED")
	// ErrBodyOverflow: the body is longer than its route allows.
	ErrBodyOverflow = Error("BODY_TOO_LARGE")
)

func putPieceHead(b []byte, kind pieceKind, length int) {
	binary.LittleEndian.PutUint32(b, uint32(kind)|uint32(length)<<8)
}

// heads is the head that is being received. It is the socket's and not a body's: who looks for freed slots
// may find the head of a body.
type heads struct {
	b    [pieceHead]byte
	have int
}

// fill reads the rest of a head.
func (h *heads) fill(from io.Reader) error {
	for h.have < pieceHead {
		n, err := from.Read(h.b[h.have:])
		if h.have += n; n == 0 && err != nil {
			return lost(err)
		}
	}
	return nil
}

func (h *heads) head() (pieceKind, int) {
	head := binary.LittleEndian.Uint32(h.b[:])
	return pieceKind(head), int(head >> 8)
}

func appendPieceHead(b []byte, kind pieceKind, length int) []byte {
	return binary.LittleEndian.AppendUint32(b, uint32(kind)|uint32(length)<<8)
}

// pieceReader reads one body. It keeps no bytes and reads none behind the ending, so the next body on the
// socket is untouched: with the bytes of a piece it asks for the head behind them, which belongs to the
// same body.
type pieceReader struct {
	socket *Socket
	from   io.Reader
	reply  func(freed []byte) error

	left  int    // of a data piece under way
	slot  []byte // what is left of a shared one
	holds bool   // a slot, which is done with the next read
	flush bool   // what Read returned last ends with a flush
	err   error  // sticks
}

// Read reads at most to the end of a piece, and nothing where a flush comes first. io.EOF is a whole body;
// see also ErrBodyAborted and ErrBodyOverflow.
func (r *pieceReader) Read(p []byte) (int, error) {
	if err := r.prepare(); err != nil {
		return 0, err
	}
	if len(r.slot) == 0 || r.left > 0 {
		return r.readData(p)
	}
	n := copy(p, r.slot)
	r.slot = r.slot[n:]
	return n, nil
}

// next is Read for who takes a shared piece where it lies, until the next call.
func (r *pieceReader) next(p []byte) ([]byte, error) {
	if err := r.prepare(); err != nil {
		return nil, err
	}
	if len(r.slot) == 0 || r.left > 0 {
		n, err := r.readData(p)
		return p[:n], err
	}
	b := r.slot
	r.slot = nil
	return b, nil
}

// prepare returns with bytes to read, after a flush, or with how the body ended.
func (r *pieceReader) prepare() error {
	r.flush = false
	if r.left > 0 || len(r.slot) > 0 {
		return nil
	}
	if r.holds {
		r.holds = false
		if freed := r.socket.lane.done(); freed != nil {
			if err := r.reply(freed); err != nil {
				r.err = lost(err)
			}
		}
	}
	if r.err != nil {
		return r.err
	}
	return r.readHead()
}

func (r *pieceReader) readData(p []byte) (int, error) {
	if r.left == 0 || len(p) == 0 {
		return 0, nil
	}
	if len(p) >= r.left+pieceHead {
		p = p[:r.left+pieceHead]
	} else {
		p = p[:min(len(p), r.left)]
	}
	n, err := r.from.Read(p)
	in := &r.socket.in
	if over := n - r.left; over > 0 {
		in.have = copy(in.b[:], p[r.left:n])
		n = r.left
	}
	r.left -= n
	switch {
	case in.have == pieceHead:
		r.parse()
	case n == 0 && err != nil:
		return 0, lost(err)
	}
	return n, nil
}

func (r *pieceReader) readHead() error {
	for r.left == 0 && !r.flush && !r.holds {
		if err := r.socket.in.fill(r.from); err != nil {
			return err
		}
		if r.parse(); r.err != nil {
			return r.err
		}
	}
	return nil
}

// parse keeps an ending, or an offence, as err.
func (r *pieceReader) parse() {
	kind, length := r.socket.in.head()
	r.socket.in.have = 0
	switch {
	case kind == pieceData && 0 < length && length <= MaxPiece:
		r.left = length
	case kind == pieceShared:
		if r.slot, r.holds = r.socket.lane.received(length); !r.holds {
			r.err = lost(errPiece)
		}
	case kind == pieceFreed && r.socket.lane.free(length):
	case length > 0:
		r.err = lost(errPiece)
	case kind == pieceFlush:
		r.flush = true
	case kind == pieceEnd:
		r.err = io.EOF
	case kind == pieceAbort:
		r.err = ErrBodyAborted
	case kind == pieceOverflow:
		r.err = ErrBodyOverflow
	default:
		r.err = lost(errPiece)
	}
}

// ended tells whether the ending was read: the socket then is free for the next body.
func (r *pieceReader) ended() bool {
	return r.err == io.EOF || r.err == ErrBodyAborted || r.err == ErrBodyOverflow
}

// drain reads to the ending.
func (r *pieceReader) drain() {
	if r.ended() {
		return
	}
	b := buffers.Get().(*buffer)
	defer buffers.Put(b)
	for {
		if _, err := r.next(*b); err != nil {
			return
		}
	}
}

// buffer holds a piece between two heads: its own, and an ending behind it, so that one write carries all
// three.
type buffer []byte

var (
	buffers = sync.Pool{New: func() any { return newBuffer(PieceBuffer) }}
	shorts  = sync.Pool{New: func() any { return newBuffer(ShortBody) }}
	wholes  = sync.Pool{New: func() any { return newBuffer(MaxPiece) }}
)

func newBuffer(size int) *buffer {
	b := make(buffer, pieceHead+size+pieceHead)
	return &b
}

// poolFor is where buffers come from that hold so many bytes, at most MaxPiece.
func poolFor(bytes int) *sync.Pool {
	switch BufferedBodyBytes(bytes) {
	case ShortBody:
		return &shorts
	case PieceBuffer:
		return &buffers
	}
	return &wholes
}

func (b buffer) data() []byte { return b[pieceHead : len(b)-pieceHead] }

// piece frames the first n bytes of data.
func (b buffer) piece(n int) []byte {
	putPieceHead(b[:], pieceData, n)
	return b[:pieceHead+n]
}

// last frames the first n bytes of data, which may be none, and what has no bytes of its own behind them, if
// anything.
func (b buffer) last(n int, behind pieceKind) []byte {
	if behind == nothing {
		return b.piece(n)
	}
	putPieceHead(b[pieceHead+n:], behind, 0)
	if n == 0 {
		return b[pieceHead : 2*pieceHead]
	}
	putPieceHead(b[:], pieceData, n)
	return b[:pieceHead+n+pieceHead]
}
