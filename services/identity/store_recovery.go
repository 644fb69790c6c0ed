package identity

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/lookup"
)

const (
	linkLifetime = time.Hour // of a mailed link
	maxLinks     = 5         // of one kind that a person can have at a time
)

// linkKind is the SQL of one kind of mailed link. Whoever issues or uses a link of a person first locks the
// person, so that counting the links and changing them is one step.
type linkKind struct {
	lock   string // finds the person by address and locks the row; no row: the person gets no such link
	insert string // adds a link, or nothing when the person has maxLinks that live
	remove string // of one link
}

var resetLinks = linkKind{lock: lockForReset, insert: insertReset, remove: deleteReset}

var verificationLinks = linkKind{
	lock:   lockForVerification,
	insert: insertVerification,
	remove: deleteVerification,
}

const lockForReset = `
SELECT id::text
FROM core.person
WHERE email = $1
FOR NO KEY UPDATE`

const lockForVerification = `
SELECT id::text
FROM core.person
WHERE email = $1 AND NOT email_verified
FOR NO KEY UPDATE`

const insertReset = `
INSERT INTO core.password_reset (person_id, token_hash, expires_at)
SELECT $1, $2, now() + $3::interval
WHERE $4 > (
	SELECT count(*)
	FROM core.password_reset
	WHERE person_id = $1 AND expires_at > now()
)`

const insertVerification = `
INSERT INTO core.email_verification (person_id, token_hash, expires_at)
SELECT $1, $2, now() + $3::interval
WHERE $4 > (
	SELECT count(*)
	FROM core.email_verification
	WHERE person_id = $1 AND expires_at > now()
)`

const deleteReset = `
DELETE FROM core.password_reset
WHERE token_hash = $1`

const deleteVerification = `
DELETE FROM core.email_verification
WHERE token_hash = $1`

// issue adds a link beside those that the person has. errNoLink: nobody who can have one has the address,
// or the person has maxLinks.
func (s *Store) issue(ctx context.Context, kind linkKind, address string, token tokenHash) error {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var personID string
		if err := tx.QueryRow(ctx, kind.lock, address).Scan(&personID); err != nil {
			if errors.Is(err, pgx.ErrNoRows) {
				return errNoLink
			}
			return err
		}
		done, err := tx.Exec(ctx, kind.insert, personID, token[:], linkLifetime, maxLinks)
		if err == nil && done.RowsAffected() == 0 {
			return errNoLink
		}
		return err
	})
}

// withdraw removes a link whose letter did not leave.
func (s *Store) withdraw(ctx context.Context, kind linkKind, token tokenHash) error {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	_, err := s.pool.Exec(ctx, kind.remove, token[:])
	return err
}

// linkState is what is known of a link before the person is locked.
type linkState uint8

const (
	linkUnknown linkState = iota
	linkExpired
	linkLive
)

const selectResets = `
SELECT token_hash, expires_at > now()
FROM core.password_reset
WHERE token_hash = ANY ((SELECT $1::bytea[])::bytea[])`

const selectVerifications = `
SELECT token_hash, expires_at > now()
FROM core.email_verification
WHERE token_hash = ANY ((SELECT $1::bytea[])::bytea[])`

// reading looks up links for everybody who waits.
func (s *Store) linkReader(sql string) lookup.Read[tokenHash, linkState] {
	return func(ctx context.Context, batch []*lookup.Question[tokenHash, linkState]) error {
		hashes := make([][]byte, len(batch))
		for i, asked := range batch {
			hashes[i] = asked.Key[:]
		}
		rows, err := s.pool.Query(ctx, sql, hashes)
		if err != nil {
			return err
		}
		found := make(map[tokenHash]linkState, len(batch))
		var hash []byte
		var live bool
		_, err = pgx.ForEachRow(rows, []any{&hash, &live}, func() error {
			found[tokenHash(hash)] = linkExpired
			if live {
				found[tokenHash(hash)] = linkLive
			}
			return nil
		})
		for _, asked := range batch {
			asked.Found = found[asked.Key]
		}
		return err
	}
}

