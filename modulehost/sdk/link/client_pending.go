package link

import (
	"time"

	"google.golang.org/protobuf/proto"
)

// maxOwed is how many abandoned calls a peer may leave without a response. Every call gets one response, also
// a cancelled one. A peer that never responds would otherwise make the table grow without end.
const maxOwed = 16 << 10

// waiter is one call or ping in flight. The goroutine that removes it from pending, under the lock, owns it,
// so that its result is delivered exactly once.
type waiter struct {
	ping      bool
	abandoned bool      // the caller has given up, so a late response is dropped
	left      time.Time // when the caller gave up; zero: it has not, or the call has ended since
	response  proto.Message
	charged   int        // bytes of the response that are counted in Memory; guarded by the lock
	discarded bool       // its exchange has ended, so a later response must not be counted
	result    chan error // buffered, so that the reader never waits for a caller

	exchange *Exchange // nil for a Call
}

// register assigns f an unused id and stores its waiter.
func (c *Client) register(f *frame, w *waiter) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost != nil {
		return c.lost
	}
	for taken := true; taken; {
		c.next++
		_, taken = c.pending[c.next]
	}
	f.id = c.next
	c.pending[f.id] = w
	if x := w.exchange; x != nil {
		x.id = f.id
		x.timer = time.AfterFunc(time.Until(x.due), x.expire)
	}
	return nil
}

// recycle reuses a waiter after its result was received.
func (c *Client) recycle(w *waiter) {
	c.discharge(w, false)
	w.response = nil
	c.waiters.Put(w)
}

// charge counts the memory of a response until its caller no longer needs it (discharge).
func (c *Client) charge(w *waiter, bytes int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.discarded {
		return true
	}
	if !c.memory.Reserve(bytes) {
		return false
	}
	w.charged = bytes
	return true
}

// discharge releases the memory of a response. With unwanted, a response that is still to come is not counted
// either.
func (c *Client) discharge(w *waiter, unwanted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.memory.Release(w.charged)
	w.charged, w.discarded = 0, unwanted
}

// forget frees the id of a call that has ended.
func (c *Client) forget(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.markEnded(c.pending[id])
	delete(c.pending, id)
}

// forgetUnsent is forget for a call that was never sent.
func (c *Client) forgetUnsent(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

// abandon reports whether the call was still without a response. If so, its response will be dropped.
func (c *Client) abandon(id uint32) bool {
	c.mu.Lock()
	w, ok := c.pending[id]
	if ok && w.exchange != nil && w.exchange.responded { // the reader is delivering the response, or has done so
		delete(c.pending, id)
		ok = false
	}
	if ok {
		w.abandoned, w.response = true, nil
		c.markAbandoned(w)
		c.owed++
	}
	owed := c.owed
	c.mu.Unlock()
	if owed > maxOwed {
		_ = c.wire.fail(errTooManyOwed)
	}
	return ok
}

// claim removes and returns the waiter for a response or a pong; nil if there was no such call.
func (c *Client) claim(id uint32, ping bool) *waiter {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.pending[id]
	if w == nil || w.ping != ping || w.exchange != nil && w.exchange.responded {
		return nil
	}
	if w.exchange != nil && !w.abandoned {
		w.exchange.responded = true // its id stays in use until its bodies have ended
		return w
	}
	delete(c.pending, id)
	if w.abandoned {
		c.markEnded(w)
		c.owed--
	}
	return w
}
