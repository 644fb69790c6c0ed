package doctor

import (
	"testing"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/services/environment"
)

// TestLandlockWords: for everything that a kernel can lack there is a text that says what a module is then
// not prevented from.
func TestLandlockWords(t *testing.T) {
	lacks := process.SandboxReport{}.LandlockLacks()
	for _, word := range lacks[1:] { // the first is Landlock itself, without which the sandbox is not complete
		if landlockWords[word] == "" {
			t.Errorf("doctor has no words for %q", word)
		}
	}
	if len(landlockWords) != len(lacks)-1 {
		t.Errorf("doctor has words for %d rights, there are %d", len(landlockWords), len(lacks)-1)
	}
}

func TestSameSite(t *testing.T) {
	for _, c := range []struct {
		a, b environment.Origin
		want bool
	}{
		{"https://api.church.example.org", "https://app.church.example.org", true},
		{"https://church.org.uk", "https://other.org.uk", false},
		{"https://a.github.io", "https://b.github.io", false},
		{"https://example.org", "https://app.example.org", true},
		{"https://example.org", "http://app.example.org", false},
		{"https://example.org:8443", "https://example.org", true},
		{"http://127.0.0.1:3000", "http://127.0.0.1:4000", true},
		{"http://127.0.0.1", "http://127.0.0.2", false},
		{"http://localhost:3000", "http://localhost:4000", true},
	} {
		if got := siblings(c.a, c.b); got != c.want {
			t.Errorf("siblings(%q, %q): %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
