package people

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/store"
)

const (
	remindAgainAfter = 24 * time.Hour // whoever reminds

	lockReminded = selectMember + `
FOR NO KEY UPDATE`

	// The activity is all that is kept of reminders. A statement of its own, because it must see what another
	// transaction did before the lock was granted.
	selectRemindAgain = `
SELECT coalesce((
	SELECT at + $2::interval - now()
	FROM core.activity
	WHERE subject_kind = 'person' AND subject_id = $1 AND action = 'person.reminded'
	ORDER BY (-number)
	LIMIT 1
), '0')`
)

// remind records that somebody asks a person for a passkey, and returns the person. Codes: USER_NOT_FOUND,
// REMINDER_NOT_NEEDED, TOO_MANY_REQUESTS, STORE_UNAVAILABLE.
func (s *Store) remind(ctx context.Context, by chain.Actor, userID string) (found foundPerson, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		rows, err := tx.Query(ctx, lockReminded, userID)
		if err == nil {
			found, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[foundPerson])
		}
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return ErrUserNotFound
		case err != nil:
			return err
		case found.HasPasskey, found.DeactivatedAt != nil, !found.EmailVerified, found.Email == nil:
			return ErrReminderNotNeeded
		}
		var wait time.Duration
		if err := tx.QueryRow(ctx, selectRemindAgain, userID, remindAgainAfter).Scan(&wait); err != nil {
			return err
		}
		if wait > 0 {
			return tooMany{wait}
		}
		return chain.Record(tx, decision{by: by, userID: userID}.entry(chain.PersonReminded))
	})
	return found, err
}
