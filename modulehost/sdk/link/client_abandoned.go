package link

import (
	"slices"
	"time"
)

// abandoned counts the calls that their callers have abandoned and to which the other end has sent no
// response yet. A server whose handlers end when they are cancelled leaves few of them, and none for long.
// All fields are guarded by the Client's lock.
type abandoned struct {
	calls  int
	limit  int // 0: not watched
	within time.Duration
	timer  *time.Timer
	armed  bool
	stuck  chan struct{}
}

// WatchAbandoned returns a channel that is closed when limit calls were each abandoned at least within ago
// and have not ended since. Call it once, before the first call.
func (c *Client) WatchAbandoned(limit int, within time.Duration) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.abandoned = abandoned{limit: limit, within: within, stuck: make(chan struct{})}
	return c.abandoned.stuck
}

// Abandoned returns how many abandoned calls have not ended.
func (c *Client) Abandoned() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.abandoned.calls
}

// markAbandoned records that the caller of w has abandoned it.
func (c *Client) markAbandoned(w *waiter) {
	a := &c.abandoned
	w.left = time.Now()
	if a.calls++; a.limit == 0 || a.calls < a.limit || a.armed {
		return
	}
	a.armed = true
	if a.timer == nil {
		a.timer = time.AfterFunc(a.within, c.checkAbandoned)
	} else {
		a.timer.Reset(a.within)
	}
}

// markEnded records that w has ended, which may never have been abandoned.
func (c *Client) markEnded(w *waiter) {
	if w != nil && !w.left.IsZero() {
		w.left = time.Time{}
		c.abandoned.calls--
	}
}

// checkAbandoned runs when the timer fires. It sets the timer again for the time at which the limit could be
// reached.
func (c *Client) checkAbandoned() {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &c.abandoned
	if a.armed = c.lost == nil && a.calls >= a.limit; !a.armed {
		return
	}
	left := make([]time.Time, 0, a.calls)
	for _, w := range c.pending {
		if !w.left.IsZero() {
			left = append(left, w.left)
		}
	}
	slices.SortFunc(left, time.Time.Compare)
	if wait := time.Until(left[a.limit-1].Add(a.within)); wait > 0 {
		a.timer.Reset(wait)
		return
	}
	close(a.stuck) // once: armed stays true
}

func (a *abandoned) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}
