package devices_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/services/devices"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/waittest"
)

// While the devices are locked, 60 invented cookies use at most three connections of the pool: two look-ups
// and one check.
func TestForgedCookiesLeaveThePoolAlone(t *testing.T) {
	t.Parallel()
	h := setup(t)
	lockDevices(t, h)
	pool := h.AnotherPool(t)
	h.serve(t, pool)
	var callers sync.WaitGroup
	for n := range 60 {
		callers.Go(func() {
			cookie := "narthex_device=x"
			if n%2 == 0 {
				unknown, _ := devices.NewSecret()
				cookie = "narthex_device=" + unknown
			}
			if _, err := h.resolve(t, cookie); !errors.Is(err, httpapi.ErrPrincipal) {
				t.Errorf("%s resolved with error %v, want ErrPrincipal", cookie, err)
			}
		})
		if n < 3 { // its query runs before the next caller comes, which could join it
			waittest.Until(t, "it has a connection", func() bool { return pool.Stat().AcquiredConns() == int32(n)+1 })
		}
	}
	waittest.Until(t, "57 wait", func() bool { return h.store.Waiting() == 57 })
	if busy := pool.Stat().AcquiredConns(); busy > 3 {
		t.Errorf("60 forged cookies hold %d connections, want at most 3", busy)
	}
	callers.Wait()
}

// The same holds for invented claims, and for screens that request a pairing.
func TestStrangersLeaveThePoolAloneWhilePairingsAreLocked(t *testing.T) {
	t.Parallel()
	h := setup(t)
	lockTable(t, h, "core.device_pairing")
	pool := h.AnotherPool(t)
	h.serve(t, pool)
	var callers sync.WaitGroup
	for n := range 60 {
		callers.Go(func() {
			unknown, _ := devices.NewSecret()
			q := []request{
				{method: "GET", path: pairing, cookie: "narthex_claim=" + unknown},
				{method: "POST", path: claim, body: "{}", cookie: "narthex_claim=" + unknown},
				asking("stage"),
			}[n%3]
			h.assertSend(t, q, 503, "STORE_UNAVAILABLE")
		})
		if n == 0 { // its query runs before the others come, which could join it
			waittest.Until(t, "it has a connection", func() bool { return pool.Stat().AcquiredConns() == 1 })
		}
	}
	waittest.Until(t, "39 wait", func() bool { return h.store.Waiting() == 39 })
	if busy := pool.Stat().AcquiredConns(); busy > 3 {
		t.Errorf("60 strangers hold %d connections, want at most 3", busy)
	}
	callers.Wait()
}

// Look-ups that share a query get their own results.
func TestSharedLookupsKeepResultsApart(t *testing.T) {
	t.Parallel()
	h := setup(t)
	cookies := map[string]string{"narthex_device=x": ""}
	for range 4 {
		device, credential := h.pair(t, "stage")
		cookies[credential] = device.ID
		unknown, _ := devices.NewSecret()
		cookies["narthex_device="+unknown] = ""
	}
	revoked, credential := h.pair(t, "stage")
	h.assertSend(t, revoking(revoked.ID), 200, "")
	cookies[credential] = ""
	var callers sync.WaitGroup
	for cookie, want := range cookies {
		callers.Go(func() {
			for range 50 {
				if who, err := h.resolve(t, cookie); err != nil || who.DeviceID != want {
					t.Errorf("%s resolved to %q, %v, want %q", cookie, who.DeviceID, err, want)
				}
			}
		})
	}
	callers.Wait()
}
