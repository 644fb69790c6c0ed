package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// TestDevsRoutesAreDevsAlone: the routes that dev adds for a module's author do not exist in narthex itself.
func TestDevsRoutesAreDevsAlone(t *testing.T) {
	t.Parallel()
	i := install(t, "base")
	i.start(t)
	visitor := i.visitor(t)
	for _, path := range []string{"/_dev/state", "/_dev/page.js"} {
		if got := visitor.do("GET", path, nil); got.status != http.StatusNotFound {
			t.Errorf("GET %s: status %d, want 404", path, got.status)
		}
	}
	if got := visitor.do("GET", "/", nil); got.status != http.StatusOK || strings.Contains(got.body, "_dev") {
		t.Errorf("GET /: status %d, want 200, and nothing of dev's: %.300s", got.status, got.body)
	}
}
