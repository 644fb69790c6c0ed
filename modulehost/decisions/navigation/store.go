package navigation

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/store"
)

// Store reads and writes the arrangement through the shared pool. Each change is one statement, so the
// database orders concurrent calls: of several writes of one row the last one stays, complete. The same
// transaction records who made the change; a write that changes nothing is not recorded. A call stops when
// its context ends. The errors are those of errors.go, and STORE_UNAVAILABLE when it is unknown what was
// stored. It is safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// NewStore makes a Store. It opens no connection.
func NewStore(pool *pgxpool.Pool) *Store { return &Store{pool} }

const selectArrangement = `
SELECT g.id, g.label, g.position, p.module_id, p.position
FROM core.navigation_group g
FULL JOIN core.navigation_placement p ON p.group_id = g.id`

// Arrangement reads all groups and placements in one snapshot.
func (s *Store) Arrangement(ctx context.Context) (Arrangement, error) {
	rows, err := s.pool.Query(ctx, selectArrangement)
	if err != nil {
		return Arrangement{}, store.Unavailable(err)
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
		return Arrangement{}, store.Unavailable(err)
	}
	return stored, nil
}

// The subquery of RETURNING sees the row as it was before this statement.
const upsertGroup = `
INSERT INTO core.navigation_group (id, label, position)
VALUES ($1, $2, $3)
ON CONFLICT (id) DO UPDATE
SET label = excluded.label, position = excluded.position
WHERE (navigation_group.label, navigation_group.position)
	IS DISTINCT FROM (excluded.label, excluded.position)
RETURNING coalesce((
	SELECT CASE former.label WHEN navigation_group.label THEN 'groupMoved' ELSE 'groupRenamed' END
	FROM core.navigation_group former
	WHERE former.id = $1
), 'groupAdded')`

// PutGroup creates a group, or changes its label and order.
func (s *Store) PutGroup(ctx context.Context, by chain.Actor, g Group) error {
	_, err := s.change(ctx, ofGroup(by, g.ID), upsertGroup, g.ID, g.Label, g.Order)
	return err
}

const deleteGroup = `
DELETE FROM core.navigation_group
WHERE id = $1
RETURNING 'groupDeleted'`

// DeleteGroup deletes a group. Its modules become ungrouped and keep their order, including those that are
// placed into it at the same moment. Deleting an absent group succeeds.
func (s *Store) DeleteGroup(ctx context.Context, by chain.Actor, id string) error {
	_, err := s.change(ctx, ofGroup(by, id), deleteGroup, id)
	return err
}

// lockedGroup is an expression with the value $2. It locks that group against deletion before the statement
// locks the placement's row. DeleteGroup locks in the same order, so the two cannot deadlock. The foreign key
// would also take this lock, but as the last one.
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
SET group_id = excluded.group_id, position = excluded.position
WHERE (navigation_placement.group_id, navigation_placement.position)
	IS DISTINCT FROM (excluded.group_id, excluded.position)` + placedOrMoved

// placedOrMoved is what became of a placement: its group is another one, or only its order. The subquery sees
// the row as it was before this statement.
const placedOrMoved = `
RETURNING CASE WHEN navigation_placement.group_id IS DISTINCT FROM (
	SELECT former.group_id
	FROM core.navigation_placement former
	WHERE former.module_id = $1
) THEN 'modulePlaced' ELSE 'moduleMoved' END`

// Place stores a module's placement, whether or not it had one. It fails with ErrGroupNotFound.
func (s *Store) Place(ctx context.Context, by chain.Actor, p Placement) error {
	_, err := s.change(ctx, ofModule(by, p), upsertPlacement, p.ModuleID, p.GroupID, p.Order)
	return err
}

const updatePlacement = `
UPDATE core.navigation_placement
SET group_id = ` + lockedGroup + `, position = $3
WHERE module_id = $1 AND (group_id, position) IS DISTINCT FROM ($2, $3)` + placedOrMoved

const selectPlaced = `
SELECT EXISTS (
	SELECT
	FROM core.navigation_placement
	WHERE module_id = $1
)`

// Replace changes a module's placement. It fails with ErrNotInstalled when there is none, and with
// ErrGroupNotFound.
func (s *Store) Replace(ctx context.Context, by chain.Actor, p Placement) error {
	changed, err := s.change(ctx, ofModule(by, p), updatePlacement, p.ModuleID, p.GroupID, p.Order)
	if err != nil || changed {
		return err
	}
	var placed bool
	if err := s.pool.QueryRow(ctx, selectPlaced, p.ModuleID).Scan(&placed); err != nil {
		return store.Unavailable(err)
	}
	if !placed {
		return ErrNotInstalled
	}
	return nil
}

const deletePlacement = `
DELETE FROM core.navigation_placement
WHERE module_id = $1
RETURNING 'moduleUnplaced'`

// Unplace deletes a module's placement. It succeeds also when there is none.
func (s *Store) Unplace(ctx context.Context, by chain.Actor, moduleID string) error {
	_, err := s.change(ctx, ofModule(by, Placement{ModuleID: moduleID}), deletePlacement, moduleID)
	return err
}

// change runs one statement, which returns what it did, and records the entry if it wrote a row.
func (s *Store) change(
	ctx context.Context, entry chain.Entry, statement string, arguments ...any,
) (changed bool, err error) {
	err = store.InTx(ctx, s.pool, func(ctx context.Context, tx *store.Tx) error {
		var what string
		err := tx.QueryRow(ctx, statement, arguments...).Scan(&what)
		if changed = err == nil; errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		entry.Details["what"] = what
		return chain.Record(tx, entry)
	})
	if err != nil {
		return false, failure(err)
	}
	return changed, nil
}

func ofGroup(by chain.Actor, id string) chain.Entry {
	return chain.Entry{
		Actor: by, Action: chain.NavigationChanged,
		Subject: chain.Subject{Kind: chain.NavigationGroupSubject, ID: id},
		Details: map[string]any{"groupId": id},
	}
}

func ofModule(by chain.Actor, p Placement) chain.Entry {
	details := map[string]any{"moduleId": p.ModuleID}
	if p.GroupID != nil {
		details["groupId"] = *p.GroupID
	}
	return chain.Entry{
		Actor: by, Action: chain.NavigationChanged,
		Subject: chain.Subject{Kind: chain.ModuleSubject, ID: p.ModuleID},
		Details: details,
	}
}

// placedInGroup is the foreign key that refuses placements in groups that do not exist or have just been
// deleted.
const placedInGroup = "navigation_placement_group"

func failure(err error) error {
	if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) && refused.ConstraintName == placedInGroup {
		return ErrGroupNotFound
	}
	return store.Unavailable(err)
}
