package enablement

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const selectDecisions = `
SELECT module_id, enabled
FROM core.module_enablement`

// Store reads the decisions from the shared pool. Safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// New makes a Store.
func New(pool *pgxpool.Pool) *Store { return &Store{pool: pool} }

// Decisions reads every stored decision. ErrRead when the store cannot tell.
func (s *Store) Decisions(ctx context.Context) (Decisions, error) {
	rows, err := s.pool.Query(ctx, selectDecisions)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRead, err)
	}
	decisions := make(Decisions)
	var moduleID string
	var enabled bool
	if _, err := pgx.ForEachRow(rows, []any{&moduleID, &enabled}, func() error {
		decisions[moduleID] = enabled
		return nil
	}); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRead, err)
	}
	return decisions, nil
}
