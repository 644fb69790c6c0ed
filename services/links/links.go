// Package links owns the links by which people without an account use a module: how a module makes and
// revokes them, how one is opened in a browser, and how it is recognised afterwards (docs/glossary.md: link).
//
// A link has one permission of one module and a subject, which only the module understands. It is never a
// person: it does not hold what every signed-in person holds, and is nobody to the rest of the platform.
//
// Its secret is in the fragment of its address, which browsers send to no server. The page sends it once, in
// a body, and gets a cookie with another secret, which is derived from the first one. The database stores
// only the hashes of both. A link that is unknown, revoked, ended or of another module gives one and the same
// response.
package links

import (
	"errors"
	"time"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

// Limiter counts each client's requests.
type Limiter interface {
	// Allow counts a request. When it refuses, it returns how long the client has to wait.
	Allow(rule ratelimit.Rule, key ratelimit.Key) (ok bool, retryAfter time.Duration)
}

// Service opens links, resolves them, and makes and revokes them for modules. It is safe for concurrent use
// and starts no goroutine.
type Service struct {
	store   *Store
	limiter Limiter
	origin  environment.Origin
	cookie  cookie
}

// Config configures a Service. All fields are required.
type Config struct {
	Store   *Store
	Limiter Limiter
	Origin  environment.Origin // of the API, where the pages of links are
}

// New makes a Service.
func New(config Config) (*Service, error) {
	if config.Store == nil || config.Limiter == nil {
		return nil, errors.New("links: a store and a limiter are required")
	}
	return &Service{config.Store, config.Limiter, config.Origin, newCookie(config.Origin.HTTPS())}, nil
}
