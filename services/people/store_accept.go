package people

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// Accounts changes accounts inside a transaction of this package.
type Accounts interface {
	// CreateIn adds a person with a confirmed address; created is false when an account already has the address.
	CreateIn(
		ctx context.Context, tx pgx.Tx, address, name, passwordHash string,
	) (userID string, created bool, err error)
	// EndIn ends all sessions and mailed links of a person whose row is locked.
	EndIn(ctx context.Context, tx pgx.Tx, userID string) error
}

// Grants decides and gives permissions inside a transaction of this package.
type Grants interface {
	// MayIn decides whether a person holds a permission and keeps that true until the transaction ends.
	MayIn(ctx context.Context, tx pgx.Tx, userID, permission string) (bool, error)
	// CoreEndsIn returns the ends of a person's restricted permissions of the platform; nil is no end.
	CoreEndsIn(ctx context.Context, tx pgx.Tx, userID string) ([]*time.Time, error)
	// OutlivesIn reports whether a grant with one of the ends would outlive the issuer's right to issue it.
	OutlivesIn(ctx context.Context, tx pgx.Tx, issuer string, ends []*time.Time) (bool, error)
	// IssueIn issues a grant, unless it cannot be issued any more, and returns what to record.
	IssueIn(
		ctx context.Context, tx pgx.Tx, userID, creator, permissionID string, expiresAt *time.Time,
	) ([]chain.Entry, error)
	// RevokeAllIn revokes all grants of a person and returns what to record.
	RevokeAllIn(ctx context.Context, tx pgx.Tx, userID string, by chain.Actor) ([]chain.Entry, error)
}

const (
	lockLive = `
SELECT ` + invitationColumns + `
FROM core.invitation
WHERE token_hash = $1 AND state = 'open' AND expires_at > now()
FOR UPDATE`

	acceptInvitation = `
UPDATE core.invitation
SET state = 'accepted', token_hash = NULL, ended_at = now()
WHERE id = $1`
)

// newMember is a person who accepts an invitation.
type newMember struct {
	token        tokenHash
	name         string
	passwordHash string
}

// accept makes the account and its grants and ends the invitation, or does nothing and fails with
// INVITATION_NOT_FOUND. Of several simultaneous acceptances, the first that locks the invitation's row
// succeeds. If the inviter may no longer give permissions, the account is made without grants.
func (s *Store) accept(ctx context.Context, accounts Accounts, grants Grants, m newMember) error {
	return s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		found, err := oneInvitation(ctx, tx, lockLive, m.token[:])
		if err != nil {
			return err
		}
		if found.Email == nil {
			return ErrInvitationNotFound
		}
		userID, created, err := accounts.CreateIn(ctx, tx, *found.Email, m.name, m.passwordHash)
		if err == nil && !created {
			err = ErrInvitationNotFound // an account with this address was made in the meantime
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, acceptInvitation, found.ID); err != nil {
			return err
		}
		joined := chain.Entry{
			Actor: chain.Person(userID), Action: chain.PersonJoined,
			Subject: chain.Subject{Kind: chain.PersonSubject, ID: userID},
			Details: map[string]any{"invitationId": found.ID},
		}
		given, err := giveGrants(ctx, tx, grants, found, userID)
		if err != nil {
			return err
		}
		return chain.Record(tx, append([]chain.Entry{joined}, given...)...)
	})
}

// giveGrants issues the grants that the invitation promised. Their creator is the inviter.
func giveGrants(
	ctx context.Context, tx pgx.Tx, grants Grants, from invitation, userID string,
) (given []chain.Entry, err error) {
	promised, err := from.promised()
	if err != nil || len(promised) == 0 || from.CreatedBy == nil {
		return nil, err
	}
	may, err := grants.MayIn(ctx, tx, *from.CreatedBy, manageGrants)
	if err != nil || !may {
		return nil, err
	}
	for _, g := range promised {
		issued, err := grants.IssueIn(ctx, tx, userID, *from.CreatedBy, g.PermissionID, g.ExpiresAt)
		if err != nil {
			return nil, err
		}
		given = append(given, issued...)
	}
	return given, nil
}

// inTx runs f in one transaction under a request's deadline. Its error has a code.
func (s *Store) inTx(ctx context.Context, f func(context.Context, *store.Tx) error) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	return store.Coded(store.InTx(ctx, s.pool, f))
}
