package link

import (
	"errors"
	"os"
	"time"
)

// read is the standing reader. It ends when the link is lost and every caller has got its error.
func (c *Client) read() {
	for {
		select {
		case <-c.wake:
		case <-c.wire.gone:
			if !c.claimReadingAfterLoss() {
				return
			}
		}
		if !c.readUntil(c.release) {
			return
		}
	}
}

// claimReadingAfterLoss makes the standing reader detect the loss of the link, unless a caller reads and
// detects it.
func (c *Client) claimReadingAfterLoss() bool {
	c.mu.Lock()
	mine := !c.reading
	c.reading = true
	c.mu.Unlock()
	if mine {
		return true
	}
	select {
	case <-c.wake:
		return true
	case <-c.done:
		return false
	}
}

// readUntil reads frames until enough returns true after one. It returns false if the link is lost; then
// every caller has got its error.
func (c *Client) readUntil(enough func() bool) bool {
	for {
		f, err := c.frames.next()
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			_ = c.wire.conn.SetReadDeadline(time.Time{}) // an interrupt, perhaps for an earlier reader
			err = nil
		case err == nil:
			err = c.receive(f)
		}
		if err != nil {
			c.end(c.wire.fail(err))
			return false
		}
		if enough() {
			return true
		}
	}
}

// readFor lets a lone caller read its own response, and those of callers that come after it. It may return
// before its response has arrived.
func (c *Client) readFor(w *waiter) {
	if !w.reads {
		return
	}
	t := c.readLease.begin()
	if !c.readUntil(func() bool { return len(w.result) > 0 || c.readLease.lost(t) }) {
		w.reads = false
		return
	}
	c.readLease.end(t)
	c.endReading(w)
}

// endReading ends the reading of a caller. The standing reader continues if responses are outstanding.
func (c *Client) endReading(w *waiter) {
	if !w.reads {
		return
	}
	w.reads = false
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reading = c.outstanding > 0 || c.wire.isGone(); c.reading {
		c.wake <- struct{}{}
	}
}

// release ends the reading of the standing reader when no call waits, so that the next caller can read for
// itself.
func (c *Client) release() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.outstanding > 0 || !c.readLease.wanted() {
		return false
	}
	c.reading = false
	c.readLease.watch()
	return true
}

// interrupt ends the reading of the caller that reads.
func (c *Client) interrupt() { _ = c.wire.conn.SetReadDeadline(longAgo) }

// standBy makes the standing reader watch an idle link.
func (c *Client) standBy() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reading && c.lost == nil {
		c.reading = true
		c.wake <- struct{}{}
	}
}
