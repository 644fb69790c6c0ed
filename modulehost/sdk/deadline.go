package sdk

import (
	"context"
	"sync"
	"time"

	"github.com/narthex-platform/narthex/modulehost/abi"
)

// times are how long the platform waits for a module (docs/link.md).
type times struct {
	// from the end of the request's body to the beginning of the answer, and from piece to piece of it
	answer time.Duration
	body   time.Duration // for a streamed request's body
	brief  time.Duration // of a snapshot, and of a capability's method
}

func platformTimes() times {
	return times{answer: 30 * time.Second, body: 30 * time.Second, brief: abi.CapabilityWithin}
}

const (
	// answerTime is left to a handler whose context has ended, so that it and not the platform says what went
	// wrong.
	answerTime = 2 * time.Second
	// callMargin is what a call to the platform leaves of the context: a call that fails late is told to a
	// handler that still has one.
	callMargin = time.Second
)

// deadlines ends the contexts of handlers, all with one timer: it is left alone while it would ring too
// early, and hardly any deadline passes (measured for the link: a timer for each call wakes a thread that
// has nothing to do).
type deadlines struct {
	mu    sync.Mutex
	timer *time.Timer
	rings time.Time // zero: the timer is off
	held  map[*handlerContext]struct{}
}

// handlerContext is a handler's context. Its deadline can move: it begins anew when the request's body has
// ended, and with each piece of a long response.
type handlerContext struct {
	context.Context // the call's, which ends when the platform cancels it
	deadlines       *deadlines
	unfollow        func() bool
	until           time.Time // guarded by the deadlines' lock, as is left
	left            bool

	done  chan struct{}
	mu    sync.Mutex
	err   error // not nil: done is closed
	next  int
	after map[int]func()
}

// begin makes a context that ends within, at the latest. leave must be called.
func (d *deadlines) begin(call context.Context, within time.Duration) *handlerContext {
	b := &handlerContext{Context: call, deadlines: d, done: make(chan struct{})}
	b.unfollow = context.AfterFunc(call, func() { b.end(call.Err()) })
	b.endWithin(within)
	return b
}

// endWithin moves the deadline, unless the handler has returned.
func (b *handlerContext) endWithin(within time.Duration) {
	d := b.deadlines
	d.mu.Lock()
	defer d.mu.Unlock()
	if b.left {
		return
	}
	b.until = time.Now().Add(within)
	if d.held == nil {
		d.held = make(map[*handlerContext]struct{})
	}
	d.held[b] = struct{}{}
	d.wake(b.until)
}

// leave ends the context: its handler has returned.
func (b *handlerContext) leave() {
	b.deadlines.mu.Lock()
	b.left = true
	delete(b.deadlines.held, b)
	b.deadlines.mu.Unlock()
	b.unfollow()
	b.end(context.Canceled)
}

// wake sees that the timer rings by then. It is called with the lock held.
func (d *deadlines) wake(by time.Time) {
	if !d.rings.IsZero() && !by.Before(d.rings) {
		return
	}
	d.rings = by
	if d.timer == nil {
		d.timer = time.AfterFunc(time.Until(by), d.ring)
	} else {
		d.timer.Reset(time.Until(by))
	}
}

func (d *deadlines) ring() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rings = time.Time{}
	now := time.Now()
	for b := range d.held {
		if now.Before(b.until) {
			d.wake(b.until)
			continue
		}
		delete(d.held, b)
		b.end(context.DeadlineExceeded)
	}
}

func (d *deadlines) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
	}
}

func (b *handlerContext) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return
	}
	b.err = err
	close(b.done)
	for _, f := range b.after {
		go f()
	}
	b.after = nil
}

// Deadline is when the context ends if nothing moves it.
func (b *handlerContext) Deadline() (time.Time, bool) {
	b.deadlines.mu.Lock()
	defer b.deadlines.mu.Unlock()
	return b.until, true
}

// Done is closed when the context has ended.
func (b *handlerContext) Done() <-chan struct{} { return b.done }

// Err is why it has ended.
func (b *handlerContext) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// AfterFunc spares contexts that are derived from this one a goroutine each (context.AfterFunc).
func (b *handlerContext) AfterFunc(f func()) (stop func() bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		go f()
		return func() bool { return false }
	}
	if b.after == nil {
		b.after = make(map[int]func())
	}
	b.next++
	id := b.next
	b.after[id] = f
	return func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		_, waits := b.after[id]
		delete(b.after, id)
		return waits
	}
}

// handlerKey finds the handler's context in those derived from it.
type handlerKey struct{}

// Value has itself, and what the call's context has.
func (b *handlerContext) Value(key any) any {
	if key == (handlerKey{}) {
		return b
	}
	return b.Context.Value(key)
}
