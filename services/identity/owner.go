package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// Owner is the person whom identity:create-initial-owner makes the platform's owner.
type Owner struct {
	Email string
	Name  string // empty: the part of the address before the @

	// Password is called at most once, and only when a new person has to be created. Its error is returned
	// unchanged.
	Password func(context.Context) (environment.Secret, error)
}

// Outcome is what CreateInitialOwner did.
type Outcome struct {
	UserID  string
	Adopted bool // the person existed: ownership and verification were added, the password was left alone
}

// addressState is what the database contains about an address before ownership is granted.
type addressState struct {
	owned      bool   // the installation has an owner
	userID     string // "": nobody has this address
	credential bool
	// deactivated is true for a deactivated person, who cannot become the owner.
	deactivated bool
}

// errAddressStateChanged: what was read before the table lock no longer holds under the lock.
var errAddressStateChanged = errors.New("identity: somebody else changed the address at the same time")

const maxName = 200 // characters

// CreateInitialOwner creates a verified person and makes it the owner, or makes an existing person with a
// password the owner. A table lock makes invocations exclude each other, and the owner table's primary key
// would allow only one without it. It reads whether a password is needed before the prompt, and checks that
// again under the lock.
//
// Codes: EMAIL_INVALID, NAME_INVALID, OWNER_ALREADY_EXISTS, IDENTITY_WITHOUT_CREDENTIAL, PASSWORD_INVALID,
// STORE_UNAVAILABLE (errors.go documents what each leaves behind). It waits for other invocations for at most
// 20 s.
func CreateInitialOwner(ctx context.Context, store *Store, owner Owner) (Outcome, error) {
	address, ok := parseAddress(owner.Email)
	if !ok {
		return Outcome{}, ErrEmail
	}
	name := owner.Name
	if name == "" {
		name, _, _ = strings.Cut(owner.Email, "@")
	}
	if !nameFits(name) {
		return Outcome{}, ErrName
	}

	candidate := candidate{address: address, name: name}
	for range 3 { // more changes than that are not a coincidence
		now, err := store.addressState(ctx, address)
		if err != nil {
			return Outcome{}, err
		}
		if err := now.refusal(); err != nil {
			return Outcome{}, err
		}
		if now.userID == "" && candidate.passwordHash == "" {
			if candidate.passwordHash, err = askPassword(ctx, owner); err != nil {
				return Outcome{}, err
			}
		}
		outcome, err := store.grantOwnership(ctx, candidate)
		if !errors.Is(err, errAddressStateChanged) {
			return outcome, err
		}
	}
	return Outcome{}, fmt.Errorf("%w: %w", ErrStore, errAddressStateChanged)
}

func (s addressState) refusal() error {
	switch {
	case s.owned:
		return ErrOwnerExists
	case s.deactivated:
		return ErrDeactivated
	case s.userID != "" && !s.credential:
		return ErrWithoutCredential
	}
	return nil
}

func askPassword(ctx context.Context, owner Owner) (hash string, err error) {
	secret, err := owner.Password(ctx)
	if err != nil {
		return "", err
	}
	password := secret.Reveal()
	if !passwordFits(password) {
		return "", ErrPassword
	}
	return hashPassword(password), nil
}

func nameFits(name string) bool { return httpapi.IsName(name, maxName) }

// OwnerSession begins a session of the platform's owner without a password, and returns its cookie in the
// format of a request's Cookie header. Without an owner it returns "". It is for rehearsals, which run on a
// copy of the database.
func (s *Service) OwnerSession(ctx context.Context) (cookie string, err error) {
	value, hash := s.cookie.newValue()
	found, err := s.store.beginOwnerSession(ctx, hash)
	if err != nil || !found {
		return "", err
	}
	return s.cookie.name + "=" + value, nil
}
