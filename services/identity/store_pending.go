package identity

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// The row lock is that of insertSession: a sign-in and the adding of the first passkey exclude each other,
// too.
const insertPending = `
WITH dead AS (
	DELETE FROM core.pending_sign_in
	WHERE token_hash IN (
		SELECT token_hash
		FROM core.pending_sign_in
		WHERE person_id = $2 AND expires_at <= now()
		FOR UPDATE SKIP LOCKED
	)
)
INSERT INTO core.pending_sign_in (token_hash, person_id, persistent, expires_at, description)
SELECT $1, id, $4, now() + $5::interval, $6
FROM core.person
WHERE id = $2 AND password_hash = $3 AND email_verified AND deactivated_at IS NULL AND has_passkey
FOR SHARE`

// beginPending stores a sign-in that waits for the second factor; n is the session that it asks for, with the
// hash of the pending sign-in. It returns errHashChanged like begin.
func (s *Store) beginPending(ctx context.Context, p person, n newSession) error {
	return s.insertFor(ctx, insertPending, p, n, pendingLifetime)
}

// insertFor runs insertSession or insertPending.
func (s *Store) insertFor(ctx context.Context, sql string, p person, n newSession, life time.Duration) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	done, err := s.pool.Exec(ctx, sql, n.hash[:], p.ID, p.PasswordHash, n.persistent, life, n.description)
	if err == nil && done.RowsAffected() == 0 {
		return errHashChanged
	}
	return err
}

const insertSessionOf = `
INSERT INTO core.session (token_hash, person_id, persistent, expires_at, description)
VALUES ($1, $2, $3, now() + $4::interval, $5)`

// BeginIn adds a session of a person whose row the transaction has locked, and who is not deactivated.
func (s *Store) BeginIn(
	ctx context.Context, tx pgx.Tx, userID string, hash [32]byte, persistent bool, description string,
) error {
	_, err := tx.Exec(ctx, insertSessionOf, hash[:], userID, persistent, lifetimeOf(persistent), description)
	return err
}

const deleteExpiredPending = `
DELETE FROM core.pending_sign_in
WHERE token_hash = ANY (ARRAY(
	SELECT token_hash
	FROM core.pending_sign_in
	WHERE expires_at <= now()
	ORDER BY expires_at
	LIMIT $1
	FOR UPDATE SKIP LOCKED
))`

// SweepPending is SweepSessions for pending sign-ins.
func (s *Store) SweepPending(ctx context.Context) (deleted int, err error) {
	return s.sweep(ctx, deleteExpiredPending, sweepBatch)
}
