package script

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// call is one thing that the platform asks of the script: a request, a snapshot, a run of a schedule. It goes
// with the turns that continue it, so that calls to the platform end with its context.
type call struct {
	ctx  context.Context
	what string // for the author, such as "GET /notes"

	mu      sync.Mutex
	settled bool
	held    map[int]func() // gives back what the call still holds: transactions, turns of a Changes
	next    int
	done    chan struct{}
	value   any
	err     error

	waiting int // calls to the platform and timers in progress; only the loop uses it
}

func newCall(ctx context.Context, what string) *call {
	return &call{ctx: ctx, what: what, done: make(chan struct{})}
}

// settle ends the call with its result, unless it has one.
func (c *call) settle(value any, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.settled {
		return
	}
	c.settled, c.value, c.err = true, value, err
	close(c.done)
}

var errCallEnded = errors.New("the request has ended")

// hold keeps release for the end of the call. It releases at once, with an error, when the call has ended.
func (c *call) hold(release func()) (id int, err error) {
	c.mu.Lock()
	if c.settled {
		c.mu.Unlock()
		release()
		return 0, errCallEnded
	}
	defer c.mu.Unlock()
	if c.held == nil {
		c.held = make(map[int]func())
	}
	c.next++
	c.held[c.next] = release
	return c.next, nil
}

// release forgets what was held under id, and reports whether it was held.
func (c *call) release(id int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, found := c.held[id]
	delete(c.held, id)
	return found
}

// releaseAll releases everything that the call still holds.
func (c *call) releaseAll() {
	c.mu.Lock()
	held := c.held
	c.held = nil
	c.mu.Unlock()
	for _, release := range held {
		release()
	}
}

// wait returns the result. When the context ends first, the result is the context's error.
func (c *call) wait() (any, error) {
	select {
	case <-c.done:
	case <-c.ctx.Done():
		c.settle(nil, fmt.Errorf("%w while the script waited for a promise", c.ctx.Err()))
	}
	c.releaseAll()
	return c.value, c.err
}
