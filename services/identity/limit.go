package identity

import (
	"strings"
	"time"

	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

// Limiter counts the requests of each client, whatever comes of them.
type Limiter interface {
	// Allow counts a request, or refuses it and tells how long the client has to wait.
	Allow(rule ratelimit.Rule, key ratelimit.Key) (ok bool, retryAfter time.Duration)
}

// The rules of contract.md §2.
var (
	openingRule  = ratelimit.Rule{Window: 10 * time.Second, Max: 3}
	recoveryRule = ratelimit.Rule{Window: time.Minute, Max: 3}
	ordinaryRule = ratelimit.Rule{Window: 10 * time.Second, Max: 100}
)

// ruleOf tells which rule a route below /api/auth is under.
func ruleOf(path string) ratelimit.Rule {
	below := strings.TrimPrefix(path, "/api/auth")
	switch {
	case strings.HasPrefix(below, "/sign-in"), strings.HasPrefix(below, "/sign-up"):
		return openingRule
	case below == "/request-password-reset", below == "/send-verification-email":
		return recoveryRule
	}
	return ordinaryRule
}

// limited counts a request before anything of it is looked at, parsing and origin included, and answers
// what it fails with.
func (s *Service) limited(path string, handle httpapi.Handler) httpapi.Handler {
	rule := ruleOf(path)
	return func(c *httpapi.Call) error {
		client := clientaddress.Of(c.Request.Header)
		if ok, wait := s.limiter.Allow(rule, ratelimit.KeyOf(client, path)); !ok {
			return s.respond(c, tooMany(wait))
		}
		return s.respond(c, handle(c))
	}
}
