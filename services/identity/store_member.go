package identity

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/store"
)

const insertMember = `
INSERT INTO core.person (email, name, email_verified, password_hash)
VALUES ($1, $2, true, $3)
ON CONFLICT (email) DO NOTHING
RETURNING id::text`

// CreateIn adds a person whose address is already confirmed. created is false when an account already has the
// address.
func (s *Store) CreateIn(
	ctx context.Context, tx pgx.Tx, address, name, passwordHash string,
) (userID string, created bool, err error) {
	err = tx.QueryRow(ctx, insertMember, address, name, passwordHash).Scan(&userID)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	return userID, err == nil, err
}

const (
	deleteResetsOf = `
DELETE FROM core.password_reset
WHERE person_id = $1`

	deleteVerificationsOf = `
DELETE FROM core.email_verification
WHERE person_id = $1`
)

// EndIn ends all sessions and links of a person whose row the transaction has locked and deactivated. A
// sign-in that waits for the row then finds the person deactivated; the session of an earlier sign-in is
// deleted here.
func (s *Store) EndIn(ctx context.Context, tx pgx.Tx, userID string) error {
	batch := &pgx.Batch{}
	batch.Queue(deleteSessions, userID)
	batch.Queue(deleteResetsOf, userID)
	batch.Queue(deleteVerificationsOf, userID)
	return tx.SendBatch(ctx, batch).Close()
}

const (
	lockForOperator = `
SELECT id::text, deactivated_at IS NOT NULL
FROM core.person
WHERE email = $1
FOR NO KEY UPDATE`

	// The oldest links are deleted to make room. Otherwise a person who has requested many links would keep an
	// operator from making one.
	makeRoomForReset = `
DELETE FROM core.password_reset
WHERE person_id = $1 AND token_hash NOT IN (
	SELECT token_hash
	FROM core.password_reset
	WHERE person_id = $1
	ORDER BY expires_at DESC
	LIMIT $2
)`
)

// IssueResetLink makes a link for an operator who passes it on, and returns its token. Nothing is sent.
// Codes: EMAIL_INVALID, IDENTITY_NOT_FOUND, IDENTITY_DEACTIVATED, STORE_UNAVAILABLE.
func IssueResetLink(ctx context.Context, s *Store, email string) (token string, err error) {
	address, ok := parseAddress(email)
	if !ok {
		return "", ErrEmail
	}
	ctx, cancel := context.WithTimeout(ctx, ownerDeadline)
	defer cancel()
	token, hash := newToken()
	return token, ownerError(store.InTx(ctx, s.pool, func(ctx context.Context, tx *store.Tx) error {
		var userID string
		var deactivated bool
		err := tx.QueryRow(ctx, lockForOperator, address).Scan(&userID, &deactivated)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return ErrNotFound
		case err != nil:
			return err
		case deactivated:
			return ErrDeactivated
		}
		if _, err := tx.Exec(ctx, makeRoomForReset, userID, maxLinks-1); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertReset, userID, hash[:], linkLifetime, maxLinks); err != nil {
			return err
		}
		return chain.Record(tx, chain.Entry{
			Actor: chain.Operator(), Action: chain.ResetLinkIssued,
			Subject: chain.Subject{Kind: chain.PersonSubject, ID: userID},
		})
	}))
}
