package httpserver

import (
	"net/http"

	"github.com/narthex-platform/narthex/services/environment"
)

// originSet is the list of trusted origins, each in the exact format of a browser's Origin header.
type originSet map[string]struct{}

func newOriginSet(origins []environment.Origin) originSet {
	set := make(originSet, len(origins))
	for _, origin := range origins {
		set[string(origin)] = struct{}{}
	}
	return set
}

func (s originSet) has(origin string) bool {
	_, found := s[origin]
	return found
}

// trusts requires exactly one Origin header. The Referer header is never consulted.
func (s originSet) trusts(r *http.Request) bool {
	origins := r.Header["Origin"]
	return len(origins) == 1 && s.has(origins[0])
}
