package sdk

import (
	"context"
	"sync"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// timeouts are the times that the platform waits for a module (docs/link.md).
type timeouts struct {
	// from the end of the request's body to the beginning of the response, and between two pieces of it
	response time.Duration
	body     time.Duration // for a streamed request's body
	short    time.Duration // of a snapshot, and of a capability's method
}

func platformTimeouts() timeouts {
	return timeouts{response: 30 * time.Second, body: 30 * time.Second, short: abi.CapabilityWithin}
}

const (
	// responseMargin is the time between the end of a handler's context and the platform's own timeout. In it
	// the handler can still respond with the error.
	responseMargin = 2 * time.Second
	// callMargin is the time between the end of a handler's call to the platform and the end of the handler's
	// context. In it the handler can still react to the failure.
	callMargin = time.Second
)

// deadlines ends the contexts of handlers, with one timer for all. Hardly any deadline passes, so a timer
// that would fire too early is not changed: it is set again when it fires. The reason was measured for the
// link: a timer for each call wakes a thread that has nothing to do.
type deadlines struct {
	mu      sync.Mutex
	timer   *time.Timer
	firesAt time.Time // zero: the timer is off
	active  map[*handlerContext]struct{}
}

// handlerContext is a handler's context. Its deadline can move: it restarts when the request's body has
// ended, and with each piece of a long response.
type handlerContext struct {
	context.Context // of the call, which ends when the platform cancels the call
	deadlines       *deadlines
	stopFollowing   func() bool
	deadline        time.Time // guarded by the lock of deadlines, as is returned
	returned        bool

	done  chan struct{}
	mu    sync.Mutex
	err   error // not nil: done is closed
	next  int
	after map[int]func()
}

// begin returns a context that ends after within unless extend moves its deadline. The caller must call
// finish.
func (d *deadlines) begin(call context.Context, within time.Duration) *handlerContext {
	b := &handlerContext{Context: call, deadlines: d, done: make(chan struct{})}
	b.stopFollowing = context.AfterFunc(call, func() { b.end(call.Err()) })
	b.extend(within)
	return b
}

// extend moves the deadline, unless the handler has returned.
func (b *handlerContext) extend(within time.Duration) {
	d := b.deadlines
	d.mu.Lock()
	defer d.mu.Unlock()
	if b.returned {
		return
	}
	b.deadline = time.Now().Add(within)
	if d.active == nil {
		d.active = make(map[*handlerContext]struct{})
	}
	d.active[b] = struct{}{}
	d.armTimer(b.deadline)
}

// finish ends the context when its handler has returned.
func (b *handlerContext) finish() {
	b.deadlines.mu.Lock()
	b.returned = true
	delete(b.deadlines.active, b)
	b.deadlines.mu.Unlock()
	b.stopFollowing()
	b.end(context.Canceled)
}

// armTimer sets the timer to fire at by, unless it fires earlier. The caller holds the lock.
func (d *deadlines) armTimer(by time.Time) {
	if !d.firesAt.IsZero() && !by.Before(d.firesAt) {
		return
	}
	d.firesAt = by
	if d.timer == nil {
		d.timer = time.AfterFunc(time.Until(by), d.expire)
	} else {
		d.timer.Reset(time.Until(by))
	}
}

func (d *deadlines) expire() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.firesAt = time.Time{}
	now := time.Now()
	for b := range d.active {
		if now.Before(b.deadline) {
			d.armTimer(b.deadline)
			continue
		}
		delete(d.active, b)
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

// Deadline returns the current deadline, which extend may still move.
func (b *handlerContext) Deadline() (time.Time, bool) {
	b.deadlines.mu.Lock()
	defer b.deadlines.mu.Unlock()
	return b.deadline, true
}

// Done is closed when the context has ended.
func (b *handlerContext) Done() <-chan struct{} { return b.done }

// Err returns why the context has ended, or nil.
func (b *handlerContext) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// AfterFunc lets contexts that are derived from this one end with it without a goroutine each
// (context.AfterFunc).
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

// handlerKey is the key under which a derived context finds the handler's context.
type handlerKey struct{}

// Value returns the context itself for handlerKey, and otherwise the value of the call's context.
func (b *handlerContext) Value(key any) any {
	if key == (handlerKey{}) {
		return b
	}
	return b.Context.Value(key)
}
