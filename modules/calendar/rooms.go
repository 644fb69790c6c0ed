package main

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// Limits of rooms.
const (
	maxRooms    = 100
	maxRoomName = 60
)

// room is a room that can be booked.
type room struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	Rev  int64  `json:"rev"`
}

const selectRooms = `SELECT id, name, rev FROM rooms ORDER BY id`

func readRooms(ctx context.Context, db sdk.Querier) ([]room, error) {
	return sdk.Select[room](ctx, db, selectRooms)
}

func (c *calendar) listRooms(ctx context.Context, _ *http.Request) (any, error) {
	rooms, err := readRooms(ctx, c.db)
	return map[string]any{"rooms": rooms}, err
}

func roomName(text string) (string, error) {
	name := strings.TrimSpace(text)
	if !sdk.IsText(name, 1, maxRoomName) {
		return "", sdk.ErrRequestInvalid
	}
	return name, nil
}

func (c *calendar) createRoom(ctx context.Context, r *http.Request) (any, error) {
	body, err := sdk.Decode[struct {
		Name string `json:"name"`
	}](r)
	if err != nil {
		return nil, err
	}
	made := room{Rev: 1}
	if made.Name, err = roomName(body.Name); err != nil {
		return nil, err
	}
	err = c.change(ctx, func(tx *sdk.Tx) error {
		made.ID, err = insertRoom(ctx, tx, made.Name)
		return err
	})
	if err != nil {
		return nil, err
	}
	return sdk.Created(made), nil
}

// insertRoom counts the rooms. The caller has locked the calendar's row, so two requests cannot both add the
// last allowed room.
func insertRoom(ctx context.Context, tx sdk.Querier, name string) (id int64, err error) {
	err = tx.QueryRow(ctx, `
		INSERT INTO rooms (name) SELECT $1 WHERE (SELECT count(*) FROM rooms) < $2 RETURNING id`,
		name, maxRooms).Scan(&id)
	return id, refusalOf(sdk.OrNoRow(err, errTooMany))
}

func (c *calendar) renameRoom(ctx context.Context, r *http.Request) (any, error) {
	body, err := sdk.Decode[struct {
		Name string `json:"name"`
		Rev  int64  `json:"rev"`
	}](r)
	if err != nil {
		return nil, err
	}
	changed := room{}
	if changed.Name, err = roomName(body.Name); err != nil {
		return nil, err
	}
	if changed.ID, err = roomID(r); err != nil {
		return nil, err
	}
	err = c.change(ctx, func(tx *sdk.Tx) error {
		err := tx.QueryRow(ctx, `
			UPDATE rooms SET name = $2, rev = rev + 1 WHERE id = $1 AND rev = $3 RETURNING rev`,
			changed.ID, changed.Name, body.Rev).Scan(&changed.Rev)
		if errors.Is(err, sql.ErrNoRows) {
			return roomMissing(ctx, tx, changed.ID)
		}
		return refusalOf(err)
	})
	return changed, err
}

// removeRoom deletes a room that no event uses, not even beyond the horizon.
func (c *calendar) removeRoom(ctx context.Context, r *http.Request) (any, error) {
	id, err := roomID(r)
	if err != nil {
		return nil, err
	}
	return nil, c.change(ctx, func(tx *sdk.Tx) error {
		n, err := tx.Exec(ctx, `
			DELETE FROM rooms
			WHERE id = $1 AND NOT EXISTS (SELECT FROM events WHERE deleted_at IS NULL AND $1 = ANY (rooms))
			  AND NOT EXISTS (SELECT FROM exceptions WHERE $1 = ANY (rooms))`, id)
		if sdk.BrokenConstraint(err) != "" {
			return errRoomInUse
		}
		if err != nil || n > 0 {
			return err
		}
		if err := roomMissing(ctx, tx, id); !errors.Is(err, errConflict) {
			return err
		}
		return errRoomInUse
	})
}

// roomMissing returns why a change found no room: it does not exist, or has changed since the writer read it.
func roomMissing(ctx context.Context, tx sdk.Querier, id int64) error {
	var there bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM rooms WHERE id = $1)`, id).Scan(&there)
	if err == nil && there {
		return errConflict
	}
	if err == nil {
		return errNoRoom
	}
	return err
}

func roomID(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 32)
	if err != nil || id < 1 {
		return 0, errNoRoom
	}
	return id, nil
}
