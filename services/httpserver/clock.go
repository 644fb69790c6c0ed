package httpserver

import "time"

// clock keeps one connection's deadlines. They change with every request and rarely pass. So a timer that
// would fire too early is not changed. When it fires, it is set again for the remaining time.
type clock struct {
	timer   *time.Timer
	due     time.Time // of the peer's next bytes; zero: none are awaited
	checkAt time.Time // when to check the current response; zero: there is none
	firesAt time.Time // zero: the timer is off
}

func (k *clock) set(due time.Time) {
	k.due = due
	k.arm(due)
}

func (k *clock) clear() { k.due = time.Time{} }

func (k *clock) setCheck(t time.Time) {
	k.checkAt = t
	k.arm(t)
}

func (k *clock) arm(t time.Time) {
	if k.firesAt.IsZero() || t.Before(k.firesAt) {
		k.firesAt = t
		k.timer.Reset(time.Until(t))
	}
}

// expired reports, after the timer has fired, which of the two have passed.
func (k *clock) expired() (due, look bool) {
	k.firesAt = time.Time{}
	now := time.Now()
	return k.passed(&k.due, now), k.passed(&k.checkAt, now)
}

func (k *clock) passed(t *time.Time, now time.Time) bool {
	switch {
	case t.IsZero():
		return false
	case now.Before(*t):
		k.arm(*t)
		return false
	}
	*t = time.Time{}
	return true
}
