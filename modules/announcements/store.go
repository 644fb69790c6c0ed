package main

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// store is the module's own schema.
type store struct{ db *sdk.DB }

const columns = `id::text, kind, title, body, image_id::text, payload, starts_at, ends_at, position, ` +
	`enabled, rev`

func (s *store) list(ctx context.Context, unpublished bool) ([]slide, error) {
	rows, err := s.db.Query(ctx, `
		SELECT `+columns+`
		FROM slides
		WHERE enabled OR $1
		ORDER BY position, id`, unpublished)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	slides := []slide{}
	for rows.Next() {
		var s slide
		if err := scan(rows, &s); err != nil {
			return nil, err
		}
		slides = append(slides, s)
	}
	return slides, rows.Err()
}

func (s *store) create(ctx context.Context, d *draft) (*slide, error) {
	var created slide
	err := scan(s.db.QueryRow(ctx, `
		INSERT INTO slides (kind, title, body, payload, starts_at, ends_at, position, enabled)
		VALUES ($1, $2, $3, $4, $5, $6, (SELECT coalesce(max(position), 0) + $7 FROM slides), $8)
		RETURNING `+columns,
		*d.Kind, *d.Title, *d.Body, payload(d), instant(d.StartsAt), instant(d.EndsAt), gap, *d.Enabled), &created)
	return &created, err
}

func (s *store) edit(ctx context.Context, id string, d *draft) (*slide, error) {
	var edited slide
	err := scan(s.db.QueryRow(ctx, `
		UPDATE slides
		SET kind = $3, title = $4, body = $5, payload = $6, starts_at = $7, ends_at = $8, enabled = $9,
		    rev = rev + 1
		WHERE id = $1 AND rev = $2
		RETURNING `+columns,
		id, *d.Rev, *d.Kind, *d.Title, *d.Body, payload(d), instant(d.StartsAt), instant(d.EndsAt), *d.Enabled),
		&edited)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, s.missing(ctx, id)
	}
	return &edited, err
}

// missing tells why an edit found no row: another writer was faster, or the slide is gone.
func (s *store) missing(ctx context.Context, id string) error {
	var there bool
	if err := s.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM slides WHERE id = $1)`,
		id).Scan(&there); err != nil {
		return err
	}
	if there {
		return errConflict
	}
	return errNotFound
}

func (s *store) remove(ctx context.Context, id string) error {
	removed, err := s.db.Exec(ctx, `DELETE FROM slides WHERE id = $1`, id)
	if err == nil && removed == 0 {
		return errNotFound
	}
	return err
}

func scan(row interface{ Scan(dst ...any) error }, s *slide) error {
	var startsAt, endsAt *time.Time
	var payload []byte
	if err := row.Scan(&s.ID, &s.Kind, &s.Title, &s.Body, &s.ImageID, &payload, &startsAt, &endsAt, &s.Position,
		&s.Enabled, &s.Rev); err != nil {
		return err
	}
	s.Payload, s.StartsAt, s.EndsAt = payload, (*moment)(startsAt), (*moment)(endsAt)
	return nil
}

func instant(m *moment) *time.Time { return (*time.Time)(m) }

// payload is text to the database: jsonb reads it.
func payload(d *draft) *string {
	if d.Payload == nil {
		return nil
	}
	text := string(d.Payload)
	return &text
}
