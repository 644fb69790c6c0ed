package people

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/activity/chain"
)

const (
	// An invitation to the person's address can also be open, when the account was made in another way.
	lockConcerned = `
SELECT
FROM core.invitation
WHERE created_by = $1 AND state = 'open'
	OR email = (
		SELECT email
		FROM core.person
		WHERE id = $1
	)
ORDER BY id
FOR UPDATE`

	// This is the strongest row lock. It is needed because the update removes the address, which is a unique
	// key. If the transaction first took a weaker lock, two of them could deadlock when both upgrade.
	lockForErasure = `
SELECT deactivated_at IS NOT NULL, erased_at IS NOT NULL
FROM core.person
WHERE id = $1
FOR UPDATE`

	withdrawAllTo = `
UPDATE core.invitation
SET state = 'withdrawn', token_hash = NULL, ended_at = now()
WHERE state = 'open'
	AND email = (
		SELECT email
		FROM core.person
		WHERE id = $1
	)
RETURNING id::text`

	forgetInvitations = `
UPDATE core.invitation
SET email = NULL, name = NULL
WHERE email = (
	SELECT email
	FROM core.person
	WHERE id = $1
)`

	erasePerson = `
UPDATE core.person
SET erased_at = now(), updated_at = now(),
	email = NULL, name = '', email_verified = false, password_hash = NULL,
	has_passkey = false
WHERE id = $1`

	deleteFeeds = `
DELETE FROM core.feed
WHERE person_id = $1`

	deleteSecondFactor = `
WITH codes AS (
	DELETE FROM core.recovery_code
	WHERE person_id = $1
), failures AS (
	DELETE FROM core.second_factor_failure
	WHERE person_id = $1
)
DELETE FROM core.passkey
WHERE person_id = $1`

	insertErasures = `
INSERT INTO core.person_erasure (person_id, module_id)
SELECT $1, module_id
FROM core.module_database_role`
)

// erase deletes everything that identifies a person: address, name and password, also in invitations, and
// sessions, links, grants and the second factor. The id stays, because the activity refers to it. For each
// module with a database, erase records that the module has to forget the person too. Only a deactivated
// person can be erased; otherwise it fails with PERSON_ACTIVE. It returns the remaining row.
func (s *Store) erase(
	ctx context.Context, accounts Accounts, grants Grants, d decision,
) (now foundPerson, err error) {
	return s.decide(ctx, d, func(ctx context.Context, tx pgx.Tx) ([]chain.Entry, error) {
		m, err := d.lock(ctx, tx, grants, locks{lockConcerned, lockForErasure})
		switch {
		case err != nil, m.erased:
			return nil, err
		case !m.deactivated:
			return nil, ErrActive
		}
		withdrawn, err := d.withdraw(ctx, tx, withdrawAllTo)
		if err != nil {
			return nil, err
		}
		revoked, err := grants.RevokeAllIn(ctx, tx, d.userID, d.by)
		if err != nil {
			return nil, err
		}
		// Deactivation has already ended them. This is for a database that was changed by hand.
		if err := accounts.EndIn(ctx, tx, d.userID); err != nil {
			return nil, err
		}
		for _, sql := range []string{forgetInvitations, deleteFeeds, deleteSecondFactor, erasePerson,
			insertErasures} {
			if _, err := tx.Exec(ctx, sql, d.userID); err != nil {
				return nil, err
			}
		}
		entries := append([]chain.Entry{d.entry(chain.PersonErased)}, withdrawn...)
		return append(entries, revoked...), nil
	})
}
