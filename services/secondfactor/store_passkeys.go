package secondfactor

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	maxPasskeys = 10 // of a person

	// recently is how long ago a sign-in may be to change the second factor, by the database's clock.
	recently = 10 * time.Minute
)

// owner is the person who changes their second factor, and the session in which they do.
type owner struct {
	userID  string
	session [32]byte
}

const (
	isRecent = `
WHERE token_hash = $1 AND person_id = $2 AND expires_at > now() AND created_at > now() - $3::interval`

	offerPasskey = `
UPDATE core.session
SET challenge = $4, challenge_expires_at = now() + $5::interval` + isRecent

	// Changes of one person's second factor, and the completion of their sign-ins, wait for each other here. A
	// sign-in that begins waits too: it reads has_passkey again after this lock (services/identity).
	lockPerson = `
SELECT id::text, email, name
FROM core.person
WHERE id = $1 AND deactivated_at IS NULL
FOR NO KEY UPDATE`

	selectRecent = `
SELECT challenge, coalesce(challenge_expires_at > now(), false)
FROM core.session` + isRecent

	dropChallenge = `
UPDATE core.session
SET challenge = NULL
WHERE token_hash = $1`

	insertPasskey = `
INSERT INTO core.passkey (
	person_id, label, credential_id, public_key, transports, backup_eligible, sign_count
)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (credential_id) DO NOTHING
RETURNING id::text, created_at`

	deletePasskey = `
DELETE FROM core.passkey
WHERE id = $2 AND person_id = $1`

	updateHasPasskey = `
UPDATE core.person
SET has_passkey = $2
WHERE id = $1`

	deleteCodes = `
DELETE FROM core.recovery_code
WHERE person_id = $1`

	insertCodes = `
INSERT INTO core.recovery_code (person_id, code_hash)
SELECT $1, unnest($2::bytea[])`
)

// begin stores the challenge of a passkey that a session is about to add. Code: RECENT_SIGN_IN_REQUIRED.
func (s *Store) begin(ctx context.Context, who owner, challenge []byte) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	done, err := s.pool.Exec(ctx, offerPasskey, who.session[:], who.userID, recently, challenge,
		challengeLifetime)
	if err == nil && done.RowsAffected() == 0 {
		return ErrRecentSignIn
	}
	return store.Coded(err)
}

// lockOwner locks the person's row. It returns the challenge of the session, or nil when none is open. Code:
// RECENT_SIGN_IN_REQUIRED.
func lockOwner(ctx context.Context, tx *store.Tx, who owner) (p person, challenge []byte, err error) {
	err = tx.QueryRow(ctx, lockPerson, who.userID).Scan(&p.ID, &p.Address, &p.Name)
	if err != nil {
		return p, nil, oneRow(err, ErrRecentSignIn) // the person was deactivated, so the session has ended
	}
	var open bool
	err = tx.QueryRow(ctx, selectRecent, who.session[:], who.userID, recently).Scan(&challenge, &open)
	if err = oneRow(err, ErrRecentSignIn); !open {
		challenge = nil
	}
	return p, challenge, err
}

// addition is a passkey that a person adds.
type addition struct {
	label string
	check func(h holder, challenge []byte) (key passkey, ok bool)
	codes [][]byte // hashes of the codes that come with the first passkey
}

// added is the outcome of an addition.
type added struct {
	key     passkey
	first   bool
	address string
}

// add stores a passkey and, with the first one, the recovery codes. The challenge is used up whatever comes
// of it. Codes: RECENT_SIGN_IN_REQUIRED, SECOND_FACTOR_INVALID, SECOND_FACTOR_LIMIT.
func (s *Store) add(ctx context.Context, who owner, a addition) (result added, err error) {
	var outcome error
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		p, challenge, err := lockOwner(ctx, tx, who)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, dropChallenge, who.session[:]); err != nil {
			return err
		}
		keys, err := passkeysOf(ctx, tx, who.userID)
		if err != nil {
			return err
		}
		result, outcome = added{first: len(keys) == 0, address: p.Address}, ErrInvalid
		if challenge == nil {
			return nil
		}
		key, ok := a.check(newHolder(p, keys), challenge)
		switch {
		case !ok:
			return nil
		case len(keys) >= maxPasskeys:
			outcome = ErrLimit
			return nil
		}
		key.Label = a.label
		err = tx.QueryRow(ctx, insertPasskey, who.userID, key.Label, key.CredentialID, key.PublicKey,
			key.Transports, key.BackupEligible, key.SignCount).Scan(&key.ID, &key.CreatedAt)
		if err != nil {
			return oneRow(err, ErrInvalid) // somebody has it already
		}
		if result.first {
			if err := replaceCodes(ctx, tx, who.userID, a.codes); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, updateHasPasskey, who.userID, true); err != nil {
				return err
			}
		}
		result.key, outcome = key, nil
		return chain.Record(tx, entry(chain.Person(who.userID), chain.PasskeyAdded, chain.PasskeySubject, key.ID))
	})
	if err == nil {
		err = outcome
	}
	return result, err
}

func replaceCodes(ctx context.Context, tx *store.Tx, userID string, hashes [][]byte) error {
	if _, err := tx.Exec(ctx, deleteCodes, userID); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, insertCodes, userID, hashes)
	return err
}

// remove deletes a person's passkey; with the last one, the recovery codes go. It returns the person's
// address. Code: RECENT_SIGN_IN_REQUIRED.
func (s *Store) remove(ctx context.Context, who owner, id string) (address string, removed bool, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		p, _, err := lockOwner(ctx, tx, who)
		if err != nil {
			return err
		}
		done, err := tx.Exec(ctx, deletePasskey, who.userID, id)
		address, removed = p.Address, done.RowsAffected() > 0
		if err != nil || !removed {
			return err
		}
		left, err := passkeysOf(ctx, tx, who.userID)
		if err != nil {
			return err
		}
		if len(left) == 0 {
			if err := removeAll(ctx, tx, who.userID); err != nil {
				return err
			}
		}
		return chain.Record(tx, entry(chain.Person(who.userID), chain.PasskeyRemoved, chain.PasskeySubject, id))
	})
	return address, removed, err
}

// replaceCodes replaces a person's recovery codes. Codes: RECENT_SIGN_IN_REQUIRED, and SECOND_FACTOR_INVALID
// for a person without a passkey.
func (s *Store) replaceCodes(ctx context.Context, who owner, hashes [][]byte) error {
	return s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if _, _, err := lockOwner(ctx, tx, who); err != nil {
			return err
		}
		keys, err := passkeysOf(ctx, tx, who.userID)
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			return ErrInvalid
		}
		if err := replaceCodes(ctx, tx, who.userID, hashes); err != nil {
			return err
		}
		return chain.Record(tx, entry(chain.Person(who.userID), chain.RecoveryCodesReplaced,
			chain.PersonSubject, who.userID))
	})
}
