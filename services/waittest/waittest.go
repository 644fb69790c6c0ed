// Package waittest waits for conditions in tests.
package waittest

import (
	"testing"
	"time"
)

// looks is how often Until looks before it gives up: for two minutes if the machine is quiet. Looks are
// counted instead of time, because on a machine that stands still time passes, and nothing can happen.
const looks, pause = 24_000, 5 * time.Millisecond

// Until waits until a condition holds, and fails the test if that does not happen. What describes the
// condition, as in "the connection is closed".
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for n := range looks {
		switch {
		case holds():
			return
		case n < 100: // most conditions hold soon
			time.Sleep(pause / 10)
		default:
			time.Sleep(pause)
		}
	}
	t.Fatalf("it never happened that %s", what)
}

// Seldom looks whether a condition holds, at longer and longer intervals, and returns false if it never does.
// It is for looks that take processor time from what they wait for, as those into a page.
func Seldom(holds func() bool) bool {
	wait := 2 * pause
	for range 600 { // a minute if the machine is quiet
		if holds() {
			return true
		}
		time.Sleep(wait)
		wait = min(wait*3/2, 20*pause)
	}
	return false
}

// Receive returns the next value of a channel, and fails the test if none comes.
func Receive[T any](t testing.TB, what string, channel <-chan T) (value T) {
	t.Helper()
	Until(t, what, func() bool {
		select {
		case value = <-channel:
			return true
		default:
			return false
		}
	})
	return value
}
