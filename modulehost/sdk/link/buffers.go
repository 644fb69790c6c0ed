package link

import "sync"

// buffer has room for a piece between two heads: its own head, and the head of an ending after it, so that
// one write sends all three.
type buffer []byte

// buffers is the pool of the memory of all bodies in this process, those of the gateway too, in three sizes.
// The garbage collector empties it.
var buffers pool

type pool [len(bufferSizes)]sync.Pool

var bufferSizes = [...]int{ShortBody, PieceBuffer, MaxPiece}

// class returns the index of the smallest size with room for this many bytes, at most MaxPiece.
func class(bytes int) int {
	for i, size := range bufferSizes {
		if bytes <= size {
			return i
		}
	}
	return len(bufferSizes) - 1
}

// take returns a buffer for at least this many bytes. It contains bytes of an earlier body.
func (p *pool) take(bytes int) *buffer {
	i := class(bytes)
	if b, ok := p[i].Get().(*buffer); ok {
		return b
	}
	b := make(buffer, pieceHead+bufferSizes[i]+pieceHead)
	return &b
}

// give returns a buffer to the pool.
func (p *pool) give(b *buffer) { p[class(len(b.data()))].Put(b) }

func (b buffer) data() []byte { return b[pieceHead : len(b)-pieceHead] }

// piece frames the first n bytes of data.
func (b buffer) piece(n int) []byte {
	putPieceHead(b[:], pieceData, n)
	return b[:pieceHead+n]
}

// last frames the first n bytes of data, if n is not 0, and after them the piece behind, which has no bytes,
// unless it is nothing.
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
