package httpserver

import "time"

// clock keeps one connection's deadline. Deadlines move with every request and hardly ever pass, so its timer is left alone while it
// would ring too early, and then sleeps on for exactly the rest.
type clock struct {
	timer *time.Timer
	due   time.Time // zero: nothing is awaited
	rings time.Time // zero: the timer is off
}

func (k *clock) set(due time.Time) {
	k.due = due
	if k.rings.IsZero() || due.Before(k.rings) {
		k.rings = due
		k.timer.Reset(time.Until(due))
	}
}

func (k *clock) clear() { k.due = time.Time{} }

// rang is asked when the timer has fired: has the deadline passed?
func (k *clock) rang() bool {
	k.rings = time.Time{}
	if k.due.IsZero() {
		return false
	}
	if time.Now().Before(k.due) {
		k.set(k.due)
		return false
	}
	k.clear()
	return true
}
