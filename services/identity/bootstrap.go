package identity

import (
	"context"

	"github.com/google/uuid"
)

// Existing names a person who exists, by address or by id: exactly one of the two is set.
type Existing struct {
	Email  string
	UserID string
}

// BootstrapOwner makes an existing person the platform's owner, once in the life of an installation; of any number of runs at once, one
// succeeds. Nothing else of the person is changed: who is not verified has to confirm the address before signing in. It returns the
// person's id.
//
// Codes: EMAIL_INVALID, IDENTITY_NOT_FOUND, IDENTITY_WITHOUT_CREDENTIAL, OWNER_ALREADY_EXISTS, STORE_UNAVAILABLE. Source: spec.md §
// Operator commands, contract.md §9.
func BootstrapOwner(ctx context.Context, store *Store, who Existing) (userID string, err error) {
	if who.UserID != "" {
		id, err := uuid.Parse(who.UserID)
		if err != nil || id.String() != who.UserID { // another spelling names nobody
			return "", ErrNotFound
		}
		return store.bootstrap(ctx, selectStandingByID, who.UserID)
	}
	address, ok := parseAddress(who.Email)
	if !ok {
		return "", ErrEmail
	}
	return store.bootstrap(ctx, selectStanding, address)
}
