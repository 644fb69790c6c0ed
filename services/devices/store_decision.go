package devices

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// request is the part of a pending pairing that an administrator sees.
type request struct {
	ModuleID    string
	Description string
	CreatedAt   time.Time
	ExpiresAt   time.Time
}

const selectRequest = `
SELECT module_id, description, created_at, expires_at
FROM core.device_pairing
WHERE code = $1 AND state = 'pending' AND expires_at > now()`

func (s *Store) request(ctx context.Context, code string) (request, error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	found, err := one[request](ctx, s.pool, ErrPairingNotFound, selectRequest, code)
	return found, store.Coded(err)
}

const decidePairing = `
UPDATE core.device_pairing
SET state = $2
WHERE code = $1 AND state = 'pending' AND expires_at > clock_timestamp()
RETURNING module_id`

const selectDecidedExists = `
SELECT EXISTS (
	SELECT
	FROM core.device_pairing
	WHERE code = $1 AND state <> 'pending' AND expires_at > clock_timestamp()
)`

// decide moves a pending pairing to a state and keeps its row locked until the transaction ends, so that only
// the first decision succeeds.
func decide(ctx context.Context, q querier, code, state string) (moduleID string, err error) {
	err = q.QueryRow(ctx, decidePairing, code, state).Scan(&moduleID)
	if errors.Is(err, pgx.ErrNoRows) {
		err = refusal(ctx, q, selectDecidedExists, code, ErrPairingDecided)
	}
	return moduleID, err
}

func (s *Store) reject(ctx context.Context, code string) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	_, err := decide(ctx, s.pool, code, "rejected")
	return store.Coded(err)
}