// checkReset fails with errInvalidToken when no live reset link has this token. Between this and
// replacePassword it can change.
func (s *Store) checkReset(token tokenHash) error {
	state, err := s.resets.Find(token)
	if err == nil && state != linkLive {
		return errInvalidToken
	}
	return err
}

const lockHolderOfReset = `
SELECT p.id::text, p.email
FROM core.person p
JOIN core.password_reset r ON r.person_id = p.id
WHERE r.token_hash = $1
FOR NO KEY UPDATE OF p`

// One use of a link deletes all of the person's links of its kind. Of several uses at once, the first that
// has locked the person deletes them.
const deleteResets = `
WITH used AS (
	DELETE FROM core.password_reset
	WHERE person_id = $1
	RETURNING token_hash = $2 AND expires_at > now() AS live
)
SELECT coalesce(bool_or(live), false)
FROM used`

const updatePassword = `
UPDATE core.person
SET password_hash = $2, updated_at = now()
WHERE id = $1`

const deleteSessions = `
DELETE FROM core.session
WHERE person_id = $1`

// replacePassword uses the token up, sets the password and ends every session of the person, or does
// nothing: errInvalidToken. It returns the person's address. The new password is written before sessions
// are deleted: a sign-in with the old one waits for that row, and its session either is there to be deleted
// or is refused.
func (s *Store) replacePassword(
	ctx context.Context,
	token tokenHash,
	passwordHash string,
) (address string, err error) {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var personID string
		if err := tx.QueryRow(ctx, lockHolderOfReset, token[:]).Scan(&personID, &address); err != nil {
			if errors.Is(err, pgx.ErrNoRows) {
				return errInvalidToken
			}
			return err
		}
		var live bool
		if err := tx.QueryRow(ctx, deleteResets, personID, token[:]).Scan(&live); err != nil {
			return err
		}
		if !live {
			return errInvalidToken
		}
		batch := &pgx.Batch{}
		batch.Queue(updatePassword, personID, passwordHash)
		batch.Queue(deleteSessions, personID)
		return tx.SendBatch(ctx, batch).Close()
	})
	return address, err
}

const lockHolderOfVerification = `
SELECT p.id::text, p.email_verified
FROM core.person p
JOIN core.email_verification v ON v.person_id = p.id
WHERE v.token_hash = $1
FOR NO KEY UPDATE OF p`

// A statement of its own: the one that waits for the lock still sees links that were deleted meanwhile.
const selectVerification = `
SELECT expires_at > now()
FROM core.email_verification
WHERE token_hash = $1`

const verifyPerson = `
UPDATE core.person
SET email_verified = true, updated_at = now()
WHERE id = $1`

// The link that was used stays, because mail programs and people follow a link twice.
const deleteOtherVerifications = `
DELETE FROM core.email_verification
WHERE person_id = $1 AND token_hash <> $2`

// verify fails with errInvalidLink or errExpiredLink. Verifying twice with the same link changes nothing
// the second time.
func (s *Store) verify(ctx context.Context, token tokenHash) error {
	state, err := s.verifications.Find(token)
	switch {
	case err != nil:
		return err
	case state == linkUnknown:
		return errInvalidLink
	case state == linkExpired:
		return errExpiredLink
	}
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var personID string
		var verified, live bool
		err := tx.QueryRow(ctx, lockHolderOfVerification, token[:]).Scan(&personID, &verified)
		if err == nil {
			err = tx.QueryRow(ctx, selectVerification, token[:]).Scan(&live)
		}
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return errInvalidLink
		case err != nil:
			return err
		case !live:
			return errExpiredLink
		case verified:
			return nil
		}
		batch := &pgx.Batch{}
		batch.Queue(verifyPerson, personID)
		batch.Queue(deleteOtherVerifications, personID, token[:])
		return tx.SendBatch(ctx, batch).Close()
	})
}
