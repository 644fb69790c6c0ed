package link

import "time"

// clock manages the deadlines of all exchanges with one timer. Hardly any deadline passes, so a timer that
// would fire too early is not changed: it is set again when it fires (measured: a timer for each call wakes a
// thread that has nothing to do).
type clock struct {
	timer   *time.Timer
	firesAt time.Time // zero: the timer is off
}

// set makes the timer fire at due or earlier.
func (k *clock) set(due time.Time) {
	if k.firesAt.IsZero() || due.Before(k.firesAt) {
		k.firesAt = due
		k.timer.Reset(time.Until(due))
	}
}

// expire runs when the timer fires: it fails the exchanges whose deadline has passed and sets the timer for
// the next deadline.
func (c *Client) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock.firesAt = time.Time{}
	now, next := time.Now(), time.Time{}
	for _, w := range c.pending {
		x := w.exchange
		if x == nil || x.responded || x.late {
			continue
		}
		if !now.Before(x.due) {
			x.late = true
			w.result <- errLate
		} else if next.IsZero() || x.due.Before(next) {
			next = x.due
		}
	}
	if !next.IsZero() {
		c.clock.set(next)
	}
}
