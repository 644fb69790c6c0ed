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

// find returns the query that finds the person, and its argument.
func (e Existing) find() (sql, who string, err error) {
	if e.UserID != "" {
		id, err := uuid.Parse(e.UserID)
		if err != nil || id.String() != e.UserID { // another spelling names nobody
			return "", "", ErrNotFound
		}
		return selectStandingByID, e.UserID, nil
	}
	address, ok := parseAddress(e.Email)
	if !ok {
		return "", "", ErrEmail
	}
	return selectStanding, address, nil
}

// BootstrapOwner makes an existing person the platform's owner, once in the life of an installation; of any
// number of runs at once, one succeeds. Nothing else of the person is changed: who is not verified has to
// confirm the address before signing in. It returns the person's id.
//
// Codes: EMAIL_INVALID, IDENTITY_NOT_FOUND, IDENTITY_WITHOUT_CREDENTIAL, OWNER_ALREADY_EXISTS,
// STORE_UNAVAILABLE.
func BootstrapOwner(ctx context.Context, store *Store, who Existing) (userID string, err error) {
	sql, person, err := who.find()
	if err != nil {
		return "", err
	}
	return store.bootstrap(ctx, sql, person)
}

// TransferOwner makes an existing person the platform's owner in place of the one who is. The former owner
// keeps an ordinary account and what was granted to it. Transfers exclude each other and every other owner
// command, so there is one owner at every moment. It returns the person's id; moved is false when that
// person was the owner already.
//
// Codes: EMAIL_INVALID, IDENTITY_NOT_FOUND, IDENTITY_WITHOUT_CREDENTIAL, OWNER_MISSING, STORE_UNAVAILABLE.
func TransferOwner(ctx context.Context, store *Store, to Existing) (userID string, moved bool, err error) {
	sql, person, err := to.find()
	if err != nil {
		return "", false, err
	}
	return store.transfer(ctx, sql, person)
}
