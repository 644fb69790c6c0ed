// Package identity owns who a person is to the platform: the account, the password, the mailed links that
// verify an address or replace a password, the session and its cookie, the answer to "who is calling", and
// the first person of an installation (spec.md § Identity, § Authentication; contract.md §2).
//
// What a person may do is not decided here: services/authorization never meets a password, and this package
// never a permission.
package identity

import (
	"errors"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/environment"
)

// Outbox sends letters when their turn comes, off the request's path.
type Outbox interface {
	Post(letter mail.Email) (queued bool)
}

// Service answers identity's routes and resolves sessions. Safe for concurrent use; it runs nothing of its
// own.
type Service struct {
	store     *Store
	cookie    sessionCookie
	origins   trustedOrigins
	passwords *hasher
	limiter   Limiter
	outbox    Outbox
	emails    *emails
	signUps   bool
	log       *zap.Logger
}

// Config is what a Service is made of. All fields are required.
type Config struct {
	Store    *Store
	Settings environment.Identity
	Limiter  Limiter
	Outbox   Outbox
	Log      *zap.Logger
}

// New derives the cookie key from the identity secret. It opens no connection and computes no password hash.
func New(config Config) (*Service, error) {
	if config.Store == nil || config.Limiter == nil || config.Outbox == nil || config.Log == nil {
		return nil, errors.New("identity: a store, a limiter, an outbox and a log are required")
	}
	cookie, err := newSessionCookie(config.Settings)
	if err != nil {
		return nil, err
	}
	return &Service{
		store:     config.Store,
		cookie:    cookie,
		origins:   newTrustedOrigins(config.Settings),
		passwords: newHasher(),
		limiter:   config.Limiter,
		outbox:    config.Outbox,
		emails:    newEmails(config.Settings.Dashboard),
		signUps:   config.Settings.PublicSignUp,
		log:       config.Log,
	}, nil
}
