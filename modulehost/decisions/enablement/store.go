package enablement

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/store"
)

// Store reads and writes the decisions through the shared pool. A call stops when its context ends. It is
// safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// NewStore makes a Store. It opens no connection.
func NewStore(pool *pgxpool.Pool) *Store { return &Store{pool: pool} }

const selectDecisions = `
SELECT module_id, enabled
FROM core.module_enablement`

// Decisions reads every stored decision. It fails with ErrRead.
func (s *Store) Decisions(ctx context.Context) (Decisions, error) {
	rows, err := s.pool.Query(ctx, selectDecisions)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRead, err)
	}
	decisions := make(Decisions)
	var moduleID string
	var enabled bool
	_, err = pgx.ForEachRow(rows, []any{&moduleID, &enabled}, func() error {
		decisions[moduleID] = enabled
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRead, err)
	}
	return decisions, nil
}

const upsertDecision = `
INSERT INTO core.module_enablement (module_id, enabled)
VALUES ($1, $2)
ON CONFLICT (module_id) DO UPDATE
SET enabled = excluded.enabled, decided_at = now()
WHERE module_enablement.enabled <> excluded.enabled`

// Decide stores an explicit decision, which replaces the previous one, and records who made it. An equal
// decision changes nothing. Of concurrent decisions the last one stays. The caller checks that the module is
// installed. The error is STORE_UNAVAILABLE when it is unknown whether the decision was stored.
func (s *Store) Decide(ctx context.Context, by chain.Actor, moduleID string, enabled bool) error {
	action := chain.ModuleDisabled
	if enabled {
		action = chain.ModuleEnabled
	}
	err := store.InTx(ctx, s.pool, func(ctx context.Context, tx *store.Tx) error {
		done, err := tx.Exec(ctx, upsertDecision, moduleID, enabled)
		if err != nil || done.RowsAffected() == 0 {
			return err
		}
		return chain.Record(tx, chain.Entry{
			Actor: by, Action: action, Subject: chain.Subject{Kind: chain.ModuleSubject, ID: moduleID},
		})
	})
	if err != nil {
		return store.Unavailable(err)
	}
	return nil
}
