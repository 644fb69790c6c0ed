package secondfactor_test

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkBeforeThePassword compares how long a wrong password takes: that of somebody with a passkey, and
// that of nobody, each beside that of somebody without a passkey. The medians, as ratios, should be about 1,
// so that nobody learns who has a passkey, or an account.
func BenchmarkBeforeThePassword(b *testing.B) {
	h := setup(b)
	h.member(b)
	addresses := map[string]string{"with": anna, "without": "ben@example.org", "nobody": "nobody@example.org"}
	took := make(map[string][]time.Duration)
	for b.Loop() {
		for who, email := range addresses { // in any order
			visitor := h.browser()
			begun := b.Elapsed()
			w := visitor.send("/api/auth/sign-in/email", `{"email":"`+email+`","password":"not the password"}`)
			took[who] = append(took[who], b.Elapsed()-begun)
			if w.Code != 401 {
				b.Fatalf("%s: %d, want 401", who, w.Code)
			}
		}
	}
	median := func(who string) float64 {
		slices.Sort(took[who])
		return float64(took[who][len(took[who])/2])
	}
	b.ReportMetric(median("with")/median("without"), "with/without")
	b.ReportMetric(median("nobody")/median("without"), "nobody/without")
}
