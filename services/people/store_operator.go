package people

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const selectIDByAddress = `
SELECT id::text
FROM core.person
WHERE email = $1`

// decisionOfOperator finds the person and returns an operator's decision. An operator may decide about
// everybody except the owner.
func (s *Store) decisionOfOperator(ctx context.Context, who Existing) (decision, error) {
	d := decision{by: chain.Operator(), mayGrant: true, userID: who.UserID}
	if who.UserID != "" {
		if !isID(who.UserID) {
			return d, ErrUserNotFound
		}
		return d, nil
	}
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	err := s.pool.QueryRow(ctx, selectIDByAddress, who.Email).Scan(&d.userID)
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrUserNotFound
	}
	return d, store.Coded(err)
}
