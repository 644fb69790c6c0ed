package ratelimit_test

import (
	"context"
	"encoding/binary"
	"errors"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/services/leaktest"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const seconds = time.Second

var (
	signIn   = ratelimit.Rule{Window: 10 * seconds, Max: 3}
	recovery = ratelimit.Rule{Window: 60 * seconds, Max: 3}
	anna     = ratelimit.KeyOf(netip.MustParseAddr("192.0.2.1"), "/sign-in/email")
)

// visitor returns the key of the n-th of many clients.
func visitor(n int) ratelimit.Key {
	var address [4]byte
	binary.BigEndian.PutUint32(address[:], uint32(n))
	return ratelimit.KeyOf(netip.AddrFrom4(address), "/sign-in/email")
}

// The sequences and waits were recorded from the reference server.
func TestWindowIsAnchoredToTheLastAllowedRequest(t *testing.T) {
	const again = -1 // marks a request that is allowed; any other value is the wait returned with a refusal
	type request struct{ at, wait float64 }
	for name, sequence := range map[string][]request{
		"a burst": {{0, again}, {0, again}, {0, again}, {0, 10}, {9.999, 0.001}, {10, again}, {10, again},
			{10, again}, {10, 10}},
		"seen": {{0, again}, {4, again}, {8, again}, {9, 9}, {10, 8}, {12.5, 5.5}, {17.5, 0.5},
			{18.1, again}, {18.1, again}, {18.1, again}, {18.1, 10}},
		"slow callers": {{0, again}, {9, again}, {18, again}, {27, 1}, {28, again}},
		"a pause":      {{0, again}, {9, again}, {19, again}, {19, again}, {19, again}, {19, 10}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limiter, began := ratelimit.New(), time.Now()
				for _, r := range sequence {
					at := time.Duration(r.at * float64(seconds))
					time.Sleep(at - time.Since(began))
					ok, wait := limiter.Allow(signIn, anna)
					if want := time.Duration(r.wait * float64(seconds)); ok != (r.wait == again) || !ok && wait != want ||
						ok && wait != 0 {
						t.Errorf("request at %v s: allowed %v, wait %v; want allowed %v, wait %v", r.at, ok, wait,
							r.wait == again, max(want, 0))
					}
				}
			})
		})
	}
}

func TestKeysCountApart(t *testing.T) {
	limiter := ratelimit.New()
	exhaust := func(rule ratelimit.Rule, address, path string) (allowed int) {
		key := ratelimit.KeyOf(netip.MustParseAddr(address), path)
		for range 5 {
			if ok, _ := limiter.Allow(rule, key); ok {
				allowed++
			}
		}
		return allowed
	}
	for _, row := range []struct {
		rule          ratelimit.Rule
		address, path string
		allowed       int
	}{
		{signIn, "192.0.2.1", "/sign-in/email", 3},
		{signIn, "192.0.2.1", "/sign-up/email", 3},
		{recovery, "192.0.2.1", "/sign-in/email", 3},
		{signIn, "192.0.2.2", "/sign-in/email", 3},
		{signIn, "::ffff:192.0.2.1", "/sign-in/email", 0},
		{signIn, "2001:db8:0:1::1", "/sign-in/email", 3},
		{signIn, "2001:db8:0:1:ffff::2", "/sign-in/email", 0}, // the same /64
		{signIn, "2001:db8:0:2::1", "/sign-in/email", 3},
	} {
		if got := exhaust(row.rule, row.address, row.path); got != row.allowed {
			t.Errorf("%v %s %s: %d allowed, want %d", row.rule, row.address, row.path, got, row.allowed)
		}
	}
	nobody := ratelimit.KeyOf(netip.Addr{}, "/sign-in/email")
	for n := range 4 {
		if ok, _ := limiter.Allow(signIn, nobody); ok != (n < 3) {
			t.Errorf("request %d without an address: allowed %v, want %v", n+1, ok, n < 3)
		}
	}
}

func TestConcurrentCallersAreCountedAtOnce(t *testing.T) {
	for range 100 {
		limiter := ratelimit.New()
		var allowed atomic.Int32
		var callers sync.WaitGroup
		begin := make(chan struct{})
		for range 8 {
			callers.Go(func() {
				<-begin
				if ok, wait := limiter.Allow(signIn, anna); ok {
					allowed.Add(1)
				} else if wait <= 0 || wait > signIn.Window {
					t.Errorf("a refused request got a wait of %v, want more than 0 and at most %v", wait, signIn.Window)
				}
			})
		}
		close(begin)
		callers.Wait()
		if got := allowed.Load(); got != 3 {
			t.Fatalf("%d of 8 concurrent requests were allowed, want 3", got)
		}
	}
}

func TestTheOldestGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := ratelimit.New()
		exhaust := func(rule ratelimit.Rule, key ratelimit.Key) {
			for range rule.Max {
				limiter.Allow(rule, key)
			}
		}
		exhaust(recovery, anna)
		time.Sleep(time.Nanosecond)
		exhaust(signIn, visitor(0))
		for n := 1; n < ratelimit.MaxKeys-1; n++ {
			limiter.Allow(signIn, visitor(n))
		}
		refused := func(rule ratelimit.Rule, key ratelimit.Key) bool {
			ok, _ := limiter.Allow(rule, key)
			return !ok
		}
		if !refused(recovery, anna) || !refused(signIn, visitor(0)) || limiter.Keys() != ratelimit.MaxKeys {
			t.Fatalf("a key was removed before the limit was reached; %d keys", limiter.Keys())
		}
		exhaust(signIn, visitor(-1)) // evicts the oldest key, which is in the other window
		if !refused(signIn, visitor(0)) || refused(recovery, anna) {
			t.Error("a new key at the limit did not replace the oldest one")
		}
		if !refused(signIn, visitor(-1)) || limiter.Keys() != ratelimit.MaxKeys {
			t.Errorf("the newest key was removed; %d keys, want %d", limiter.Keys(), ratelimit.MaxKeys)
		}
		// The key of the window of a minute is now the oldest, but those of the window of ten seconds have expired.
		exhaust(recovery, anna)
		time.Sleep(signIn.Window)
		for n := range 1000 {
			limiter.Allow(signIn, visitor(n+ratelimit.MaxKeys))
		}
		if !refused(recovery, anna) || limiter.Keys() != ratelimit.MaxKeys {
			t.Errorf("a live key was removed before an expired one; %d keys", limiter.Keys())
		}
	})
}

// A key that is allowed again becomes the newest, so keys that were used once are removed before it.
func TestAllowedKeyBecomesNewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := ratelimit.New()
		for n := range ratelimit.MaxKeys {
			limiter.Allow(signIn, visitor(n))
		}
		limiter.Allow(signIn, visitor(0))
		limiter.Allow(signIn, visitor(0))
		limiter.Allow(signIn, visitor(-1)) // evicts visitor 1
		if ok, _ := limiter.Allow(signIn, visitor(0)); ok {
			t.Error("a key that was just allowed again was removed")
		}
		for n := range 3 {
			if ok, _ := limiter.Allow(signIn, visitor(1)); !ok {
				t.Errorf("request %d of the removed key was refused, want a new count", n+1)
			}
		}
	})
}

func TestServeSweepsWhatHasExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := ratelimit.New()
		<-limiter.Ready()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- limiter.Serve(ctx) }()
		for n := range 2500 { // more than one batch
			limiter.Allow(signIn, visitor(n))
		}
		limiter.Allow(recovery, anna)
		time.Sleep(2 * signIn.Window)
		synctest.Wait()
		if got := limiter.Keys(); got != 1 {
			t.Errorf("%d keys after the short window, want 1", got)
		}
		time.Sleep(recovery.Window)
		synctest.Wait()
		if got := limiter.Keys(); got != 0 {
			t.Errorf("%d keys after the long window, want 0", got)
		}
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve returned %v, want %v", err, context.Canceled)
		}
		limiter.Allow(signIn, anna) // it also counts without Serve
		limiter.Allow(signIn, anna)
		limiter.Allow(signIn, anna)
		if ok, _ := limiter.Allow(signIn, anna); ok {
			t.Error("the fourth request after Serve ended was allowed, want it refused")
		}
	})
}

// Requests of very many clients use a bounded amount of memory.
func TestMemoryIsBounded(t *testing.T) {
	limiter := ratelimit.New()
	before := heap()
	for n := range 3 * ratelimit.MaxKeys {
		limiter.Allow(signIn, visitor(n))
	}
	perKey := (heap() - before) / ratelimit.MaxKeys
	t.Logf("%d bytes a key", perKey)
	if limiter.Keys() != ratelimit.MaxKeys || perKey > 448 {
		t.Errorf("%d keys of %d bytes, want %d of at most 448", limiter.Keys(), perKey, ratelimit.MaxKeys)
	}
	runtime.KeepAlive(limiter)
}

// After requests of very many clients the memory is freed.
func TestMemoryIsFreedAfterAFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := ratelimit.New()
		before := heap()
		for n := range ratelimit.MaxKeys {
			limiter.Allow(signIn, visitor(n))
		}
		flooded := heap() - before
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- limiter.Serve(ctx) }()
		time.Sleep(2 * signIn.Window)
		synctest.Wait()
		if left := heap() - before; limiter.Keys() != 0 || left > flooded/10 {
			t.Errorf("%d keys and %d of %d bytes are left, want none and a tenth at most", limiter.Keys(), left,
				flooded)
		}
		stop()
		<-ended
	})
}

func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
