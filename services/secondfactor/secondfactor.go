// Package secondfactor owns what people have beside their password: passkeys (WebAuthn), and recovery codes
// for the day on which the passkey is lost. It completes the sign-ins that services/identity leaves pending.
//
// Whatever is wrong with an answer to a sign-in, the response is the same 403 SECOND_FACTOR_INVALID. A
// challenge is stored with the sign-in or session that asked for it, works once, and expires by the
// database's clock. All changes of one person's second factor, and the completion of their sign-ins, happen
// one after the other, under the lock of the person's row.
package secondfactor

import (
	"context"
	"errors"
	"net/http"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/environment"
)

// Sessions knows the cookies of sessions and of pending sign-ins.
type Sessions interface {
	// SessionOf returns what the database knows the request's session by. Without one, no row has it.
	SessionOf(r *http.Request) (hash [32]byte)
	// PendingOf does the same for a pending sign-in.
	PendingOf(r *http.Request) (hash [32]byte, found bool)
	// NewSession makes the cookie's value of a session, and what the database will know it by.
	NewSession() (value string, hash [32]byte)
	// Complete hands the session to the browser, and ends its pending sign-in there.
	Complete(response http.Header, value string, persistent bool)
}

// Outbox queues emails and sends them later, so that no request waits for a mail server.
type Outbox interface {
	Post(email mail.Email) (queued bool)
}

// Emails writes the emails about a changed second factor.
type Emails interface {
	PasskeyAdded(to string) mail.Message
	PasskeyRemoved(to string) mail.Message
	RecoveryCodeUsed(to string) mail.Message
}

// House is asked for the name of the house, which authenticators show.
type House interface {
	Letterhead() (name, language, accent string)
}

// Service serves the routes of the second factor. It is safe for concurrent use and starts no goroutine.
type Service struct {
	store      *Store
	sessions   Sessions
	accounts   Accounts
	outbox     Outbox
	emails     Emails
	house      House
	ceremonies *ceremonies // nil: browsers have no passkeys for the Dashboard's origin
	log        *zap.Logger
}

// Config configures a Service. All fields are required.
type Config struct {
	Store     *Store
	Sessions  Sessions
	Accounts  Accounts
	Outbox    Outbox
	Emails    Emails
	House     House
	Dashboard environment.Origin // on whose pages passkeys are made and used
	Log       *zap.Logger
}

// New makes a Service. It opens no connection.
func New(config Config) (*Service, error) {
	if config.Store == nil || config.Sessions == nil || config.Accounts == nil || config.Outbox == nil ||
		config.Emails == nil || config.House == nil || config.Log == nil {
		return nil, errors.New("secondfactor: every field of the configuration is required")
	}
	return &Service{
		store: config.Store, sessions: config.Sessions, accounts: config.Accounts, outbox: config.Outbox,
		emails: config.Emails, house: config.House, ceremonies: newCeremonies(config.Dashboard),
		log: config.Log,
	}, nil
}

// tell queues an email to a person.
func (s *Service) tell(write func(to string) mail.Message, address string) {
	s.outbox.Post(mail.Email{
		Compose: func(context.Context) (mail.Message, bool) { return write(address), true },
	})
}
