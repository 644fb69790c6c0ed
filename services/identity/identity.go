// Package identity owns accounts: passwords, the mailed links that verify an address or replace a password,
// sessions and their cookie, who sent a request, and the first owner of an installation.
// docs/reference/identity.md lists its routes.
//
// It does not decide what a person may do. services/authorization never sees a password, and this package
// never sees a permission.
package identity

import (
	"errors"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/emails"
	"github.com/narthex-platform/narthex/services/environment"
)

// Outbox queues emails and sends them later, so that no request waits for a mail server.
type Outbox interface {
	Post(email mail.Email) (queued bool)
}

// Service serves identity's routes and resolves sessions. It is safe for concurrent use and starts no
// goroutine.
type Service struct {
	store     *Store
	cookie    sessionCookie
	pending   pendingCookie
	origins   trustedOrigins
	passwords *hasher
	limiter   Limiter
	outbox    Outbox
	emails    *emails.Writer
	signUps   bool
	log       *zap.Logger
}

// Config configures a Service. All fields are required.
type Config struct {
	Store    *Store
	Settings environment.Identity
	Limiter  Limiter
	Outbox   Outbox
	Emails   *emails.Writer
	Log      *zap.Logger
}

// New derives the cookie key from the identity secret. It opens no connection and computes no password
// hash.
func New(config Config) (*Service, error) {
	if config.Store == nil || config.Limiter == nil || config.Outbox == nil || config.Emails == nil ||
		config.Log == nil {
		return nil, errors.New("identity: a store, a limiter, an outbox, a writer of emails and a log are required")
	}
	cookie, err := newSessionCookie(config.Settings)
	if err != nil {
		return nil, err
	}
	return &Service{
		store:     config.Store,
		cookie:    cookie,
		pending:   newPendingCookie(config.Settings.BaseURL),
		origins:   newTrustedOrigins(config.Settings),
		passwords: newHasher(),
		limiter:   config.Limiter,
		outbox:    config.Outbox,
		emails:    config.Emails,
		signUps:   config.Settings.PublicSignUp,
		log:       config.Log,
	}, nil
}
