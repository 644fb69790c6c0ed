package e2e

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSpinningModulesLeaveOthersTheirShare measures how many calls a module handles beside three modules that
// use all processors. The result depends on the machine and on other load, so the test runs only if
// NARTHEX_SPIN is set: the duration of one measurement, for example 20s. Three measurements with the spinning
// modules alternate with three without.
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
	var kept []float64
	for range 3 {
		alone := b.rate(t, lasts)
		for _, id := range spinning {
			eventually(t, id+" spins", func() bool {
				return b.owner.do("GET", "/api/v1/modules/"+id+"/spin", nil).status == http.StatusOK
			})
		}
		beside := b.rate(t, lasts)
		for _, id := range spinning {
			_ = b.owner.do("GET", "/api/v1/modules/"+id+"/exit", nil)
		}
		load, _ := os.ReadFile("/proc/loadavg")
		t.Logf("alone %.0f calls a second, beside three spinning modules %.0f (%.0f %%); load of the machine %s",
			alone, beside, 100*beside/alone, strings.TrimSpace(string(load)))
		kept = append(kept, 100*beside/alone)
	}
	slices.Sort(kept)
	t.Logf("kept, median: %.0f %%", kept[1])
}

// rate returns how many calls a second the module base handles for four people.
func (b *faultyPlatform) rate(t *testing.T, lasts time.Duration) float64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	var responded atomic.Int64
	var callers sync.WaitGroup
	for range 4 {
		p := b.newConnection(t)
		callers.Go(func() {
			for ctx.Err() == nil {
				if got, err := p.doContext(ctx, "GET", "/api/v1/modules/base/plain", nil); err == nil &&
					got.status == http.StatusOK {
					responded.Add(1)
				}
			}
		})
	}
	callers.Wait()
	return float64(responded.Load()) / lasts.Seconds()
}
