package main

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// undoneFor is how long an import can be undone.
const undoneFor = day

// pastImport is an import that can be undone.
type pastImport struct {
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	Events int       `json:"events"` // that are as the import made them
}

// remember writes that an import made events and rooms, before it makes them.
func (i *importing) remember(ctx context.Context, tx sdk.Querier) error {
	rooms := i.roomsOf(i.newRooms)
	i.id = uuid.NewString()
	_, err := tx.Exec(ctx, `INSERT INTO imports (id, rooms) VALUES ($1::uuid, $2::bigint[]::integer[])`,
		i.id, rooms)
	return err
}

// listImports lists the imports that can be undone, the latest first.
func (c *calendar) listImports(ctx context.Context, _ *http.Request) (any, error) {
	all, err := sdk.Select[pastImport](ctx, c.db, `
		SELECT i.id::text, i.at, count(e.id)
		FROM imports i LEFT JOIN events e ON e.import_id = i.id AND e.rev = 1 AND e.deleted_at IS NULL
		WHERE i.at > $1
		GROUP BY i.id
		ORDER BY i.at DESC
		LIMIT 20`, time.Now().Add(-undoneFor))
	return map[string]any{"imports": all}, err
}

// undone is what an undo has done.
type undone struct {
	Removed int `json:"removed"`
	Kept    int `json:"kept"` // events that somebody has changed since
}

// undoImport removes the events of an import for good, so that another import can bring them again, and the
// rooms that it made and nothing else has. What somebody has changed since stays.
func (c *calendar) undoImport(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoImport)
	if err != nil {
		return nil, err
	}
	var done undone
	err = c.change(ctx, func(tx *sdk.Tx) error {
		n, err := tx.Exec(ctx, `
			DELETE FROM events WHERE import_id = $1::uuid AND (rev = 1 OR deleted_at IS NOT NULL)
			AND EXISTS (SELECT FROM imports WHERE id = $1::uuid AND at > $2)`, id, time.Now().Add(-undoneFor))
		if err != nil {
			return err
		}
		done.Removed = int(n)
		err = tx.QueryRow(ctx, `SELECT count(*) FROM events WHERE import_id = $1::uuid`, id).Scan(&done.Kept)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			DELETE FROM rooms r
			USING imports i
			WHERE i.id = $1::uuid AND r.id = ANY (i.rooms) AND r.rev = 1
			  AND NOT EXISTS (SELECT FROM events WHERE r.id = ANY (rooms))
			  AND NOT EXISTS (SELECT FROM exceptions WHERE r.id = ANY (rooms))
			  AND NOT EXISTS (SELECT FROM bookings WHERE room_id = r.id)`, id)
		if err != nil {
			return err
		}
		n, err = tx.Exec(ctx, `DELETE FROM imports WHERE id = $1::uuid AND at > $2`, id,
			time.Now().Add(-undoneFor))
		if err == nil && n == 0 {
			err = errNoImport
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// forgetImports removes what can no longer be undone.
func (c *calendar) forgetImports(ctx context.Context) error {
	_, err := c.db.Exec(ctx, `DELETE FROM imports WHERE at <= $1`, time.Now().Add(-undoneFor))
	return err
}
