package httpserver

import "time"

// clock keeps one connection's deadlines. They move with every request and hardly ever pass, so its timer
// is left alone while it would ring too early, and then sleeps on for exactly the rest.
type clock struct {
	timer *time.Timer
	due   time.Time // of what is to come from the peer; zero: nothing is awaited
	look  time.Time // when to look after an answer under way; zero: there is none
	rings time.Time // zero: the timer is off
}

func (k *clock) set(due time.Time) {
	k.due = due
	k.wind(due)
}

func (k *clock) clear() { k.due = time.Time{} }

func (k *clock) lookAt(t time.Time) {
	k.look = t
	k.wind(t)
}

func (k *clock) wind(t time.Time) {
	if k.rings.IsZero() || t.Before(k.rings) {
		k.rings = t
		k.timer.Reset(time.Until(t))
	}
}

// rang is asked when the timer has fired: which of the two have passed?
func (k *clock) rang() (due, look bool) {
	k.rings = time.Time{}
	now := time.Now()
	return k.passed(&k.due, now), k.passed(&k.look, now)
}

func (k *clock) passed(t *time.Time, now time.Time) bool {
	switch {
	case t.IsZero():
		return false
	case now.Before(*t):
		k.wind(*t)
		return false
	}
	*t = time.Time{}
	return true
}
