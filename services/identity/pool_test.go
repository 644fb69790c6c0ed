package identity_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/waittest"
)

// While the sessions are locked, 60 forged cookies use one connection of the pool, and all get a response
// in time.
func TestForgedCookiesShareOneCheck(t *testing.T) {
	t.Parallel()
	h := lockSessions(t, setup(t))
	pool := h.AnotherPool(t)
	store := identity.NewStore(pool)
	h = serve(t, h.DB, store, base)
	var asking sync.WaitGroup
	for i := range 60 {
		asking.Go(func() {
			r := request{method: "GET", path: "/", header: []string{"Cookie: narthex_session=x"}}.build(t)
			if _, err := h.service.Resolve(t.Context(), r); !errors.Is(err, httpapi.ErrPrincipal) {
				t.Errorf("a forged cookie resolved with %v", err)
			}
		})
		if i == 0 { // its query runs before the others come, which would join it
			waittest.Until(t, "it has a connection", func() bool { return pool.Stat().AcquiredConns() == 1 })
		}
	}
	waittest.Until(t, "59 checks wait", func() bool {
		underWay, waiting := store.Checks()
		return underWay == 1 && waiting == 59
	})
	if busy := pool.Stat().AcquiredConns(); busy > 1 {
		t.Errorf("60 forged cookies hold %d connections", busy)
	}
	asking.Wait()
}

// The same holds for invented tokens of links.
func TestMadeUpTokensShareAQuery(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		t.Run(kind.screen, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			blockade := h.lockRows(t, "LOCK TABLE "+kind.table+" IN ACCESS EXCLUSIVE MODE")
			pool := h.AnotherPool(t)
			h = serve(t, h.DB, identity.NewStore(pool), base)
			var asking sync.WaitGroup
			for range 30 {
				asking.Go(func() {
					unknown, _ := identity.NewToken()
					q := request{
						path: resetPath,
						body: fmt.Sprintf(`{"newPassword":"a new password","token":%q}`, unknown),
					}
					if kind.path == sendVerificationPath {
						q = request{method: "GET", path: verifyPath + "?token=" + unknown}
					}
					if w := h.send(t, q); w.Code != 400 && w.Code != 401 && w.Code != 500 {
						t.Errorf("%s with a made-up token: status %d, want 400, 401 or 500; body %s", q.path, w.Code, w.Body)
					}
				})
			}
			waittest.Until(t, "a statement waits for the lock", func() bool { return blockade.waiting() > 0 })
			for range 50 { // checks repeatedly while the other requests arrive
				if busy := pool.Stat().AcquiredConns(); busy > 1 {
					t.Fatalf("made-up tokens hold %d connections", busy)
				}
				blockade.waiting()
			}
			blockade.release(1)
			asking.Wait()
		})
	}
}

// The same holds for sign-ins.
func TestSignInsShareQueries(t *testing.T) {
	t.Parallel()
	h := setup(t)
	blockade := h.lockRows(t, "LOCK TABLE core.person IN ACCESS EXCLUSIVE MODE")
	pool := h.AnotherPool(t)
	store := identity.NewStore(pool)
	h = serve(t, h.DB, store, base)
	var asking sync.WaitGroup
	for n := range 30 {
		asking.Go(func() {
			w := h.send(t, request{path: signInPath, body: credentials(fmt.Sprintf("p%d@example.org", n), password)})
			if w.Code != 401 && w.Code != 429 &&
				w.Code != 500 { // 429 and 500 are possible on a machine that is too slow for 30 hashes
				t.Errorf("a sign-in of nobody: %d %s", w.Code, w.Body)
			}
		})
		if n < 2 { // its query runs before the next one comes, which would join it
			waittest.Until(t, "it has a connection", func() bool { return pool.Stat().AcquiredConns() == int32(n)+1 })
		}
	}
	waittest.Until(t, "28 sign-ins wait", func() bool { return store.SignInsWaiting() == 28 })
	if busy := pool.Stat().AcquiredConns(); busy > 2 {
		t.Errorf("30 sign-ins hold %d connections", busy)
	}
	blockade.release(2)
	asking.Wait()
}
