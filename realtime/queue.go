package realtime

import "sync"

// boundedQueue is the inbox of an actor. It accepts every message that is not an update, because their number
// is bounded by the requests and calls of the process. For updates it has two limits. An update of this
// process is dropped if there is no room, because a publisher never waits. An update of another process waits
// for room, so that a backlog displaces nothing.
type boundedQueue[T any] struct {
	wake chan struct{} // has a value if the queue is not empty
	room chan struct{} // has a value if there may be room again; one goroutine waits for it

	mu         sync.Mutex
	open       bool
	queue      []T
	own        load
	others     load
	most       load
	overflowed bool // an update of this process was dropped since the last take
}

// load is a number of updates and of their bytes.
type load struct{ updates, bytes int }

// full reports whether one more update would exceed most.
func (l load) full(size int, most load) bool {
	return l.updates >= most.updates || l.bytes+size > most.bytes
}

func (l *load) add(size int) {
	l.updates++
	l.bytes += size
}

func newBoundedQueue[T any](most load) *boundedQueue[T] {
	return &boundedQueue[T]{wake: make(chan struct{}, 1), room: make(chan struct{}, 1), most: most}
}

// put queues m. It returns false if the inbox is closed.
func (b *boundedQueue[T]) put(m T) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open {
		b.queue = append(b.queue, m)
		signal(b.wake)
	}
	return b.open
}

// putUpdate is put for an update of this process. If it does not fit, this and every further update is
// dropped until the inbox is emptied; take reports that. It returns false if m is not queued.
func (b *boundedQueue[T]) putUpdate(m T, size int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.open {
		return false
	}
	signal(b.wake)
	if b.overflowed = b.overflowed || b.own.full(size, b.most); b.overflowed {
		return false
	}
	b.queue = append(b.queue, m)
	b.own.add(size)
	return true
}

// deliver is put for an update of another process. It waits for room until the inbox is closed. Only one
// goroutine may call it. It returns false if the inbox is closed.
func (b *boundedQueue[T]) deliver(m T, size int) bool {
	for {
		if queued, closed := b.tryDeliver(m, size); queued || closed {
			return queued
		}
		<-b.room
	}
}

func (b *boundedQueue[T]) tryDeliver(m T, size int) (queued, closed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.open {
		return false, true
	}
	if b.others.full(size, b.most) {
		return false, false
	}
	b.queue = append(b.queue, m)
	b.others.add(size)
	signal(b.wake)
	return true, false
}

// crowded reports whether the updates of this process use more than half of their limit.
func (b *boundedQueue[T]) crowded() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.own.updates > b.most.updates/2 || b.own.bytes > b.most.bytes/2
}

// take empties the inbox and returns the messages. emptied is a slice of an earlier take, which is reused.
func (b *boundedQueue[T]) take(emptied []T) (queue []T, overflowed bool) {
	clear(emptied)
	b.mu.Lock()
	defer b.mu.Unlock()
	queue, overflowed = b.queue, b.overflowed
	b.queue, b.own, b.others, b.overflowed = emptied[:0], load{}, load{}, false
	signal(b.room)
	return queue, overflowed
}

// begin opens the inbox; end closes it and returns the remaining messages.
func (b *boundedQueue[T]) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = true
}

func (b *boundedQueue[T]) end() []T {
	b.mu.Lock()
	b.open = false
	b.mu.Unlock()
	queue, _ := b.take(nil)
	return queue
}

// signal puts a value into a channel of capacity one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
