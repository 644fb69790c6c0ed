package realtime

import "sync"

// box is the bounded way into an actor: whoever puts never waits. It holds everything that is no update, which is bounded by the
// requests and calls of the process, and updates up to a number and size.
type box[T any] struct {
	wake chan struct{} // has a value when there is something to take

	mu          sync.Mutex
	open        bool
	queue       []T
	updates     int
	bytes       int
	overflowed  bool
	most, roomy int // updates, bytes
}

func newBox[T any](most, roomy int) *box[T] {
	return &box[T]{wake: make(chan struct{}, 1), most: most, roomy: roomy}
}

// put queues m; false when nobody takes any more.
func (b *box[T]) put(m T) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open {
		b.queue = append(b.queue, m)
		b.signal()
	}
	return b.open
}

// putUpdate is put for an update of a size. What does not fit is dropped, and with it every further one until the box has been
// emptied: whoever takes is told.
func (b *box[T]) putUpdate(m T, size int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.open {
		return false
	}
	b.signal()
	if b.overflowed = b.overflowed || b.updates >= b.most || b.bytes+size > b.roomy; b.overflowed {
		return false
	}
	b.queue = append(b.queue, m)
	b.updates++
	b.bytes += size
	return true
}

// take empties the box. emptied is a slice of an earlier take, to be used again.
func (b *box[T]) take(emptied []T) (queue []T, overflowed bool) {
	clear(emptied)
	b.mu.Lock()
	defer b.mu.Unlock()
	queue, overflowed = b.queue, b.overflowed
	b.queue, b.updates, b.bytes, b.overflowed = emptied[:0], 0, 0, false
	return queue, overflowed
}

// begin lets messages in; end lets none in and returns what was left.
func (b *box[T]) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = true
}

func (b *box[T]) end() []T {
	b.mu.Lock()
	b.open = false
	b.mu.Unlock()
	queue, _ := b.take(nil)
	return queue
}

func (b *box[T]) signal() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}
