package people

import (
	"context"

	"github.com/narthex-platform/narthex/services/activity/chain"
)

// Existing names a person who has an account. Exactly one of the two fields is set.
type Existing struct {
	Email  string // as it is stored: lowercase
	UserID string
}

// InviteByOperator makes an invitation, or replaces the existing one of the address, and returns its token.
// It sends nothing. The address must have the form in which it is stored; name may be nil. Codes:
// PERSON_ALREADY_EXISTS, STORE_UNAVAILABLE.
func InviteByOperator(
	ctx context.Context, store *Store, address string, name *string,
) (token string, err error) {
	token, hash := newToken()
	_, _, err = store.invite(ctx, nil, newInvitation{
		email: address, name: name, token: hash, by: chain.Operator(),
	})
	return token, err
}

// DeactivateByOperator deactivates a person and ends their sessions, links and invitations. Codes:
// USER_NOT_FOUND, PERSON_PROTECTED for the owner, STORE_UNAVAILABLE.
func DeactivateByOperator(
	ctx context.Context, store *Store, accounts Accounts, who Existing,
) (userID string, err error) {
	d, err := store.decisionOfOperator(ctx, who)
	if err == nil {
		_, err = store.deactivate(ctx, accounts, nil, d)
	}
	return d.userID, err
}

// ReactivateByOperator allows a person to sign in again. Codes: USER_NOT_FOUND, PERSON_ERASED,
// STORE_UNAVAILABLE.
func ReactivateByOperator(ctx context.Context, store *Store, who Existing) (userID string, err error) {
	d, err := store.decisionOfOperator(ctx, who)
	if err == nil {
		_, err = store.reactivate(ctx, nil, d)
	}
	return d.userID, err
}
