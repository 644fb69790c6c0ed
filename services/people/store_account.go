package people

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const selectAccount = `
SELECT id::text AS user_id, email, name
FROM core.person
WHERE id = $1 AND deactivated_at IS NULL`

func (s *Store) account(ctx context.Context, userID string) (ownAccount, error) {
	return s.oneAccount(ctx, selectAccount, userID)
}

const renamePerson = `
UPDATE core.person
SET name = $2, updated_at = now()
WHERE id = $1 AND deactivated_at IS NULL
RETURNING id::text AS user_id, email, name`

func (s *Store) rename(ctx context.Context, userID, name string) (ownAccount, error) {
	return s.oneAccount(ctx, renamePerson, userID, name)
}

// oneAccount fails with AUTHENTICATION_REQUIRED when the person no longer exists or is deactivated, and with
// STORE_UNAVAILABLE otherwise.
func (s *Store) oneAccount(ctx context.Context, sql string, arguments ...any) (ownAccount, error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	rows, err := s.pool.Query(ctx, sql, arguments...)
	if err != nil {
		return ownAccount{}, store.Unavailable(err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[ownAccount])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return ownAccount{}, httpapi.ErrAuthentication
	case err != nil:
		return ownAccount{}, store.Unavailable(err)
	}
	return found, nil
}
