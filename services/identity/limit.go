package identity

import (
	"strings"
	"time"

	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

// Limiter counts each client's requests, whatever their result.
type Limiter interface {
	// Allow counts a request. When it refuses, it returns how long the client has to wait.
	Allow(rule ratelimit.Rule, key ratelimit.Key) (ok bool, retryAfter time.Duration)
}

// The rate limits of docs/reference/identity.md.
var (
	openingRule  = ratelimit.Rule{Window: 10 * time.Second, Max: 3}
	recoveryRule = ratelimit.Rule{Window: time.Minute, Max: 3}
	ordinaryRule = ratelimit.Rule{Window: 10 * time.Second, Max: 100}
)

// ruleOf returns the rate limit of a route below /api/auth.
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

// limited counts a request before anything in it is checked (body and origin included), and writes the
// response for the error that handle returns.
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
