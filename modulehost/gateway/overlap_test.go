package gateway_test

import (
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// TestRoutesThatOverlap: two patterns that match the same path are refused unless one is more specific, and
// both are named.
func TestRoutesThatOverlap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		first, second string
		refused       bool
	}{
		{"GET /a/{x}", "GET /{y}/b", true},
		{"GET /a/{x}/c", "GET /{y}/b/{z}", true},
		{"GET /a/{x}", "POST /{y}/b", false},
		{"GET /a/{x}", "GET /a/b", false},
		{"GET /{x}/{y}", "GET /a/b", false},
		{"GET /{x}/b", "GET /a/b", false},
		{"GET /a/{x}", "GET /b/{x}", false},
		{"GET /a/{x}", "GET /{y}/b/c", false},
	} {
		var routes []*abi.Route
		for _, pattern := range []string{c.first, c.second} {
			method, path, _ := strings.Cut(pattern, " ")
			routes = append(routes, &abi.Route{Method: method, Path: path, Permission: "sample.use"})
		}
		err := gateway.CheckRoutes([]string{"sample.use"}, routes)
		if (err != nil) != c.refused || err != nil &&
			(!strings.Contains(err.Error(), c.first) || !strings.Contains(err.Error(), c.second)) {
			t.Errorf("%s and %s: error %v, want one with both: %v", c.first, c.second, err, c.refused)
		}
	}
}
