package links_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkRefusal compares how long it takes to be refused with a revoked link and with one that never was:
// the medians of their answers, as a ratio. It should be about 1, so that nobody learns which links there
// were.
func BenchmarkRefusal(b *testing.B) {
	p, _ := setup(b)
	secrets := map[string]string{
		"revoked": p.link(b, "revoked", time.Time{}), "unknown": strings.Repeat("A", 43),
	}
	if err := p.Revoke(b.Context(), "", "rota", "revoked"); err != nil {
		b.Fatal(err)
	}
	took := make(map[string][]time.Duration)
	clients := 0
	for b.Loop() {
		for what, secret := range secrets { // in any order
			clients++
			from := fmt.Sprintf("10.%d.%d.%d", clients>>16&255, clients>>8&255, clients&255)
			begun := b.Elapsed()
			if w := p.open(b, from, "rota", secret); w.Code != 404 {
				b.Fatalf("%s: %d, want 404", what, w.Code)
			}
			took[what] = append(took[what], b.Elapsed()-begun)
		}
	}
	median := func(what string) float64 {
		slices.Sort(took[what])
		return float64(took[what][len(took[what])/2])
	}
	b.ReportMetric(median("revoked")/median("unknown"), "revoked/unknown")
}
