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

// detached is the context of a request's work, which goes on when the client leaves: pgx closes a
// connection whose query is cut off.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeDeadline)
}

// Store reads and writes the arrangement in the shared pool. Each call is one statement, so the database
// alone decides what happens at the same time: of several writes of one row the last to come is left,
// whole. Its work ends with the context that it is given. Its errors are STORE_UNAVAILABLE, when it cannot
// be told what was stored, and those of errors.go. Safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// NewStore opens no connection.
func NewStore(pool *pgxpool.Pool) *Store { return &Store{pool} }

const selectArrangement = `
SELECT g.id, g.label, g.position, p.module_id, p.position
FROM core.navigation_group g
FULL JOIN core.navigation_placement p ON p.group_id = g.id`

// Arrangement reads everything that is stored, as it was at one moment.
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

// PutGroup makes a group, or renames and orders it.
func (s *Store) PutGroup(ctx context.Context, g Group) error {
	return s.exec(ctx, upsertGroup, g.ID, g.Label, g.Order)
}

const deleteGroup = `
DELETE FROM core.navigation_group
WHERE id = $1`

// DeleteGroup ungroups its modules, those too that are placed into it at this moment, and leaves their
// order. An absent group is none to delete.
func (s *Store) DeleteGroup(ctx context.Context, id string) error {
	return s.exec(ctx, deleteGroup, id)
}

// lockedGroup is $2, and locks that group against being deleted before the placement's own row is locked.
// DeleteGroup has the same order, and so they never wait for each other in a circle. The foreign key would
// take this lock, but last.
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

// Place puts a module into its place, whether or not it had one. Fails with ErrGroupNotFound.
func (s *Store) Place(ctx context.Context, p Placement) error {
	return s.exec(ctx, upsertPlacement, p.ModuleID, p.GroupID, p.Order)
}

const updatePlacement = `
UPDATE core.navigation_placement
SET group_id = ` + lockedGroup + `, position = $3
WHERE module_id = $1`

// Replace puts a module that has a place into another. Fails with ErrNotInstalled when it has none, and
// with ErrGroupNotFound.
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

// Unplace takes a module's place away. An absent one is none to take.
func (s *Store) Unplace(ctx context.Context, moduleID string) error {
	return s.exec(ctx, deletePlacement, moduleID)
}

func (s *Store) exec(ctx context.Context, statement string, arguments ...any) error {
	if _, err := s.pool.Exec(ctx, statement, arguments...); err != nil {
		return failure(err)
	}
	return nil
}

// placedInGroup is the constraint that keeps places out of groups that are not, or are just being deleted.
const placedInGroup = "navigation_placement_group"

func failure(err error) error {
	if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) && refused.ConstraintName == placedInGroup {
		return ErrGroupNotFound
	}
	return unavailable(err)
}
