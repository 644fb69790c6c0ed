// Package devices owns managed screens: how a screen is paired, who approves it, and how it is recognised
// afterwards (docs/glossary.md: pairing, device, claim, credential).
//
// A pairing lasts 10 minutes. Its states, and the device that results:
//
//	pending -> approved (a device with one permission exists) -> claimed (the screen has its credential)
//	        -> rejected
//	after 10 minutes: expired, and with it a device that nobody has claimed
//	10 minutes after the claim: a device whose credential nobody has used is deleted
//
// Code, claim and credential are three different secrets. The code is public: the screen displays it, an
// administrator identifies the request with it, and it gives no access. The claim never leaves the browser
// that requested the pairing, so a person who reads the code cannot collect the credential. The credential is
// derived from the claim when the screen claims it, so no administrator ever sees it, and a claim whose
// response was lost can be repeated: it returns the same credential until the credential is used for the
// first time. The database stores only the hashes of claim and credential. Its locks and its clock decide
// which request was first and what has expired. Readers treat expired rows as deleted; the sweep only frees
// their space.
package devices

import (
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

// ManageDevices is the permission for approving screens and managing devices.
const ManageDevices = "core.devices.manage"

// Displays lists the running modules that have a display.
type Displays interface {
	Display(moduleID string) (Display, bool)
	Displays() []Display // in the order in which they are shown
}

// Display is a module's display as its manifest declares it.
type Display struct {
	ModuleID   string
	ModuleName string
	Permission string // that its screens get
}

// Limiter counts each client's requests.
type Limiter interface {
	// Allow counts a request. When it refuses, it returns how long the client has to wait.
	Allow(rule ratelimit.Rule, key ratelimit.Key) (ok bool, retryAfter time.Duration)
}

// Service serves the routes of pairing and devices, and resolves devices. It is safe for concurrent use.
// Only "last seen" needs Serve to run.
type Service struct {
	store      *Store
	displays   Displays
	limiter    Limiter
	log        *zap.Logger
	claim      secretCookie
	credential secretCookie
	clientKey  []byte        // HMAC key for clients' addresses
	newCode    func() string // six random digits
	seen       *seenDevices
	ready      chan struct{}
}

// Config configures a Service. All fields are required.
type Config struct {
	Store    *Store
	Displays Displays
	Limiter  Limiter
	Settings environment.Identity // Secret, BaseURL
	Log      *zap.Logger
}

// New makes a Service. It opens no connection and starts no goroutine.
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
		seen:       newSeenDevices(),
		ready:      ready,
	}, nil
}
