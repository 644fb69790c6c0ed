package link

import "time"

// clock keeps the deadlines of all exchanges with one timer. Hardly any passes, so the timer is left alone
// while it would ring too early, and then sleeps on until the next one (measured: a timer for each call
// wakes a thread that has nothing to do).
type clock struct {
	timer *time.Timer
	rings time.Time // zero: the timer is off
}

// set sees that the timer rings at due, or before.
func (k *clock) set(due time.Time) {
	if k.rings.IsZero() || due.Before(k.rings) {
		k.rings = due
		k.timer.Reset(time.Until(due))
	}
}

// ring is the timer's call: it tells those whose deadline has passed, and sleeps until the next one's.
func (c *Client) ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock.rings = time.Time{}
	now, next := time.Now(), time.Time{}
	for _, w := range c.pending {
		x := w.exchange
		if x == nil || x.answered || x.late {
			continue
		}
		if !now.Before(x.due) {
			x.late = true
			w.answered <- errLate
		} else if next.IsZero() || x.due.Before(next) {
			next = x.due
		}
	}
	if !next.IsZero() {
		c.clock.set(next)
	}
}
