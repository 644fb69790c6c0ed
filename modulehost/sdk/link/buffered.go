package link

// BufferedBody is a request's body in the host's memory, with room around it for its framing. It is sent with
// one write, and its memory is reused (measured: with new memory for each, a body of 1 MiB takes twice as
// long). It is not safe for concurrent use.
type BufferedBody struct {
	b *buffer
	n int
}

// NewBufferedBody allocates memory for a body of n bytes, at most MaxPiece. Release must follow.
func NewBufferedBody(n int) *BufferedBody { return &BufferedBody{poolFor(n).Get().(*buffer), n} }

// BufferedBodyBytes returns how much memory NewBufferedBody allocates for a body of n bytes.
func BufferedBodyBytes(n int) int {
	switch {
	case n <= ShortBody:
		return ShortBody
	case n <= PieceBuffer:
		return PieceBuffer
	}
	return MaxPiece
}

// Data returns the memory for the body. It contains bytes of an earlier body until it is filled.
func (w *BufferedBody) Data() []byte { return w.b.data()[:w.n] }

// Release returns the memory to the pool. Afterwards w must not be used, except for another Release, which
// does nothing.
func (w *BufferedBody) Release() {
	if w.b != nil {
		poolFor(len(w.b.data())).Put(w.b)
		w.b = nil
	}
}
