package identity

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

const linkLife = time.Hour // of a mailed link

// account is a person who signs up.
type account struct {
	id           string
	address      string
	name         string
	passwordHash string
}

// A row that exists is written again as it is, so that both cases end in one commit and take as long; xmax tells them apart.
const upsertPerson = `
INSERT INTO core.person (id, email, name, password_hash)
VALUES ($1, $2, $3, $4)
ON CONFLICT (email) DO UPDATE
SET email = excluded.email
RETURNING xmax = 0, now()`

// register leaves an existing person as it is.
func (s *Store) register(ctx context.Context, a account) (created bool, at time.Time, err error) {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	err = s.pool.QueryRow(ctx, upsertPerson, a.id, a.address, a.name, a.passwordHash).Scan(&created, &at)
	return created, at, err
}

const upsertReset = `
INSERT INTO core.password_reset (person_id, token_hash, expires_at)
SELECT id, $2, now() + $3::interval
FROM core.person
WHERE email = $1
ON CONFLICT (person_id) DO UPDATE
SET token_hash = excluded.token_hash, expires_at = excluded.expires_at`

// issueReset makes token the one reset token of the person. errNoPerson: nobody has the address.
func (s *Store) issueReset(ctx context.Context, address string, token tokenHash) error {
	return s.issue(ctx, upsertReset, address, token)
}

const insertVerification = `
INSERT INTO core.email_verification (person_id, token_hash, expires_at)
SELECT id, $2, now() + $3::interval
FROM core.person
WHERE email = $1 AND NOT email_verified`

// issueVerification adds a token. errNoPerson: nobody has the address, or it is verified.
func (s *Store) issueVerification(ctx context.Context, address string, token tokenHash) error {
	return s.issue(ctx, insertVerification, address, token)
}

func (s *Store) issue(ctx context.Context, sql, address string, token tokenHash) error {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	done, err := s.pool.Exec(ctx, sql, address, token[:], linkLife)
	if err == nil && done.RowsAffected() == 0 {
		return errNoPerson
	}
	return err
}

// The row's deletion is what makes the token work once: of any number of uses at a time, one deletes it.
const deleteReset = `
DELETE FROM core.password_reset
WHERE token_hash = $1 AND expires_at > now()
RETURNING person_id::text`

const updatePassword = `
UPDATE core.person
SET password_hash = $2, updated_at = now()
WHERE id = $1`

const deleteSessions = `
DELETE FROM core.session
WHERE person_id = $1`

// replacePassword uses the token up, sets the password and ends every session of the person, or does nothing: errInvalidToken. The new
// password is written first: a sign-in with the old one waits for that row, and its session either is there to be deleted or is refused.
func (s *Store) replacePassword(ctx context.Context, token tokenHash, passwordHash string) error {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var personID string
		if err := tx.QueryRow(ctx, deleteReset, token[:]).Scan(&personID); err != nil {
			if errors.Is(err, pgx.ErrNoRows) {
				return errInvalidToken
			}
			return err
		}
		batch := &pgx.Batch{}
		batch.Queue(updatePassword, personID, passwordHash)
		batch.Queue(deleteSessions, personID)
		return tx.SendBatch(ctx, batch).Close()
	})
}

const verifyPerson = `
WITH link AS (
	SELECT person_id, expires_at > now() AS live
	FROM core.email_verification
	WHERE token_hash = $1
), verified AS (
	UPDATE core.person
	SET email_verified = true, updated_at = now()
	FROM link
	WHERE id = link.person_id AND link.live AND NOT email_verified
)
SELECT live
FROM link`

// verify fails with errInvalidLink or errExpiredLink. Verifying twice changes nothing the second time.
func (s *Store) verify(ctx context.Context, token tokenHash) error {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	var live bool
	err := s.pool.QueryRow(ctx, verifyPerson, token[:]).Scan(&live)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return errInvalidLink
	case err == nil && !live:
		return errExpiredLink
	}
	return err
}

// A link that has expired is still told apart from one that never was, for a while.
const expiredLinkLife = 7 * 24 * time.Hour

// sweepBatch is how many rows a sweep deletes at a time, so that no lock is held for long.
const sweepBatch = 1_000

const deleteExpiredSessions = `
DELETE FROM core.session
WHERE token_hash IN (
	SELECT token_hash
	FROM core.session
	WHERE expires_at <= now()
	ORDER BY expires_at
	LIMIT $1
	FOR UPDATE SKIP LOCKED
)`

const deleteExpiredResets = `
DELETE FROM core.password_reset
WHERE person_id IN (
	SELECT person_id
	FROM core.password_reset
	WHERE expires_at <= now()
	ORDER BY expires_at
	LIMIT $1
	FOR UPDATE SKIP LOCKED
)`

const deleteExpiredVerifications = `
DELETE FROM core.email_verification
WHERE token_hash IN (
	SELECT token_hash
	FROM core.email_verification
	WHERE expires_at <= now() - $2::interval
	ORDER BY expires_at
	LIMIT $1
	FOR UPDATE SKIP LOCKED
)`

// SweepSessions deletes up to 1,000 sessions that have ended and tells how many. Whether a session lives is decided when it is read;
// this only gives room back. Several processes may sweep at once.
func (s *Store) SweepSessions(ctx context.Context) (deleted int, err error) {
	return s.sweep(ctx, deleteExpiredSessions, sweepBatch)
}

// SweepLinks does the same for mailed links: resets at once, verifications a week after their end.
func (s *Store) SweepLinks(ctx context.Context) (deleted int, err error) {
	resets, err := s.sweep(ctx, deleteExpiredResets, sweepBatch)
	if err != nil {
		return resets, err
	}
	verifications, err := s.sweep(ctx, deleteExpiredVerifications, sweepBatch, expiredLinkLife)
	return resets + verifications, err
}

func (s *Store) sweep(ctx context.Context, sql string, arguments ...any) (int, error) {
	done, err := s.pool.Exec(ctx, sql, arguments...)
	return int(done.RowsAffected()), err
}
