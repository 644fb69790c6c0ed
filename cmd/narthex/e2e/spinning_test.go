package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSpinningModulesLeaveOthersTheirShare: three modules that spin on every core, and the calls that
// another one answers meanwhile. The bound is half of what must be kept on a quiet machine. NARTHEX_SPIN
// sets how long each of the three measurements takes.
func TestSpinningModulesLeaveOthersTheirShare(t *testing.T) {
	lasts, _ := time.ParseDuration(os.Getenv("NARTHEX_SPIN"))
	lasts = max(lasts, 2*time.Second)
	i := install(t, "base")
	spinning := []string{"spinning-a", "spinning-b", "spinning-c"}
	copies(t, i.environment["SERVICE_MODULES_DIR"], "hostile", spinning...)
	b := &besieged{installation: i, daemon: i.start(t)}
	b.owner = i.signIn(t, ownerAddress, ownerPassword)
	rate := func() float64 {
		ctx, cancel := context.WithTimeout(t.Context(), lasts)
		defer cancel()
		var answered atomic.Int64
		var callers sync.WaitGroup
		for range 4 {
			p := b.another(t)
			callers.Go(func() {
				for ctx.Err() == nil {
					if got, err := p.try(ctx, "GET", "/api/v1/modules/base/plain", nil); err == nil && got.status == http.StatusOK {
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
	kept := fmt.Sprintf("%.0f of %.0f calls a second (%.0f %%)", meanwhile, alone, 100*meanwhile/alone)
	if meanwhile < alone*4/10 {
		t.Errorf("beside three spinning modules another one answers %s, want 40 %% at least", kept)
	}
	t.Log("kept: " + kept)
}
