package emails_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/narthex-platform/narthex/services/emails"
)

// TestContrast: words stand out from their ground, in the colours of every house, light and dark.
func TestContrast(t *testing.T) {
	t.Parallel()
	for _, accent := range []string{"blue", "violet", "plum", "ruby", "copper", "olive", "green", "teal"} {
		for _, pair := range emails.Pairs(accent) {
			if got := contrast(t, pair[0], pair[1]); got < 4.5 {
				t.Errorf("%s: %s on %s has a contrast of %.2f, want at least 4.5", accent, pair[0], pair[1], got)
			}
		}
	}
}

// contrast is the contrast ratio of WCAG 2.2.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	sum := 0.0
	for at, weight := range []float64{0.2126, 0.7152, 0.0722} {
		part, err := strconv.ParseUint(colour[1+2*at:3+2*at], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		share := float64(part) / 255
		if share <= 0.04045 {
			sum += weight * share / 12.92
		} else {
			sum += weight * math.Pow((share+0.055)/1.055, 2.4)
		}
	}
	return sum
}
