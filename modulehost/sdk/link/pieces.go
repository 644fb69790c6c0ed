package link

import (
	"encoding/binary"
	"io"
)

// A body is sent on its own socket as pieces: u8 kind, u24 length (little-endian), bytes. The last piece is
// one ending.

// pieceKind is the first byte of a piece. Numbers are part of docs/link.md.
type pieceKind uint8

const (
	nothing       pieceKind = 0
	pieceData     pieceKind = 1
	pieceFlush    pieceKind = 2 // no bytes: the host sends everything that it has received at once
	pieceEnd      pieceKind = 3 // the body is complete
	pieceAbort    pieceKind = 4 // the rest will not be sent
	pieceOverflow pieceKind = 5 // of a request: it is longer than its route allows; the rest is not sent
	pieceShared   pieceKind = 6 // its bytes are in the next slot of the lane
	pieceFreed    pieceKind = 7 // its length is how many slots of the other direction are free again
)

const (
	pieceHead = 4
	// MaxPiece is the largest piece in bytes.
	MaxPiece = 1 << 20
	// PieceBuffer is how many bytes the host and the Go SDK send at a time. With smaller pieces a long body
	// takes longer.
	PieceBuffer = 256 << 10
	// ShortBody, in bytes, is the size of smaller buffers, because most bodies are short. An SDK begins to send
	// a response when it is longer.
	ShortBody = 64 << 10
	// SharedBody, in bytes, is the shortest body for which a lane is used. A shorter one takes no
	// less processor time there.
	SharedBody = 48 << 10
)

// Why a body is incomplete.
const (
	// ErrBodyAborted: the sender of the body has aborted it.
	ErrBodyAborted = Error("BODY_ABORTED")
	// ErrBodyOverflow: the body is longer than its route allows.
	ErrBodyOverflow = Error("BODY_TOO_LARGE")
)

func putPieceHead(b []byte, kind pieceKind, length int) {
	binary.LittleEndian.PutUint32(b, uint32(kind)|uint32(length)<<8)
}

// heads is the head that is being received. It belongs to the socket, not to a body, because a reader that
// waits for freed slots may find the head of a body.
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

// pieceReader reads one body. It keeps no bytes and reads nothing after the ending, so that the next body on
// the socket is not affected. Together with the bytes of a piece it reads the next head, which belongs to the
// same body.
type pieceReader struct {
	socket *Socket
	from   io.Reader
	reply  func(freed []byte) error

	left  int    // of the current data piece
	slot  []byte // the unread rest of a shared piece
	holds bool   // a slot is held, which the next read frees
	flush bool   // a flush follows the bytes of the last Read
	err   error  // once set it stays
}

// Read reads at most to the end of a piece, and returns no bytes if a flush comes first. It returns io.EOF at
// the end of a complete body; see also ErrBodyAborted and ErrBodyOverflow.
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

// next is Read without a copy of a shared piece. The bytes are valid until the next call.
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

// prepare returns when there are bytes to read, after a flush, or with the error with which the body has
// ended.
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

// parse stores an ending or a violation of the protocol as err.
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

// ended reports whether the ending was read. Then the socket is free for the next body.
func (r *pieceReader) ended() bool {
	return r.err == io.EOF || r.err == ErrBodyAborted || r.err == ErrBodyOverflow
}

// drain reads to the ending.
func (r *pieceReader) drain() {
	if r.ended() {
		return
	}
	b := buffers.take(PieceBuffer)
	defer buffers.give(b)
	for {
		if _, err := r.next(*b); err != nil {
			return
		}
	}
}
