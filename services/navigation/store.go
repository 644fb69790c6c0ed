package navigation

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const storeDeadline = 5 * time.Second // of one request's work, its waits for rows included

// detached returns the context of a request's work. It does not end when the client leaves, because pgx
// closes a connection whose query is canceled.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeDeadline)
}

// Store reads and writes the arrangement through the shared pool. Each call is one statement, so the
// database alone orders concurrent calls: of several writes of one row the last is left, complete. Its work
// ends with the context that it is given. Its errors are those of errors.go, and STORE_UNAVAILABLE when it
// is unknown what was stored. Safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// NewStore opens no connection.
func NewStore(pool *pgxpool.Pool) *Store { return &Store{pool} }

const selectArrangement = `
SELECT g.id, g.label, g.position, p.module_id, p.position
FROM core.navigation_group g
FULL JOIN core.navigation_placement p ON p.group_id = g.id`

// Arrangement reads everything that is stored, as of one moment.
func (s *Store) Arrangement(ctx context.Context) (Arrangement, error) {
	rows, err := s.pool.Query(ctx, selectArrangement)
	if err != nil {
		return Arrangement{}, unavailable(err)
	}
	stored := Arrangement{groups: make(map[string]Group), placements: make(map[string]Placement)}
	var groupID, label, moduleID *string
	var groupOrder, moduleOrder *int
	if _, err := pgx.ForEachRow(rows, []any{&groupID, &label, &groupOrder, &moduleID, &moduleOrder},
		func() error {
			if groupID != nil {
				stored.groups[*groupID] = Group{*groupID, *label, *groupOrder}
			}
			if moduleID != nil {
				stored.placements[*moduleID] = Placement{*moduleID, groupID, *moduleOrder}
			}
			return nil
		}); err != nil {
		return Arrangement{}, unavailable(err)
	}
	return stored, nil
}

const upsertGroup = `
INSERT INTO core.navigation_group (id, label, position)
VALUES ($1, $2, $3)
ON CONFLICT (id) DO UPDATE
SET label = excluded.label, position = excluded.position`

// PutGroup creates a group, or changes its label and order.
func (s *Store) PutGroup(ctx context.Context, g Group) error {
	return s.exec(ctx, upsertGroup, g.ID, g.Label, g.Order)
}

const deleteGroup = `
DELETE FROM core.navigation_group
WHERE id = $1`

// DeleteGroup deletes a group. Its modules become ungrouped and keep their order, including those that are
// placed into it at the same moment. Deleting an absent group succeeds.
func (s *Store) DeleteGroup(ctx context.Context, id string) error {
	return s.exec(ctx, deleteGroup, id)
}

// lockedGroup is $2, and locks that group against deletion before the statement locks the placement's row.
// DeleteGroup locks in the same order, so the two cannot deadlock. The foreign key would take this lock too,
// but last.
const lockedGroup = `coalesce((
	SELECT id
	FROM core.navigation_group
	WHERE id = $2
	FOR KEY SHARE
), $2)`

const upsertPlacement = `
INSERT INTO core.navigation_placement (module_id, group_id, position)
VALUES ($1, ` + lockedGroup + `, $3)
ON CONFLICT (module_id) DO UPDATE
SET group_id = excluded.group_id, position = excluded.position`

// Place gives a module a place, whether or not it had one. Fails with ErrGroupNotFound.
func (s *Store) Place(ctx context.Context, p Placement) error {
	return s.exec(ctx, upsertPlacement, p.ModuleID, p.GroupID, p.Order)
}

const updatePlacement = `
UPDATE core.navigation_placement
SET group_id = ` + lockedGroup + `, position = $3
WHERE module_id = $1`

// Replace gives a module another place. Fails with ErrNotInstalled when it has none, and with
// ErrGroupNotFound.
func (s *Store) Replace(ctx context.Context, p Placement) error {
	tag, err := s.pool.Exec(ctx, updatePlacement, p.ModuleID, p.GroupID, p.Order)
	if err != nil {
		return failure(err)
	}
	if tag.RowsAffected() == 0 {
		return ErrNotInstalled
	}
	return nil
}

const deletePlacement = `
DELETE FROM core.navigation_placement
WHERE module_id = $1`

// Unplace deletes a module's place. Deleting an absent one succeeds.
func (s *Store) Unplace(ctx context.Context, moduleID string) error {
	return s.exec(ctx, deletePlacement, moduleID)
}

func (s *Store) exec(ctx context.Context, statement string, arguments ...any) error {
	if _, err := s.pool.Exec(ctx, statement, arguments...); err != nil {
		return failure(err)
	}
	return nil
}

// placedInGroup is the foreign key that refuses places in groups that do not exist or are just being
// deleted.
const placedInGroup = "navigation_placement_group"

func failure(err error) error {
	if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) && refused.ConstraintName == placedInGroup {
		return ErrGroupNotFound
	}
	return unavailable(err)
}
