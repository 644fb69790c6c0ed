package e2e

import (
	"context"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSpinningModulesLeaveOthersTheirShare measures how many calls a module answers beside three that spin on
// every core. How much it keeps depends on the machine and on what else runs, so it only runs when it is
// asked for: NARTHEX_SPIN sets how long each of the three measurements takes, for example 20s.
func TestSpinningModulesLeaveOthersTheirShare(t *testing.T) {
	lasts, err := time.ParseDuration(os.Getenv("NARTHEX_SPIN"))
	if err != nil {
		t.Skip("a measurement; set NARTHEX_SPIN, for example to 20s")
	}
	i := install(t, "base")
	spinning := []string{"spinning-a", "spinning-b", "spinning-c"}
	installCopies(t, i.environment["SERVICE_MODULES_DIR"], "misbehaving", spinning...)
	b := &faultyPlatform{installation: i, daemon: i.start(t)}
	b.owner = i.signIn(t, ownerAddress, ownerPassword)
	rate := func() float64 {
		ctx, cancel := context.WithTimeout(t.Context(), lasts)
		defer cancel()
		var answered atomic.Int64
		var callers sync.WaitGroup
		for range 4 {
			p := b.newConnection(t)
			callers.Go(func() {
				for ctx.Err() == nil {
					if got, err := p.doContext(ctx, "GET", "/api/v1/modules/base/plain", nil); err == nil &&
						got.status == http.StatusOK {
						answered.Add(1)
					}
				}
			})
		}
		callers.Wait()
		return float64(answered.Load()) / lasts.Seconds()
	}
	before := rate()
	for _, id := range spinning {
		if got := b.owner.do("GET", "/api/v1/modules/"+id+"/spin", nil); got.status != http.StatusOK {
			t.Fatalf("GET .../%s/spin: %d %s, want 200", id, got.status, got.body)
		}
	}
	meanwhile := rate()
	for _, id := range spinning {
		_ = b.owner.do("GET", "/api/v1/modules/"+id+"/exit", nil)
	}
	alone := (before + rate()) / 2
	t.Logf("kept beside three spinning modules: %.0f of %.0f calls a second (%.0f %%)",
		meanwhile, alone, 100*meanwhile/alone)
}
