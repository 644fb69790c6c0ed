package sample_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/dev/sample"
)

// TestFill: a module that runs is filled, and an error names the module and the route. A module that does not
// run is skipped.
func TestFill(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		state, refused string
		calls          int // of the module
		says           []string
	}{
		{state: "running", calls: 8},
		{state: "blocked"},
		{state: "running", refused: "/slides", calls: 2, says: []string{"announcements: ",
			"POST /api/v1/modules/announcements/slides: 409 Conflict", "THE_CODE"}},
	} {
		var mu sync.Mutex
		var calls []string
		platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			calls = append(calls, r.Method+" "+r.URL.Path)
			mu.Unlock()
			switch {
			case r.URL.Path == "/api/v1/module-lifecycle":
				_, _ = io.WriteString(w, `{"modules":[{"id":"announcements","runtime":{"state":"`+row.state+`"}}]}`)
			case row.refused != "" && strings.HasSuffix(r.URL.Path, row.refused):
				w.WriteHeader(http.StatusConflict)
				_, _ = io.WriteString(w, `{"code":"THE_CODE"}`)
			default:
				_, _ = io.WriteString(w, `{"id":"1"}`)
			}
		}))
		owner := sample.Owner{Email: "owner@example.org", Password: "a password"}
		err := sample.Fill(t.Context(), platform.URL, owner)
		platform.Close()
		ofModule := slices.DeleteFunc(slices.Clone(calls), func(call string) bool {
			return !strings.Contains(call, "/api/v1/modules/")
		})
		said := ""
		if err != nil {
			said = err.Error()
		}
		for _, want := range row.says {
			if !strings.Contains(said, want) {
				t.Errorf("Fill with the module %s, %q refused: %q, want %q in it", row.state, row.refused, said, want)
			}
		}
		if len(row.says) == 0 && err != nil || len(ofModule) != row.calls ||
			calls[len(calls)-1] != "POST /api/auth/sign-out" {
			t.Errorf("Fill with the module %s, %q refused: error %v, calls %v; want %d of the module and a sign-out",
				row.state, row.refused, err, calls, row.calls)
		}
	}
}
