// Package devices owns managed screens: how one asks to be paired, how it is let in, and by what it is
// known afterwards (spec.md § Display device and pairing, § Authentication 6; contract.md §5).
//
// The life of a pairing, which lasts 10 minutes, and of the device that comes of it:
//
//	asked for → pending ─┬─ approved: a device with one permission ── claimed: the screen has its credential
//	                     └─ rejected
//	10 minutes after it was asked for: expired; a device that nobody has claimed is gone with it
//
// Three things are kept apart. The code is public: it is read off the screen, names a request to an
// administrator and opens nothing. The claim secret never leaves the browser that asked, so who reads a
// code over a shoulder cannot collect what it leads to. The credential is made when it is claimed, so no
// administrator ever holds one. The database has only the hashes of both secrets, and it alone decides who
// was first and what has expired. What expired is treated as gone when it is read; the sweep only frees its
// room.
package devices

import (
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

// ManageDevices is the permission that approving a screen and managing devices ask for.
const ManageDevices = "core.devices.manage"

// Displays tells which running modules have a display.
type Displays interface {
	Display(moduleID string) (Display, bool)
	Displays() []Display // in the order in which they are shown
}

// Display is what a module's validated manifest says of its display.
type Display struct {
	ModuleID   string
	ModuleName string
	Permission string // the one that its screens hold
}

// Limiter counts the requests of each client.
type Limiter interface {
	// Allow counts a request, or refuses it and tells how long the client has to wait.
	Allow(rule ratelimit.Rule, key ratelimit.Key) (ok bool, retryAfter time.Duration)
}

// Service answers the routes of pairing and devices and resolves devices. Safe for concurrent use.
// Everything but the time a device was last seen works whether or not Serve runs.
type Service struct {
	store      *Store
	displays   Displays
	limiter    Limiter
	log        *zap.Logger
	claim      secretCookie
	credential secretCookie
	clientKey  []byte        // of the HMAC that stands for an address
	newCode    func() string // six random digits
	seen       *sightings
	ready      chan struct{}
}

// Config is what a Service is made of. All fields are required.
type Config struct {
	Store    *Store
	Displays Displays
	Limiter  Limiter
	Settings environment.Identity // Secret, BaseURL
	Log      *zap.Logger
}

// New opens no connection and starts nothing.
func New(config Config) (*Service, error) {
	if config.Store == nil || config.Displays == nil || config.Limiter == nil || config.Log == nil {
		return nil, errors.New("devices: a store, displays, a limiter and a log are required")
	}
	keys, err := config.Settings.Keys("narthex pairing client 1")
	if err != nil {
		return nil, err
	}
	https := config.Settings.BaseURL.HTTPS()
	ready := make(chan struct{})
	close(ready)
	return &Service{
		store:      config.Store,
		displays:   config.Displays,
		limiter:    config.Limiter,
		log:        config.Log,
		claim:      newSecretCookie("narthex_claim", https, claimCookieLifetime),
		credential: newSecretCookie("narthex_device", https, credentialCookieLifetime),
		clientKey:  keys.Current,
		newCode:    randomCode,
		seen:       newSightings(),
		ready:      ready,
	}, nil
}
