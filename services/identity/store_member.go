package identity

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

const insertMember = `
INSERT INTO core.person (email, name, email_verified, password_hash)
VALUES ($1, $2, true, $3)
ON CONFLICT (email) DO NOTHING
RETURNING id::text`

// CreateIn adds a person whose address is known to be theirs. created is false when somebody has the address.
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

// EndIn ends all sessions and links of a person whose row the transaction has locked and deactivated: a
// sign-in that waits for the row finds the person deactivated, and one that was first has its session here.
func (s *Store) EndIn(ctx context.Context, tx pgx.Tx, userID string) error {
	batch := &pgx.Batch{}
	batch.Queue(deleteSessions, userID)
	batch.Queue(deleteResetsOf, userID)
	batch.Queue(deleteVerificationsOf, userID)
	return tx.SendBatch(ctx, batch).Close()
}
