package identity

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/lookup"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	linkLifetime = time.Hour // of a mailed link
	maxLinks     = 5         // of one kind and person
)

// linkKind is the SQL of one kind of mailed link. To issue or use a link, the store first locks the
// person's row, so that counting links and changing them is one step.
type linkKind struct {
	lock   string // finds the person by address and locks the row; no row: the person gets no such link
	insert string // adds a link, or nothing when the person has maxLinks valid ones
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
WHERE email = $1 AND deactivated_at IS NULL
FOR NO KEY UPDATE`

const lockForVerification = `
SELECT id::text
FROM core.person
WHERE email = $1 AND NOT email_verified AND deactivated_at IS NULL
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

// issue adds a link to the person's existing ones. It returns errNoLink when no person with this address can
// have such a link, or the person has maxLinks already.
func (s *Store) issue(ctx context.Context, kind linkKind, address string, token tokenHash) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	return store.InTx(ctx, s.pool, func(ctx context.Context, tx *store.Tx) error {
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

// withdraw removes a link whose email was not sent.
func (s *Store) withdraw(ctx context.Context, kind linkKind, token tokenHash) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	_, err := s.pool.Exec(ctx, kind.remove, token[:])
	return err
}

// linkState is what the database contains about a link before the person's row is locked.
type linkState uint8

const (
	linkUnknown linkState = iota
	linkExpired
	linkLive
)

const selectResets = `
SELECT found.*
FROM unnest((SELECT $1::bytea[])) AS asked (hash)
CROSS JOIN LATERAL (
	SELECT token_hash, expires_at > now()
	FROM core.password_reset
	WHERE token_hash = asked.hash
	LIMIT 1
) AS found`

const selectVerifications = `
SELECT found.*
FROM unnest((SELECT $1::bytea[])) AS asked (hash)
CROSS JOIN LATERAL (
	SELECT token_hash, expires_at > now()
	FROM core.email_verification
	WHERE token_hash = asked.hash
	LIMIT 1
) AS found`

// linkReader returns the function that looks up a batch of links.
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

// checkReset returns errInvalidToken when no valid reset link has this token. The link can still change
// before replacePassword locks it.
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
WHERE r.token_hash = $1 AND p.deactivated_at IS NULL
FOR NO KEY UPDATE OF p`

// Using one link deletes all links of its kind that the person has. Of several uses at the same time, the
// first one that locks the person's row succeeds.
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
WITH pending AS (
	DELETE FROM core.pending_sign_in
	WHERE person_id = $1
)
DELETE FROM core.session
WHERE person_id = $1`

// replacePassword deletes the token, sets the password and ends all sessions of the person, pending sign-ins
// included, or does nothing and returns errInvalidToken. It returns the person's address. It writes the
// password before it deletes sessions: a sign-in with the old password waits for that row, so its session is
// either deleted here or refused there.
func (s *Store) replacePassword(
	ctx context.Context,
	token tokenHash,
	passwordHash string,
) (address string, err error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	err = store.InTx(ctx, s.pool, func(ctx context.Context, tx *store.Tx) error {
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
WHERE v.token_hash = $1 AND p.deactivated_at IS NULL
FOR NO KEY UPDATE OF p`

// This is a separate statement because it must see links that were deleted while the transaction waited for
// the lock.
const selectVerification = `
SELECT expires_at > now()
FROM core.email_verification
WHERE token_hash = $1`

const verifyPerson = `
UPDATE core.person
SET email_verified = true, updated_at = now()
WHERE id = $1`

// The used link stays, because mail programs and people open links twice.
const deleteOtherVerifications = `
DELETE FROM core.email_verification
WHERE person_id = $1 AND token_hash <> $2`

// verify returns errInvalidLink or errExpiredLink. A second use of the same link changes nothing.
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
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	return store.InTx(ctx, s.pool, func(ctx context.Context, tx *store.Tx) error {
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
