package link

import (
	"time"

	"google.golang.org/protobuf/proto"
)

// maxUnanswered is how many abandoned calls a peer may leave without a response. Every call gets a response,
// also a cancelled one. A peer that never responds would otherwise make the table grow without end.
const maxUnanswered = 16 << 10

// waiter is one call or ping in flight. The goroutine that removes it from pending, under the lock, owns it,
// so that its result is delivered exactly once.
type waiter struct {
	ping      bool
	abandoned bool      // the caller has given up, so a late response is dropped
	left      time.Time // when the caller gave up; zero: it has not, or the call has ended since
	response  proto.Message
	held      held       // guarded by the lock
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
	c.drop(w)
	w.response = nil
	c.waiters.Put(w)
}

// drop releases what the call holds, when its caller no longer needs it and no response can come any more.
func (c *Client) drop(w *waiter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.held.release()
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
		c.unanswered++
	}
	unanswered := c.unanswered
	c.mu.Unlock()
	if unanswered > maxUnanswered {
		_ = c.wire.fail(errTooManyUnanswered)
	}
	return ok
}

// claim removes and returns the waiter for a response or a pong; nil if there was no such call. fits reports
// whether there is room for the response, which is held until drop.
func (c *Client) claim(f frame) (w *waiter, fits bool) {
	size := sizeOf(c.memory, f.payload)
	c.mu.Lock()
	defer c.mu.Unlock()
	w = c.pending[f.id]
	switch {
	case w == nil || w.ping != (f.kind == kindPong) || w.exchange != nil && w.exchange.responded:
		return nil, false
	case w.abandoned:
		delete(c.pending, f.id)
		c.markEnded(w)
		c.unanswered--
		return w, true
	case w.exchange != nil:
		w.exchange.responded = true // its id stays in use until its bodies have ended
	default:
		delete(c.pending, f.id)
	}
	return w, w.held.reserve(c.memory, size)
}
