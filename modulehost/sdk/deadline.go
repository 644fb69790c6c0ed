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

// handlerContext is a handler's context. Its deadline can move: it restarts when the request's body has
// ended, and with each piece of a long response.
type handlerContext struct {
	context.Context // of the call, which ends when the platform cancels the call
	stopFollowing   func() bool
	timer           *time.Timer
	done            chan struct{}

	mu       sync.Mutex
	deadline time.Time
	err      error // not nil: done is closed
	next     int
	after    map[int]func()
}

// newHandlerContext returns a context that ends after within unless extend moves its deadline. The caller
// must call finish.
func newHandlerContext(call context.Context, within time.Duration) *handlerContext {
	b := &handlerContext{Context: call, deadline: time.Now().Add(within), done: make(chan struct{})}
	b.mu.Lock() // the timer may fire before it is stored
	b.timer = time.AfterFunc(within, b.expire)
	b.mu.Unlock()
	b.stopFollowing = context.AfterFunc(call, func() { b.end(call.Err()) })
	return b
}

// extend moves the deadline, unless the context has ended.
func (b *handlerContext) extend(within time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.deadline = time.Now().Add(within)
		b.timer.Reset(within)
	}
}

// expire is called by the timer, which may have fired while extend moved the deadline.
func (b *handlerContext) expire() {
	b.mu.Lock()
	early := time.Now().Before(b.deadline)
	b.mu.Unlock()
	if !early {
		b.end(context.DeadlineExceeded)
	}
}

// finish ends the context when its handler has returned.
func (b *handlerContext) finish() {
	b.stopFollowing()
	b.end(context.Canceled)
}

func (b *handlerContext) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return
	}
	b.err = err
	b.timer.Stop()
	close(b.done)
	for _, f := range b.after {
		go f()
	}
	b.after = nil
}

// Deadline returns the current deadline, which extend may still move.
func (b *handlerContext) Deadline() (time.Time, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
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
