package link

import (
	"slices"
	"time"
)

// abandoned counts the calls whose callers have left and that the other end has neither answered nor ended.
// A server that heeds cancel leaves few of them, and none for long. All fields are guarded by the Client's
// lock.
type abandoned struct {
	calls  int
	limit  int // 0: not watched
	within time.Duration
	timer  *time.Timer
	armed  bool
	stuck  chan struct{}
}

// WatchAbandoned returns a channel that is closed once there are limit calls, each of which was abandoned
// at least within ago and has not ended since. Call it once, before the first call.
func (c *Client) WatchAbandoned(limit int, within time.Duration) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.abandoned = abandoned{limit: limit, within: within, stuck: make(chan struct{})}
	return c.abandoned.stuck
}

// Abandoned returns how many calls were abandoned that have not ended since.
func (c *Client) Abandoned() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.abandoned.calls
}

// markAbandoned notes that the caller of w has left.
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

// markEnded notes that w has ended. It may never have been abandoned.
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
