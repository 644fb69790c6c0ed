package identity

import (
	"context"
	"time"
)

// An expired verification link is kept for a while, so that the response can say "expired" rather than
// "invalid".
const keepExpiredLinks = 7 * 24 * time.Hour

// sweepBatch is how many rows one statement deletes. A small number keeps locks short.
const sweepBatch = 1_000

const deleteExpiredSessions = `
DELETE FROM core.session
WHERE token_hash = ANY (ARRAY(
	SELECT token_hash
	FROM core.session
	WHERE expires_at <= now()
	ORDER BY expires_at
	LIMIT $1
	FOR UPDATE SKIP LOCKED
))`

const deleteExpiredResets = `
DELETE FROM core.password_reset
WHERE token_hash = ANY (ARRAY(
	SELECT token_hash
	FROM core.password_reset
	WHERE expires_at <= now()
	ORDER BY expires_at
	LIMIT $1
	FOR UPDATE SKIP LOCKED
))`

const deleteExpiredVerifications = `
DELETE FROM core.email_verification
WHERE token_hash = ANY (ARRAY(
	SELECT token_hash
	FROM core.email_verification
	WHERE expires_at <= now() - $2::interval
	ORDER BY expires_at
	LIMIT $1
	FOR UPDATE SKIP LOCKED
))`

// SweepSessions deletes up to 1,000 expired sessions and returns how many. Readers check the expiry
// themselves; this only frees space. Several processes may sweep at the same time.
func (s *Store) SweepSessions(ctx context.Context) (deleted int, err error) {
	return s.sweep(ctx, deleteExpiredSessions, sweepBatch)
}

// SweepLinks does the same for mailed links: password resets as soon as they expire, verifications a week
// later.
func (s *Store) SweepLinks(ctx context.Context) (deleted int, err error) {
	resets, err := s.sweep(ctx, deleteExpiredResets, sweepBatch)
	if err != nil {
		return resets, err
	}
	verifications, err := s.sweep(ctx, deleteExpiredVerifications, sweepBatch, keepExpiredLinks)
	return resets + verifications, err
}

func (s *Store) sweep(ctx context.Context, sql string, arguments ...any) (int, error) {
	done, err := s.pool.Exec(ctx, sql, arguments...)
	return int(done.RowsAffected()), err
}
