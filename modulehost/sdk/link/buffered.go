package link

// BufferedBody is a request's body in the host's memory, with room around it for its framing. It is sent with
// one write. Its memory is reused, because new memory for each takes as long as sending it. It is not safe
// for concurrent use.
type BufferedBody struct {
	b *buffer
	n int
}

// NewBufferedBody allocates memory for a body of n bytes, at most MaxPiece. Release must follow.
func NewBufferedBody(n int) *BufferedBody { return &BufferedBody{buffers.take(n), n} }

// BufferedBodyBytes returns how much memory NewBufferedBody allocates for a body of n bytes.
func BufferedBodyBytes(n int) int { return bufferSizes[class(n)] }

// Data returns the memory for the body. It contains bytes of an earlier body until it is filled.
func (w *BufferedBody) Data() []byte { return w.b.data()[:w.n] }

// Room returns the memory with the room around it, for Exchange.Next: the head of the next piece fits behind
// the bytes of one. It is longer than the body.
func (w *BufferedBody) Room() []byte { return *w.b }

// Release returns the memory to the pool. Afterwards w must not be used, except for another Release, which
// does nothing.
func (w *BufferedBody) Release() {
	if w.b != nil {
		buffers.give(w.b)
		w.b = nil
	}
}
