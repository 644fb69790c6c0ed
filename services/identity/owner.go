package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// Owner is who identity:create-initial-owner is asked to make the platform's owner.
type Owner struct {
	Email string
	Name  string // empty: the part of the address before the @

	// Password is asked at most once, and only when a person has to be created. Its error is returned as it is.
	Password func(context.Context) (environment.Secret, error)
}

// Outcome tells what was done.
type Outcome struct {
	UserID  string
	Adopted bool // the person existed: ownership and verification were added, the password was left alone
}

// standing is how an address stands before ownership is granted.
type standing struct {
	owned      bool   // the installation has an owner
	userID     string // "": nobody has this address
	credential bool
}

// errStandingChanged: what was decided before the lock is not so behind it.
var errStandingChanged = errors.New("identity: somebody else changed the address meanwhile")

const maxName = 200 // characters

// CreateInitialOwner creates a verified person and makes it the owner, or adopts a person who has a
// password already. Whole invocations exclude each other by a table lock, and the owner table's key would
// decide without it: of any number at once, one succeeds. Whether a password is needed is found out before
// it is asked for, and decided again behind the lock.
//
// Codes: EMAIL_INVALID, NAME_INVALID, OWNER_ALREADY_EXISTS, IDENTITY_WITHOUT_CREDENTIAL, PASSWORD_INVALID,
// STORE_UNAVAILABLE (errors.go says what each leaves behind). Waits for other invocations at most 20 s.
// Source: spec.md § Operator commands, contract.md §9.
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
	for range 3 { // an address that changes three times under an operator's hands is somebody's fault
		now, err := store.standing(ctx, address)
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
		if !errors.Is(err, errStandingChanged) {
			return outcome, err
		}
	}
	return Outcome{}, fmt.Errorf("%w: %w", ErrStore, errStandingChanged)
}

func (s standing) refusal() error {
	switch {
	case s.owned:
		return ErrOwnerExists
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
