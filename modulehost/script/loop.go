package script

import "sync"

// loop runs functions one after the other, in the order in which they are posted. The functions own the
// engine.
type loop struct {
	mu     sync.Mutex
	queue  []func()
	closed bool
	wake   chan struct{} // one element: the queue may have something
	ended  chan struct{}
}

func newLoop() *loop {
	l := &loop{wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go l.serve()
	return l
}

// post appends a function. It never waits, and drops the function when the loop is closed.
func (l *loop) post(f func()) {
	l.mu.Lock()
	if !l.closed {
		l.queue = append(l.queue, f)
	}
	l.mu.Unlock()
	l.signal()
}

func (l *loop) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *loop) serve() {
	defer close(l.ended)
	for range l.wake {
		for {
			l.mu.Lock()
			batch, closed := l.queue, l.closed
			l.queue = nil
			l.mu.Unlock()
			if closed {
				return
			}
			if len(batch) == 0 {
				break
			}
			for _, f := range batch {
				f()
			}
		}
	}
}

// close ends the loop after the function that runs now, and waits for that.
func (l *loop) close() {
	l.mu.Lock()
	l.closed, l.queue = true, nil
	l.mu.Unlock()
	l.signal()
	<-l.ended
}
