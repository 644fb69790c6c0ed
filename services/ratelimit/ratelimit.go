// Package ratelimit limits how often a client may send a kind of request. It stores the keys of this process
// and when each was last allowed.
//
// The window starts at the last allowed request of a key. A request at least a full window later starts a new
// count. An earlier request is counted up to the rule's maximum, and refused above it. A refused request
// changes nothing. So a slow caller is limited too: with 3 per 10 s, requests at 0, 9 and 18 s are allowed
// and one at 27 s is not, because there was no pause as long as a window.
//
// Processes do not share counts, and a restart loses them.
package ratelimit

import (
	"context"
	"net/netip"
	"sync"
	"time"
)

// MaxKeys is how many keys are stored. When it is reached, a new key replaces an expired one, or, if there is
// none, the key whose last allowed request is the oldest.
const MaxKeys = 100_000

const (
	sweepEvery = 10 * time.Second
	sweepBatch = 1_000 // keys removed under one lock: about 0.6 ms
)

// Rule allows Max requests. The count starts again after a Window in which nothing was allowed. Both are
// positive.
type Rule struct {
	Window time.Duration
	Max    int
}

// Limiter counts requests. Safe for concurrent use. Its results are correct whether or not Serve runs:
// Serve only frees the memory of expired keys.
type Limiter struct {
	began time.Time // with the monotonic clock, so that setting the machine's time changes no window
	ready chan struct{}

	mu      sync.Mutex
	windows []*window // one for each length of window; a handful
	keys    int       // in all windows
	refused int64
}

// New makes a Limiter without keys. It starts no goroutine.
func New() *Limiter {
	ready := make(chan struct{})
	close(ready)
	return &Limiter{began: time.Now(), ready: ready}
}

// Allow counts a request of key under rule, or refuses it. With a refusal it returns the time until the last
// allowed request is a window old: more than 0 and at most a window. The check and the count are one step. A
// key has a separate count for each length of window.
func (l *Limiter) Allow(rule Rule, key Key) (ok bool, retryAfter time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Since(l.began)
	w := l.window(rule.Window)
	e, known := w.entries[key]
	switch {
	case !known:
		l.makeRoom(now)
		e = w.add(key)
		l.keys++
	case w.expired(e, now):
		e.count = 0
	case e.count >= rule.Max:
		l.refused++
		return false, e.allowed + rule.Window - now
	}
	e.count++
	e.allowed = now
	w.toNewest(e)
	return true, 0
}

// Figures returns how many keys are stored, and how many requests were refused since the process began.
func (l *Limiter) Figures() (keys int, refused int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.keys, l.refused
}

// Serve removes expired keys every 10 s, until ctx ends.
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

// Ready is closed from the start.
func (l *Limiter) Ready() <-chan struct{} { return l.ready }

// String names the service.
func (l *Limiter) String() string { return "rate limiter" }

func (l *Limiter) window(length time.Duration) *window {
	for _, w := range l.windows {
		if w.length == length {
			return w
		}
	}
	w := newWindow(length)
	l.windows = append(l.windows, w)
	return w
}

// makeRoom removes one key when there are MaxKeys. The oldest key of a window is also the first one to
// expire, so it only compares the oldest keys of the windows.
func (l *Limiter) makeRoom(now time.Duration) {
	if l.keys < MaxKeys {
		return
	}
	var from *window
	for _, w := range l.windows {
		switch oldest := w.oldest(); {
		case oldest == nil:
		case w.expired(oldest, now):
			l.drop(w)
			return
		case from == nil || oldest.allowed < from.oldest().allowed:
			from = w
		}
	}
	l.drop(from)
}

// sweep removes a batch of expired keys and reports whether there may be more.
func (l *Limiter) sweep() (more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Since(l.began)
	dropped := 0
	for _, w := range l.windows {
		for oldest := w.oldest(); oldest != nil && w.expired(oldest, now); oldest = w.oldest() {
			if dropped == sweepBatch {
				return true
			}
			l.drop(w)
			dropped++
		}
	}
	return false
}

func (l *Limiter) drop(w *window) {
	w.dropOldest()
	l.keys--
}

// Key is one client and the path that it requests. Requests are counted by key. It is comparable.
type Key struct {
	client [16]byte // smaller than the netip.Addr
	path   string
}

// KeyOfID makes the key of something with an id, which is not a client. path is as for KeyOf.
func KeyOfID(id [16]byte, path string) Key { return Key{id, path} }

// KeyOf makes the key of a client and a path. An IPv6 client is counted by its /64, the network of one
// household, because a client can change its address within that at will. All clients without an address
// share one key. path must be a constant of the program: a part of a request would keep the request's memory
// in use.
func KeyOf(client netip.Addr, path string) Key {
	client = client.Unmap()
	if client.Is6() {
		client = netip.PrefixFrom(client, 64).Masked().Addr()
	}
	return Key{client.As16(), path}
}
