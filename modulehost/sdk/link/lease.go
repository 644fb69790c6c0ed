package link

import (
	"sync/atomic"
	"time"
)

const (
	// leaseFor is the duration of a lease: it expires after one to two times leaseFor.
	leaseFor = 2 * time.Millisecond
	// After leaseSlow slow leases in a row, or one that has expired, the next leaseRefused leases are refused.
	leaseSlow    = 3
	leaseRefused = 64
)

// lease lets one goroutine both read the link and work on a call for a short time, for which two goroutines
// would otherwise be needed. So a lone call wakes no further thread on either end. In case the holder is
// stuck in its call, one timer for all leases of a link then lets another goroutine read. The timer runs only
// while there are leases.
type lease struct {
	quick   time.Duration // the duration above which a lease counts as slow
	expired func()        // called when a lease has expired
	quiet   func()        // called when there was no lease since the timer last fired; may be nil

	timer   *time.Timer
	ticking atomic.Bool
	turn    atomic.Uint64 // odd while a lease is held
	refuse  atomic.Int32
	seen    uint64 // turn when the timer fired last
	slow    int    // number of slow leases in a row; used by the holder
}

// term is one lease of a holder.
type term struct {
	turn  uint64
	began time.Time
}

func (l *lease) init() {
	l.timer = time.AfterFunc(time.Hour, l.tick)
	l.timer.Stop()
}

// wanted reports whether the next lease is likely to be short. It is not safe for concurrent use.
func (l *lease) wanted() bool {
	left := l.refuse.Load()
	if left > 0 {
		l.refuse.Store(left - 1)
	}
	return left == 0
}

// begin makes the caller the holder. There must be no other holder.
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

// lost reports whether the holder's lease has expired.
func (l *lease) lost(t term) bool { return l.turn.Load() != t.turn }

// end releases the lease and reports whether the caller still held it. If not, slow belongs to another
// holder.
func (l *lease) end(t term) bool {
	took := time.Since(t.began)
	if !l.turn.CompareAndSwap(t.turn, t.turn+1) {
		return false
	}
	switch {
	case took <= l.quick:
		l.slow = 0
	case l.slow+1 < leaseSlow:
		l.slow++
	default:
		l.slow = 0
		l.refuse.Store(leaseRefused)
	}
	return true
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
			l.watch() // a lease began meanwhile, when ticking was still true
		}
		if l.quiet != nil {
			l.quiet()
		}
		return
	}
	l.timer.Reset(leaseFor)
}

func (l *lease) stop() { l.timer.Stop() }
