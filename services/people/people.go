// Package people owns the directory of the people who belong to the house, invitations, deactivation and
// erasure, and the routes of a person's own account.
//
// How a person proves who they are, and the sessions that follow from it, belong to services/identity; what
// they may do belongs to services/authorization.
package people

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

// Sessions ends sessions of people.
type Sessions interface {
	// SignOutEverywhere ends every session that a person has, and clears the session's cookie in the header of
	// the response. An error means that the store failed; then it is unknown whether they have ended.
	SignOutEverywhere(ctx context.Context, userID string, response http.Header) error
}

// Passwords checks and hashes passwords, and parses addresses.
type Passwords interface {
	// CheckPassword refuses a password that nobody may choose. Its error has a code.
	CheckPassword(password string) error
	// NewPassword hashes a password. Its error has a code: TOO_MANY_REQUESTS when too many hashes are waiting.
	NewPassword(ctx context.Context, password string) (hash string, err error)
	// ParseAddress returns the form in which an address is stored.
	ParseAddress(text string) (address string, ok bool)
}

// Limiter counts each client's requests.
type Limiter interface {
	// Allow counts a request. When it refuses, it returns how long the client has to wait.
	Allow(rule ratelimit.Rule, key ratelimit.Key) (ok bool, retryAfter time.Duration)
}

// Outbox queues emails and sends them later, so that no request waits for a mail server.
type Outbox interface {
	Post(email mail.Email) (queued bool)
}

// Emails writes the text of an email.
type Emails interface {
	Invited(to, token string) mail.Message
	PasskeyReminder(to string) mail.Message
}

// Service serves the routes about people. It is safe for concurrent use and starts no goroutine.
type Service struct {
	store     *Store
	sessions  Sessions
	accounts  Accounts
	grants    Grants
	passwords Passwords
	declared  func(permission string) bool
	limiter   Limiter
	outbox    Outbox
	emails    Emails
	erased    func()
	exporters Exporters
	exporting chan struct{} // full while an export is made
	log       *zap.Logger
}

// Config holds the dependencies of a Service. All fields are required.
type Config struct {
	Store     *Store
	Sessions  Sessions
	Accounts  Accounts
	Grants    Grants
	Passwords Passwords
	Declared  func(permission string) bool // whether the platform or a module declares it
	Limiter   Limiter
	Outbox    Outbox
	Emails    Emails
	Erased    func() // is called after an erasure, which modules have to follow; it must not block
	Exporters Exporters
	Log       *zap.Logger
}

// New makes a Service. It opens no connection and starts no goroutine.
func New(config Config) *Service {
	return &Service{
		store: config.Store, sessions: config.Sessions, accounts: config.Accounts, grants: config.Grants,
		passwords: config.Passwords, declared: config.Declared, limiter: config.Limiter, outbox: config.Outbox,
		emails: config.Emails, erased: config.Erased,
		exporters: config.Exporters, exporting: make(chan struct{}, 1), log: config.Log,
	}
}
