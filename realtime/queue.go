package realtime

import "sync"

// boundedQueue is the queue in front of an actor. It holds every message that is no update, whose number is
// bounded by the requests and calls of the process, and two loads of updates: what this process publishes
// is dropped when there is no room, because a publisher never waits; what comes from other processes waits
// for room, so that a backlog pushes nothing out.
type boundedQueue[T any] struct {
	wake chan struct{} // has a value when there is something to take
	room chan struct{} // has a value when there may be room again, for one goroutine

	mu         sync.Mutex
	open       bool
	queue      []T
	own        load
	others     load
	most       load
	overflowed bool // an update of this process was dropped since the last take
}

// load is an amount of updates.
type load struct{ updates, bytes int }

// full tells whether one more update would pass most.
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

// put queues m; false when the inbox is closed.
func (b *boundedQueue[T]) put(m T) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open {
		b.queue = append(b.queue, m)
		signal(b.wake)
	}
	return b.open
}

// putUpdate is put for an update of this process. What does not fit is dropped, and with it every further
// one until the inbox has been emptied; take tells of it. False: m is not queued.
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

// deliver is put for an update of another process. It waits for room until the inbox is closed, and is
// called by one goroutine. False: the inbox is closed.
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

// crowded tells whether the updates of this process take more than half of their room.
func (b *boundedQueue[T]) crowded() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.own.updates > b.most.updates/2 || b.own.bytes > b.most.bytes/2
}

// take empties the inbox. emptied is a slice of an earlier take, to be used again.
func (b *boundedQueue[T]) take(emptied []T) (queue []T, overflowed bool) {
	clear(emptied)
	b.mu.Lock()
	defer b.mu.Unlock()
	queue, overflowed = b.queue, b.overflowed
	b.queue, b.own, b.others, b.overflowed = emptied[:0], load{}, load{}, false
	signal(b.room)
	return queue, overflowed
}

// begin lets messages in; end lets none in and returns what was left.
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

// signal leaves a value in a channel of one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
