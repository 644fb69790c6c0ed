package secondfactor

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	maxTries      = 5                // of a pending sign-in
	maxFailures   = 10               // of a person
	failureWindow = 10 * time.Minute // in which they count
)

// Accounts begins sessions inside a transaction of this package.
type Accounts interface {
	// BeginIn adds a session of a person whose row is locked.
	BeginIn(
		ctx context.Context, tx pgx.Tx, userID string, hash [32]byte, persistent bool, description string,
	) error
}

const (
	selectWaiting = `
SELECT p.id::text, p.email, p.name
FROM core.pending_sign_in s
JOIN core.person p ON p.id = s.person_id
WHERE s.token_hash = $1 AND s.expires_at > now() AND p.deactivated_at IS NULL`

	updateChallenge = `
UPDATE core.pending_sign_in
SET challenge = $2
WHERE token_hash = $1 AND expires_at > now()`

	lockWaiting = `
SELECT p.id::text, p.email, p.name
FROM core.person p
JOIN core.pending_sign_in s ON s.person_id = p.id
WHERE s.token_hash = $1 AND p.deactivated_at IS NULL
FOR NO KEY UPDATE OF p`

	// A statement of its own, because it must see what another transaction did before the lock was granted.
	selectPending = `
SELECT persistent, description, challenge, tries, expires_at - now() AS left,
	(
		SELECT count(*)
		FROM core.second_factor_failure f
		WHERE f.person_id = s.person_id AND f.at > now() - $2::interval
	) AS failures,
	(
		SELECT coalesce(min(f.at) + $2::interval - now(), '0')
		FROM core.second_factor_failure f
		WHERE f.person_id = s.person_id AND f.at > now() - $2::interval
	) AS wait
FROM core.pending_sign_in s
WHERE token_hash = $1 AND expires_at > now()`

	countTry = `
UPDATE core.pending_sign_in
SET tries = tries + 1, challenge = NULL
WHERE token_hash = $1`

	insertFailure = `
WITH old AS (
	DELETE FROM core.second_factor_failure
	WHERE person_id = $1 AND at <= now() - $2::interval
)
INSERT INTO core.second_factor_failure (person_id)
VALUES ($1)`

	updateUsed = `
UPDATE core.passkey
SET sign_count = $2, last_used_at = now()
WHERE id = $1`

	useCode = `
DELETE FROM core.recovery_code
WHERE person_id = $1 AND code_hash = $2`

	deletePending = `
DELETE FROM core.pending_sign_in
WHERE token_hash = $1`
)

// waiting returns the person of a pending sign-in and their passkeys. Code: SECOND_FACTOR_INVALID.
func (s *Store) waiting(ctx context.Context, pending [32]byte) (p person, keys []passkey, err error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	err = s.pool.QueryRow(ctx, selectWaiting, pending[:]).Scan(&p.ID, &p.Address, &p.Name)
	if err = oneRow(err, ErrInvalid); err == nil {
		keys, err = passkeysOf(ctx, s.pool, p.ID)
	}
	if err == nil && len(keys) == 0 {
		err = ErrInvalid
	}
	return p, keys, store.Coded(err)
}

// challenge stores the challenge of a pending sign-in in place of an earlier one. Code:
// SECOND_FACTOR_INVALID.
func (s *Store) challenge(ctx context.Context, pending [32]byte, challenge []byte) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	done, err := s.pool.Exec(ctx, updateChallenge, pending[:], challenge)
	if err == nil && done.RowsAffected() == 0 {
		return ErrInvalid
	}
	return store.Coded(err)
}

// attempt is one answer to a pending sign-in: of a passkey, or a recovery code. With neither it fails.
type attempt struct {
	pending, session [32]byte
	check            func(h holder, challenge []byte) (used passkey, ok bool)
	code             []byte // hash
}

// pendingSignIn is a row of core.pending_sign_in, and how often the person failed lately.
type pendingSignIn struct {
	Persistent  bool
	Description string
	Challenge   []byte
	Tries       int
	Left        time.Duration // until it expires
	Failures    int
	Wait        time.Duration // until the oldest failure does not count any more
}

// completed is the outcome of an attempt that succeeded.
type completed struct {
	persistent bool
	address    string
}

// complete begins the session of a pending sign-in, or counts the attempt as a failure. Codes:
// TOO_MANY_REQUESTS, SECOND_FACTOR_INVALID.
func (s *Store) complete(ctx context.Context, accounts Accounts, a attempt) (done completed, err error) {
	var outcome error
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		outcome = nil
		var p person
		err := tx.QueryRow(ctx, lockWaiting, a.pending[:]).Scan(&p.ID, &p.Address, &p.Name)
		if err != nil {
			return oneRow(err, ErrInvalid)
		}
		rows, err := tx.Query(ctx, selectPending, a.pending[:], failureWindow)
		if err != nil {
			return err
		}
		found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[pendingSignIn])
		switch {
		case err != nil:
			return oneRow(err, ErrInvalid)
		case found.Tries >= maxTries:
			return tooMany{found.Left}
		case found.Failures >= maxFailures:
			return tooMany{found.Wait}
		}
		entries, err := a.use(ctx, tx, p, found)
		if errors.Is(err, ErrInvalid) {
			outcome = err
			return fail(ctx, tx, p, a.pending)
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, deletePending, a.pending[:]); err != nil {
			return err
		}
		done = completed{found.Persistent, p.Address}
		if err := accounts.BeginIn(ctx, tx, p.ID, a.session, found.Persistent, found.Description); err != nil {
			return err
		}
		return chain.Record(tx, entries...)
	})
	if err == nil {
		err = outcome
	}
	return done, err
}

// use uses the passkey or the recovery code, and returns what to record. Code: SECOND_FACTOR_INVALID, without
// a change.
func (a attempt) use(
	ctx context.Context, tx *store.Tx, p person, found pendingSignIn,
) ([]chain.Entry, error) {
	if a.check == nil {
		if a.code == nil {
			return nil, ErrInvalid
		}
		used, err := tx.Exec(ctx, useCode, p.ID, a.code)
		if err == nil && used.RowsAffected() == 0 {
			err = ErrInvalid
		}
		return []chain.Entry{entry(chain.Person(p.ID), chain.RecoveryCodeUsed, chain.PersonSubject, p.ID)}, err
	}
	keys, err := passkeysOf(ctx, tx, p.ID)
	if err != nil {
		return nil, err
	}
	if found.Challenge == nil {
		return nil, ErrInvalid
	}
	key, ok := a.check(newHolder(p, keys), found.Challenge)
	if !ok {
		return nil, ErrInvalid
	}
	_, err = tx.Exec(ctx, updateUsed, key.ID, key.SignCount)
	return nil, err
}

// fail counts a failure of the pending sign-in and of the person, and uses the challenge up.
func fail(ctx context.Context, tx *store.Tx, p person, pending [32]byte) error {
	batch := &pgx.Batch{}
	batch.Queue(countTry, pending[:])
	batch.Queue(insertFailure, p.ID, failureWindow)
	return tx.SendBatch(ctx, batch).Close()
}
