package secondfactor

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	lockForOperator = `
SELECT id::text
FROM core.person
WHERE email = $1
FOR NO KEY UPDATE`

	deletePasskeys = `
DELETE FROM core.passkey
WHERE person_id = $1`

	deletePendingOf = `
DELETE FROM core.pending_sign_in
WHERE person_id = $1`

	deleteFailures = `
DELETE FROM core.second_factor_failure
WHERE person_id = $1`
)

// removeAll deletes all that a person whose row is locked has beside the password.
func removeAll(ctx context.Context, tx pgx.Tx, userID string) error {
	batch := &pgx.Batch{}
	for _, sql := range []string{deletePasskeys, deleteCodes, deletePendingOf, deleteFailures} {
		batch.Queue(sql, userID)
	}
	batch.Queue(updateHasPasskey, userID, false)
	return tx.SendBatch(ctx, batch).Close()
}

// RemoveByOperator removes a person's passkeys and recovery codes, so that the password alone lets them in.
// removed is the number of passkeys. The address must have the form in which it is stored. It fails with
// absent when nobody has it, and with STORE_UNAVAILABLE.
func RemoveByOperator(
	ctx context.Context, s *Store, address string, absent error,
) (userID string, removed int, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := tx.QueryRow(ctx, lockForOperator, address).Scan(&userID); err != nil {
			return oneRow(err, absent)
		}
		keys, err := passkeysOf(ctx, tx, userID)
		if err != nil {
			return err
		}
		removed = len(keys)
		if err := removeAll(ctx, tx, userID); err != nil {
			return err
		}
		var entries []chain.Entry
		for _, key := range keys {
			removal := entry(chain.Operator(), chain.PasskeyRemoved, chain.PasskeySubject, key.ID)
			removal.Details = map[string]any{"userId": userID}
			entries = append(entries, removal)
		}
		return chain.Record(tx, entries...)
	})
	return userID, removed, err
}

const selectOwnerLacks = `
SELECT EXISTS (SELECT FROM core.house WHERE second_factor = 'administrators')
	AND EXISTS (
		SELECT
		FROM core.platform_owner
		JOIN core.person p ON p.id = person_id
		WHERE NOT p.has_passkey
	)`

// OwnerLacks reports whether the house asks its administrators for a second factor and the owner has none.
func (s *Store) OwnerLacks(ctx context.Context) (lacks bool, err error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	err = s.pool.QueryRow(ctx, selectOwnerLacks).Scan(&lacks)
	return lacks, store.Coded(err)
}
