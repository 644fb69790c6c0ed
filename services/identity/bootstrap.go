package identity

import (
	"context"

	"github.com/google/uuid"
)

// Existing names a person who has an account, by address or by id. Exactly one of the two fields is set.
type Existing struct {
	Email  string
	UserID string
}

// find returns the query that finds the person, and the query's argument.
func (e Existing) find() (sql, who string, err error) {
	if e.UserID != "" {
		id, err := uuid.Parse(e.UserID)
		if err != nil || id.String() != e.UserID { // another format of the same id is not accepted
			return "", "", ErrNotFound
		}
		return selectAddressStateByID, e.UserID, nil
	}
	address, ok := parseAddress(e.Email)
	if !ok {
		return "", "", ErrEmail
	}
	return selectAddressState, address, nil
}

// BootstrapOwner makes an existing person the platform's owner. It succeeds once in the life of an
// installation, also when several run at the same time. It changes nothing else about the person: an
// unverified address still has to be confirmed before the first sign-in. It returns the person's id.
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

// TransferOwner replaces the platform's owner by another existing person. The former owner keeps the
// account and its grants. Owner commands exclude each other, so there is exactly one owner at every moment.
// It returns the new owner's id; moved is false when that person was the owner already.
//
// Codes: EMAIL_INVALID, IDENTITY_NOT_FOUND, IDENTITY_WITHOUT_CREDENTIAL, OWNER_MISSING, STORE_UNAVAILABLE.
func TransferOwner(ctx context.Context, store *Store, to Existing) (userID string, moved bool, err error) {
	sql, person, err := to.find()
	if err != nil {
		return "", false, err
	}
	return store.transfer(ctx, sql, person)
}
