package link

import (
	"sync/atomic"
	"time"
)

const (
	// leaseFor is how long a lease lasts: at least once, at most twice.
	leaseFor = 2 * time.Millisecond
	// leaseSlow leases in a row that took too long, or one that expired, make the next leaseRefused unwanted.
	leaseSlow    = 3
	leaseRefused = 64
)

// lease lets one goroutine both read the link and work on a call for a short time, which otherwise takes two
// goroutines. So a lone call wakes no further thread, on neither end. The holder may be stuck in its call:
// one timer for all leases of a link then lets another goroutine read. The timer runs only while there are
// leases.
type lease struct {
	quick   time.Duration // what a lease should take
	expired func()        // the holder has lost it
	quiet   func()        // called when there was no lease since the timer last fired; may be nil

	timer   *time.Timer
	ticking atomic.Bool
	turn    atomic.Uint64 // odd while there is a holder
	refuse  atomic.Int32
	seen    uint64 // turn when the timer last fired
	slow    int    // of the holder: slow ones in a row
}

// term is one holder's lease.
type term struct {
	turn  uint64
	began time.Time
}

func (l *lease) init() {
	l.timer = time.AfterFunc(time.Hour, l.tick)
	l.timer.Stop()
}

// wanted tells whether the next lease is likely to be short. Not for concurrent use.
func (l *lease) wanted() bool {
	left := l.refuse.Load()
	if left > 0 {
		l.refuse.Store(left - 1)
	}
	return left == 0
}

// begin makes the caller the holder. There must be none.
func (l *lease) begin() term {
	t := term{l.turn.Add(1), time.Now()}
	l.watch()
	return t
}

// watch starts the timer unless it runs.
func (l *lease) watch() {
	if !l.ticking.Load() && l.ticking.CompareAndSwap(false, true) {
		l.timer.Reset(leaseFor)
	}
}

// lost tells the holder whether its lease has expired.
func (l *lease) lost(t term) bool { return l.turn.Load() != t.turn }

// end gives the lease back and reports whether the caller still held it.
func (l *lease) end(t term) bool {
	if l.lost(t) {
		return false
	}
	switch {
	case time.Since(t.began) <= l.quick:
		l.slow = 0
	case l.slow+1 < leaseSlow:
		l.slow++
	default:
		l.slow = 0
		l.refuse.Store(leaseRefused)
	}
	return l.turn.CompareAndSwap(t.turn, t.turn+1)
}

func (l *lease) tick() {
	turn := l.turn.Load()
	held := turn%2 == 1
	switch {
	case turn != l.seen:
		l.seen = turn
	case held:
		if l.turn.CompareAndSwap(turn, turn+1) {
			l.refuse.Store(leaseRefused)
			l.expired()
		}
	default:
		l.ticking.Store(false)
		if l.turn.Load() != turn {
			l.watch() // a holder came meanwhile and found the timer running
		}
		if l.quiet != nil {
			l.quiet()
		}
		return
	}
	l.timer.Reset(leaseFor)
}

func (l *lease) stop() { l.timer.Stop() }
