package link

// BufferedBody is a request's body in the host's memory, with room around it for what frames it: it leaves
// with one write, and its memory serves the next one (measured: with memory of its own for each, a body of 1
// MiB takes twice as long). Not for concurrent use.
type BufferedBody struct {
	b *buffer
	n int
}

// NewBufferedBody takes memory for a body of n bytes, at most MaxPiece. Release must follow.
func NewBufferedBody(n int) *BufferedBody { return &BufferedBody{poolFor(n).Get().(*buffer), n} }

// BufferedBodyBytes is the memory that NewBufferedBody takes for a body of n bytes.
func BufferedBodyBytes(n int) int {
	switch {
	case n <= ShortBody:
		return ShortBody
	case n <= PieceBuffer:
		return PieceBuffer
	}
	return MaxPiece
}

// Data is to be filled in. It holds what an earlier body left there.
func (w *BufferedBody) Data() []byte { return w.b.data()[:w.n] }

// Release gives the memory back. w must not be used afterwards, except for another Release, which does
// nothing.
func (w *BufferedBody) Release() {
	if w.b != nil {
		poolFor(len(w.b.data())).Put(w.b)
		w.b = nil
	}
}
