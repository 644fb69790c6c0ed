// Package ratelimit owns how often a client may ask: the keys of this process, and when each was last allowed (contract.md §2).
//
// The window is anchored to the last allowed request of a key. A request that comes a full window after it begins a new count; one
// that comes sooner counts, up to the rule's maximum, and then is refused without a trace. So a slow caller is caught too: with 3
// per 10 s, requests at 0, 9 and 18 s are allowed and one at 27 s is not, for there was never a pause of a window.
//
// Nothing is shared between processes and nothing survives a restart (spec.md § What the service does).
package ratelimit

import (
	"context"
	"sync"
	"time"
)

// MaxKeys is how many keys are held. Past it, one that has expired makes room, else the one that was allowed longest ago.
const MaxKeys = 100_000

const (
	sweepEvery = 10 * time.Second
	sweepBatch = 1_000 // keys for which the lock is held at a time: about 0.6 ms, measured
)

// Rule allows Max requests until nothing has been allowed for a Window. Both are positive.
type Rule struct {
	Window time.Duration
	Max    int
}

// Limiter counts. Safe for concurrent use. It answers correctly whether or not Serve runs: Serve only gives memory back that
// expired keys hold.
type Limiter struct {
	began time.Time // carries the monotonic clock: setting the machine's time moves no window
	ready chan struct{}

	mu      sync.Mutex
	shelves []*shelf // one per length of window; a handful
	keys    int      // on all shelves
}

// New makes a Limiter without keys. It runs nothing.
func New() *Limiter {
	ready := make(chan struct{})
	close(ready)
	return &Limiter{began: time.Now(), ready: ready}
}

// Allow counts a request of key under rule, or refuses it and tells how long it takes, more than 0 and at most a window, until the
// last allowed request is a window old. The decision and the count are one step. The same key under rules of different windows
// counts apart.
func (l *Limiter) Allow(rule Rule, key Key) (ok bool, retryAfter time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Since(l.began)
	shelf := l.shelf(rule.Window)
	e, known := shelf.entries[key]
	switch {
	case !known:
		l.makeRoom(now)
		e = shelf.add(key)
		l.keys++
	case shelf.expired(e, now):
		e.count = 0
	case e.count >= rule.Max:
		return false, e.allowed + rule.Window - now
	}
	e.count++
	e.allowed = now
	shelf.toNewest(e)
	return true, 0
}

// Serve removes expired keys from time to time, until ctx ends.
func (l *Limiter) Serve(ctx context.Context) error {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			for l.sweep() && ctx.Err() == nil {
			}
		}
	}
}

// Ready is closed at once: a limiter has nothing to wait for.
func (l *Limiter) Ready() <-chan struct{} { return l.ready }

// String names the service.
func (l *Limiter) String() string { return "rate limiter" }

func (l *Limiter) shelf(window time.Duration) *shelf {
	for _, s := range l.shelves {
		if s.window == window {
			return s
		}
	}
	s := newShelf(window)
	l.shelves = append(l.shelves, s)
	return s
}

// makeRoom removes one key when there is no place for another. The oldest of a shelf is also the first of it to expire, so looking
// at one key a shelf is enough.
func (l *Limiter) makeRoom(now time.Duration) {
	if l.keys < MaxKeys {
		return
	}
	var from *shelf
	for _, s := range l.shelves {
		switch oldest := s.oldest(); {
		case oldest == nil:
		case s.expired(oldest, now):
			l.drop(s)
			return
		case from == nil || oldest.allowed < from.oldest().allowed:
			from = s
		}
	}
	l.drop(from)
}

// sweep removes a batch of expired keys and tells whether there may be more.
func (l *Limiter) sweep() (more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Since(l.began)
	dropped := 0
	for _, s := range l.shelves {
		for oldest := s.oldest(); oldest != nil && s.expired(oldest, now); oldest = s.oldest() {
			if dropped == sweepBatch {
				return true
			}
			l.drop(s)
			dropped++
		}
	}
	return false
}

func (l *Limiter) drop(s *shelf) {
	s.dropOldest()
	l.keys--
}
