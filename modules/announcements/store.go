package main

import (
	"context"
	"database/sql"
	"errors"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// store is the module's own schema.
type store struct{ db *sdk.DB }

const columns = `id::text, kind, title, body, image_id::text, payload, starts_at, ends_at, position, ` +
	`enabled, rev, shown_only`

// started is the condition for slides that anybody may read: the time of a published slide has come.
const started = `enabled AND (starts_at IS NULL OR starts_at <= now())`

func listSlides(ctx context.Context, q sdk.Querier, unpublished bool) (all []slide, err error) {
	err = sdk.Read(ctx, q, selectSlides(&all, unpublished))
	return all, err
}

func selectSlides(into *[]slide, unpublished bool) sdk.Statement {
	return sdk.SelectIntoBy(into, scan, `
		SELECT `+columns+`
		FROM slides
		WHERE $1 OR `+started+`
		ORDER BY position, id`, unpublished)
}

func create(ctx context.Context, tx *sdk.Tx, d *draft) (*slide, error) {
	var created slide
	shownOnly, err := d.Only.stored()
	if err != nil {
		return nil, err
	}
	err = scan(tx.QueryRow(ctx, `
		INSERT INTO slides (kind, title, body, image_id, payload, starts_at, ends_at, position, enabled, changed_by,
			id, shown_only)
		VALUES ($1, $2, $3, $4, $5, $6, $7, (SELECT coalesce(max(position), 0) + $8 FROM slides), $9,
			nullif($10, ''), coalesce(nullif($11, '')::uuid, gen_random_uuid()), $12)
		RETURNING `+columns,
		*d.Kind, *d.Title, *d.Body, d.ImageID, payload(d), d.StartsAt, d.EndsAt, gap, *d.Enabled,
		d.writer, d.id, shownOnly),
		&created)
	return &created, named(err)
}

// edit replaces a slide. It deletes the slide's previous picture if no other slide shows it; dropped is then
// the key of its object.
func edit(ctx context.Context, tx *sdk.Tx, id string, d *draft) (edited *slide, dropped string, err error) {
	edited, before, err := replace(ctx, tx, id, d)
	if err != nil {
		return nil, "", err
	}
	dropped, err = dropImage(ctx, tx, before)
	return edited, dropped, err
}

// replace replaces a slide and returns the id of its previous picture, which stays.
func replace(ctx context.Context, tx *sdk.Tx, id string, d *draft) (
	edited *slide, before *string, err error,
) {
	err = tx.QueryRow(ctx, `SELECT image_id::text FROM slides WHERE id = $1 AND rev = $2 FOR UPDATE`,
		id, *d.Rev).Scan(&before)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil, missing(ctx, tx, id)
	}
	if err != nil {
		return nil, nil, err
	}
	shownOnly, err := d.Only.stored()
	if err != nil {
		return nil, nil, err
	}
	edited = new(slide)
	err = scan(tx.QueryRow(ctx, `
		UPDATE slides
		SET kind = $2, title = $3, body = $4, image_id = $5, payload = $6, starts_at = $7, ends_at = $8,
		    enabled = $9, changed_by = nullif($10, ''), shown_only = $11, rev = rev + 1,
		    changed_at = now()
		WHERE id = $1
		RETURNING `+columns,
		id, *d.Kind, *d.Title, *d.Body, d.ImageID, payload(d), d.StartsAt, d.EndsAt, *d.Enabled,
		d.writer, shownOnly), edited)
	if err != nil {
		return nil, nil, named(err)
	}
	return edited, before, nil
}

// missing returns why an edit found no row: another writer was faster, or the slide does not exist.
func missing(ctx context.Context, tx *sdk.Tx, id string) error {
	var there bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM slides WHERE id = $1)`,
		id).Scan(&there); err != nil {
		return err
	}
	if there {
		return errConflict
	}
	return errNotFound
}

// remove deletes a slide, and its picture if no other slide shows it.
func remove(ctx context.Context, tx *sdk.Tx, id string) (dropped string, err error) {
	var before *string
	err = tx.QueryRow(ctx, `DELETE FROM slides WHERE id = $1 RETURNING image_id::text`, id).Scan(&before)
	if err != nil {
		return "", sdk.OrNoRow(err, errNotFound)
	}
	return dropImage(ctx, tx, before)
}

func scan(row sdk.Scanner, s *slide) error {
	var payload, shownOnly []byte
	err := row.Scan(&s.ID, &s.Kind, &s.Title, &s.Body, &s.ImageID, &payload, &s.StartsAt, &s.EndsAt, &s.Position,
		&s.Enabled, &s.Rev, &shownOnly)
	if err != nil {
		return err
	}
	s.Payload = payload
	s.Only, err = readOnly(shownOnly)
	return err
}

// payload returns the payload as a text, which the database converts to jsonb.
func payload(d *draft) *string {
	if d.Payload == nil {
		return nil
	}
	text := string(d.Payload)
	return &text
}
