package update

import "sync"

// Queue contains the messages that wait for an actor: the inbox of a hub, and the outbox of a link of the
// backplane. It accepts every message that is not an update, because their number is bounded by the requests
// and calls of the process. For updates it has two limits. An update of this process is dropped if there is
// no room, because a publisher never waits. An update of another process waits for room, so that a backlog
// displaces nothing.
type Queue[T any] struct {
	wake chan struct{} // has a value if the queue is not empty
	room chan struct{} // has a value if there may be room again; one goroutine waits for it

	mu         sync.Mutex
	open       bool
	queue      []T
	own        Load
	others     Load
	most       Load
	overflowed bool // an update of this process was dropped since the last Take
}

// Load is a number of updates and of their bytes.
type Load struct{ Updates, Bytes int }

// full reports whether one more update would exceed most.
func (l Load) full(size int, most Load) bool {
	return l.Updates >= most.Updates || l.Bytes+size > most.Bytes
}

func (l *Load) add(size int) {
	l.Updates++
	l.Bytes += size
}

// NewQueue returns a closed queue that holds at most most updates of this process, and as many of others.
func NewQueue[T any](most Load) *Queue[T] {
	return &Queue[T]{wake: make(chan struct{}, 1), room: make(chan struct{}, 1), most: most}
}

// Put queues m. It returns false if the queue is closed.
func (b *Queue[T]) Put(m T) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open {
		b.queue = append(b.queue, m)
		Notify(b.wake)
	}
	return b.open
}

// PutUpdate is Put for an update of this process. If it does not fit, this and every further update is
// dropped until the queue is emptied; Take reports that. It returns false if m is not queued.
func (b *Queue[T]) PutUpdate(m T, size int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.open {
		return false
	}
	Notify(b.wake)
	if b.overflowed = b.overflowed || b.own.full(size, b.most); b.overflowed {
		return false
	}
	b.queue = append(b.queue, m)
	b.own.add(size)
	return true
}

// Deliver is Put for an update of another process. It waits for room until the queue is closed. Only one
// goroutine may call it. It returns false if the queue is closed.
func (b *Queue[T]) Deliver(m T, size int) bool {
	for {
		if queued, closed := b.tryDeliver(m, size); queued || closed {
			return queued
		}
		<-b.room
	}
}

func (b *Queue[T]) tryDeliver(m T, size int) (queued, closed bool) {
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
	Notify(b.wake)
	return true, false
}

// Crowded reports whether the updates of this process use more than half of their limit.
func (b *Queue[T]) Crowded() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.own.Updates > b.most.Updates/2 || b.own.Bytes > b.most.Bytes/2
}

// Take empties the queue and returns the messages. emptied is a slice of an earlier Take, which is reused.
func (b *Queue[T]) Take(emptied []T) (queue []T, overflowed bool) {
	clear(emptied)
	b.mu.Lock()
	defer b.mu.Unlock()
	queue, overflowed = b.queue, b.overflowed
	b.queue, b.own, b.others, b.overflowed = emptied[:0], Load{}, Load{}, false
	Notify(b.room)
	return queue, overflowed
}

// Begin opens the queue.
func (b *Queue[T]) Begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = true
}

// End closes the queue and returns the remaining messages.
func (b *Queue[T]) End() []T {
	b.mu.Lock()
	b.open = false
	b.mu.Unlock()
	queue, _ := b.Take(nil)
	return queue
}

// Wake returns a channel that has a value if the queue is not empty, or after Signal.
func (b *Queue[T]) Wake() <-chan struct{} { return b.wake }

// Signal makes the actor look at the queue.
func (b *Queue[T]) Signal() { Notify(b.wake) }

// Notify puts a value into a channel of capacity one, unless it has one.
func Notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
