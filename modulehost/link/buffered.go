package link

// Whole is a request's body in the host's memory, with room around it for what frames it: it leaves with
// one write, and its memory serves the next one (measured: with memory of its own for each, a body of 1 MiB
// takes twice as long). Not for concurrent use.
type Whole struct {
	b *buffer
	n int
}

// NewWhole takes memory for a body of n bytes, at most MaxPiece. Release must follow.
func NewWhole(n int) *Whole { return &Whole{poolFor(n).Get().(*buffer), n} }

// WholeBytes is the memory that NewWhole takes for a body of n bytes.
func WholeBytes(n int) int {
	switch {
	case n <= ShortBody:
		return ShortBody
	case n <= PieceBuffer:
		return PieceBuffer
	}
	return MaxPiece
}

// Data is to be filled in. It holds what an earlier body left there.
func (w *Whole) Data() []byte { return w.b.data()[:w.n] }

// Release gives the memory back, once; w is of no use any more.
func (w *Whole) Release() {
	if w.b != nil {
		poolFor(len(w.b.data())).Put(w.b)
		w.b = nil
	}
}
