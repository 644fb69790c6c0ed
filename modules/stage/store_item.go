package main

import (
	"context"
	"database/sql"
	"errors"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

func scanItem(row sdk.Scanner, i *item) error {
	return row.Scan(&i.ID, &i.Kind, &i.Title, &i.Text, &i.SongID, &i.SongTitle, &i.Seconds,
		&i.Transpose, &i.Capo, &i.Position, &i.Rev)
}

// itemByID reads an item in the form that callers get.
func itemByID(ctx context.Context, tx *sdk.Tx, id string) (*item, error) {
	read := new(item)
	err := scanItem(tx.QueryRow(ctx, `
		SELECT items.id::text, kind, items.title, text, song_id::text, songs.title, seconds, transpose, capo,
			position, items.rev
		FROM items LEFT JOIN songs ON songs.id = items.song_id
		WHERE items.id = $1`, id), read)
	return read, sdk.OrNoRow(err, errNoItem)
}

// room checks that a service has room for this many more items.
func room(ctx context.Context, tx *sdk.Tx, serviceID string, more int) error {
	var there, fits bool
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM services WHERE id = $1 AND cancelled_at IS NULL),
			(SELECT count(*) + $2 <= $3 FROM items WHERE service_id = $1)`,
		serviceID, more, maxItems).Scan(&there, &fits)
	switch {
	case err != nil:
		return err
	case !there:
		return errNoService
	case !fits:
		return errServiceFull
	}
	return nil
}

// createItem adds an item at the end of a service.
func createItem(ctx context.Context, tx *sdk.Tx, serviceID string, d *itemDraft) (*item, error) {
	if err := room(ctx, tx, serviceID, 1); err != nil {
		return nil, err
	}
	var id string
	err := tx.QueryRow(ctx, `
		INSERT INTO items (service_id, position, kind, title, text, song_id, seconds, transpose, capo)
		VALUES ($1, (SELECT coalesce(max(position), 0) + 1 FROM items WHERE service_id = $1), $2, $3, $4, $5, $6,
			$7, $8)
		RETURNING id::text`,
		serviceID, d.Kind, *d.Title, *d.Text, d.SongID, *d.Seconds, *d.Transpose, *d.Capo).Scan(&id)
	if err != nil {
		return nil, namedSong(err)
	}
	return itemByID(ctx, tx, id)
}

// copyItems appends the items of a service to another service, all or none. It returns the new ids.
func copyItems(ctx context.Context, tx *sdk.Tx, serviceID, from string) ([]string, error) {
	var there bool
	var more int
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM services WHERE id = $1 AND cancelled_at IS NULL),
			(SELECT count(*) FROM items WHERE service_id = $1)`,
		from).Scan(&there, &more)
	switch {
	case err != nil:
		return nil, err
	case !there:
		return nil, errNoService
	}
	if err := room(ctx, tx, serviceID, more); err != nil {
		return nil, err
	}
	return sdk.Select[string](ctx, tx, `
		INSERT INTO items (service_id, position, kind, title, text, song_id, seconds, transpose, capo)
		SELECT $1, last.position + row_number() OVER (ORDER BY items.position),
			kind, title, text, song_id, seconds, transpose, capo
		FROM items, (SELECT coalesce(max(position), 0) AS position FROM items WHERE service_id = $1) AS last
		WHERE service_id = $2
		RETURNING id::text`, serviceID, from)
}

// editItem replaces an item and returns the id of its service.
func editItem(ctx context.Context, tx *sdk.Tx, id string, d *itemDraft) (
	edited *item, serviceID string, err error,
) {
	err = tx.QueryRow(ctx, `
		UPDATE items
		SET kind = $3, title = $4, text = $5, song_id = $6, seconds = $7, transpose = $8, capo = $9,
			rev = rev + 1
		WHERE id = $1 AND rev = $2
		RETURNING service_id::text`,
		id, *d.Rev, d.Kind, *d.Title, *d.Text, d.SongID, *d.Seconds, *d.Transpose, *d.Capo).Scan(&serviceID)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, "", missing(ctx, tx, "items", id, errNoItem)
	}
	if err != nil {
		return nil, "", namedSong(err)
	}
	edited, err = itemByID(ctx, tx, id)
	return edited, serviceID, err
}

// removeItem deletes an item and closes the gap. If it is the current item, the next one becomes current.
func removeItem(ctx context.Context, tx *sdk.Tx, id string) (serviceID string, err error) {
	_, err = tx.Exec(ctx, `
		UPDATE live
		SET section = 0, item_since = now(), item_id = (
			SELECT other.id
			FROM items JOIN items AS other ON other.service_id = items.service_id AND other.id <> items.id
			WHERE items.id = $1
			ORDER BY other.position < items.position, abs(other.position - items.position)
			LIMIT 1)
		WHERE item_id = $1`, id)
	if err != nil {
		return "", err
	}
	var position int64
	err = tx.QueryRow(ctx, `DELETE FROM items WHERE id = $1 RETURNING service_id::text, position`,
		id).Scan(&serviceID, &position)
	if err != nil {
		return "", sdk.OrNoRow(err, errNoItem)
	}
	_, err = tx.Exec(ctx, `UPDATE items SET position = position - 1 WHERE service_id = $1 AND position > $2`,
		serviceID, position)
	return serviceID, err
}

// placeItem moves an item behind another one of its service, or to the front. seen is the rev of the service
// that the caller saw.
func placeItem(ctx context.Context, tx *sdk.Tx, id string, after *string, seen int64) (
	serviceID string, err error,
) {
	var rev int64
	err = tx.QueryRow(ctx, `
		SELECT services.id::text, services.rev
		FROM items JOIN services ON services.id = items.service_id
		WHERE items.id = $1`, id).Scan(&serviceID, &rev)
	if err != nil {
		return "", sdk.OrNoRow(err, errNoItem)
	}
	if rev != seen {
		return "", errConflict
	}
	behind := int64(0)
	if after != nil {
		err := tx.QueryRow(ctx, `SELECT position FROM items WHERE id = $1 AND service_id = $2`,
			*after, serviceID).Scan(&behind)
		if err != nil {
			return "", sdk.OrNoRow(err, errConflict)
		}
	}
	_, err = tx.Exec(ctx, `
		UPDATE items
		SET position = numbered.place
		FROM (
			SELECT id, row_number() OVER (
				ORDER BY CASE WHEN id = $2 THEN $3::integer ELSE position END, id = $2
			) AS place
			FROM items
			WHERE service_id = $1
		) AS numbered
		WHERE items.id = numbered.id AND items.position <> numbered.place`, serviceID, id, behind)
	return serviceID, err
}

// namedSong replaces the database's error if the item's song does not exist.
func namedSong(err error) error {
	if sdk.BrokenConstraint(err) == "items_song" {
		return errSongUnknown
	}
	return err
}
