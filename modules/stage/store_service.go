package main

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// servicePosition is a service's place in lists.
type servicePosition struct {
	StartsAt time.Time `json:"startsAt"`
	ID       string    `json:"id"`
}

// A service counts as upcoming until this long after its start, because it may still be going on.
const stillUpcoming = 12 * time.Hour

const listedService = `
	services.id::text, services.title, services.starts_at,
	(SELECT count(*) FROM items WHERE items.service_id = services.id),
	(SELECT coalesce(sum(seconds), 0) FROM items WHERE items.service_id = services.id), services.rev`

// upcomingServices returns the services that start at a time or later, the next one first.
func (s *store) upcomingServices(ctx context.Context, from time.Time, after *servicePosition, limit int) (
	[]service, error,
) {
	if after == nil {
		after = &servicePosition{StartsAt: from, ID: firstID}
	}
	return sdk.Select[service](ctx, s.db, `
		SELECT `+listedService+`
		FROM services
		WHERE cancelled_at IS NULL AND starts_at >= $1 AND (starts_at, id) > ($2, $3::uuid)
		ORDER BY starts_at, id
		LIMIT $4`, from, after.StartsAt, after.ID, limit)
}

// providedServices returns the same services as upcomingServices, or those of them that have one of the ids,
// in the form that other modules get.
func (s *store) providedServices(
	ctx context.Context, from time.Time, after *servicePosition, limit int, ids []string,
) ([]providedService, error) {
	if after == nil {
		after = &servicePosition{StartsAt: from, ID: firstID}
	}
	only, args := "", []any{from, after.StartsAt, after.ID, limit}
	if len(ids) > 0 {
		only = " AND id = ANY($5::uuid[])"
		args = append(args, slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !sdk.IsID(id) }))
	}
	return sdk.Select[providedService](ctx, s.db, `
		SELECT id::text, title, starts_at, rev
		FROM services
		WHERE cancelled_at IS NULL AND starts_at >= $1 AND (starts_at, id) > ($2, $3::uuid)`+only+`
		ORDER BY starts_at, id
		LIMIT $4`, args...)
}

// cancelledServices returns the services that can be brought back, the next one first.
func (s *store) cancelledServices(ctx context.Context, after *servicePosition, limit int) ([]service, error) {
	if after == nil {
		after = &servicePosition{ID: firstID}
	}
	return sdk.Select[service](ctx, s.db, `
		SELECT `+listedService+`
		FROM services
		WHERE cancelled_at IS NOT NULL AND (starts_at, id) > ($1, $2::uuid)
		ORDER BY starts_at, id
		LIMIT $3`, after.StartsAt, after.ID, limit)
}

// statesOf returns services by their ids, also those that were cancelled.
func (s *store) statesOf(ctx context.Context, ids []string) ([]serviceState, error) {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !sdk.IsID(id) })
	return sdk.Select[serviceState](ctx, s.db, `
		SELECT id::text, title, starts_at, rev, cancelled_at IS NOT NULL
		FROM services
		WHERE id = ANY($1::uuid[])
		ORDER BY id`, ids)
}

// changedServices returns the services with a higher number of change.
func (s *store) changedServices(ctx context.Context, since int64, limit int) ([]followedService, error) {
	return sdk.Select[followedService](ctx, s.db, `
		SELECT id::text, title, starts_at, rev, cancelled_at IS NOT NULL,
			(SELECT coalesce(ceil(sum(seconds) / 60.0), 0)::bigint FROM items WHERE service_id = services.id), changed
		FROM services
		WHERE changed > $1
		ORDER BY changed
		LIMIT $2`, since, limit)
}

// pastServices returns the services that started before a time, the last one first.
func (s *store) pastServices(ctx context.Context, before time.Time, after *servicePosition, limit int) (
	[]service, error,
) {
	if after == nil {
		after = &servicePosition{StartsAt: before, ID: firstID}
	}
	return sdk.Select[service](ctx, s.db, `
		SELECT `+listedService+`
		FROM services
		WHERE cancelled_at IS NULL AND (starts_at, id) < ($1, $2::uuid)
		ORDER BY starts_at DESC, id DESC
		LIMIT $3`, after.StartsAt, after.ID, limit)
}

// firstID sorts before every id that the database generates.
const firstID = "00000000-0000-0000-0000-000000000000"

// service reads a service with its items in one statement, so that they are consistent.
func (s *store) service(ctx context.Context, id string) (*fullService, error) {
	rows, err := s.db.Query(ctx, `
		SELECT services.id::text, services.title, services.starts_at, services.rev, items.id IS NOT NULL,
			coalesce(items.id::text, ''), coalesce(kind, ''), coalesce(items.title, ''), coalesce(text, ''),
			song_id::text, songs.title, coalesce(seconds, 0), coalesce(transpose, 0),
			coalesce(capo, 0), coalesce(position, 0), coalesce(items.rev, 0)
		FROM services
			LEFT JOIN items ON items.service_id = services.id
			LEFT JOIN songs ON songs.id = items.song_id
		WHERE services.id = $1 AND cancelled_at IS NULL
		ORDER BY position`, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var read *fullService
	for rows.Next() {
		if read == nil {
			read = &fullService{Items: []item{}}
		}
		var there bool
		var one item
		err := scanItem(prefixed{rows, []any{&read.ID, &read.Title, &read.StartsAt, &read.Rev, &there}}, &one)
		if err != nil {
			return nil, err
		}
		if there {
			read.Items = append(read.Items, one)
		}
	}
	if read == nil && rows.Err() == nil {
		return nil, errNoService
	}
	return read, rows.Err()
}

// prefixed scans some columns before those of an item.
type prefixed struct {
	row  sdk.Scanner
	into []any
}

// Scan reads one row.
func (p prefixed) Scan(dst ...any) error {
	return p.row.Scan(append(append([]any{}, p.into...), dst...)...)
}

func createService(ctx context.Context, tx *sdk.Tx, d *serviceDraft, writer string) (*service, error) {
	created := &service{Title: d.Title, StartsAt: d.StartsAt}
	err := tx.QueryRow(ctx, `
		INSERT INTO services (title, starts_at, changed_by)
		VALUES ($1, $2, nullif($3, ''))
		RETURNING id::text, rev`, d.Title, d.StartsAt, writer).Scan(&created.ID, &created.Rev)
	return created, err
}

// stateOf returns a service, also a cancelled one, or errNoService.
func stateOf(ctx context.Context, q sdk.Querier, id string) (now serviceState, err error) {
	err = q.QueryRow(ctx, `
		SELECT id::text, title, starts_at, rev, cancelled_at IS NOT NULL FROM services WHERE id = $1`, id).
		Scan(&now.ID, &now.Title, &now.Start, &now.Rev, &now.Cancelled)
	return now, sdk.OrNoRow(err, errNoService)
}

func editService(ctx context.Context, tx *sdk.Tx, id string, d *serviceDraft, writer string) error {
	err := tx.QueryRow(ctx, `
		UPDATE services
		SET title = $3, starts_at = $4, changed_by = nullif($5, ''), rev = rev + 1
		WHERE id = $1 AND rev = $2 AND cancelled_at IS NULL
		RETURNING rev`, id, *d.Rev, d.Title, d.StartsAt, writer).Scan(d.Rev)
	if errors.Is(err, sql.ErrNoRows) {
		return missing(ctx, tx, "services", id, errNoService)
	}
	return err
}

// cancelService takes a service out of every list. restoreService can bring it back until forgetCancelled has
// deleted it.
func cancelService(ctx context.Context, tx *sdk.Tx, id, writer string) error {
	var cancelled string
	err := tx.QueryRow(ctx, `
		UPDATE services
		SET cancelled_at = now(), changed_by = nullif($2, ''), rev = rev + 1
		WHERE id = $1 AND cancelled_at IS NULL
		RETURNING id::text`, id, writer).Scan(&cancelled)
	return sdk.OrNoRow(err, errNoService)
}

func restoreService(ctx context.Context, tx *sdk.Tx, id, writer string) error {
	var restored string
	err := tx.QueryRow(ctx, `
		UPDATE services
		SET cancelled_at = NULL, changed_by = nullif($2, ''), rev = rev + 1
		WHERE id = $1 AND cancelled_at IS NOT NULL
		RETURNING id::text`, id, writer).Scan(&restored)
	return sdk.OrNoRow(err, errNoService)
}

// forgetCancelled deletes the services that were cancelled more than a day ago.
func (s *stage) forgetCancelled(ctx context.Context) error {
	_, err := s.store.db.Exec(ctx, `DELETE FROM services WHERE cancelled_at < now() - interval '1 day'`)
	if err != nil {
		return err
	}
	return sdk.NothingUntil(ctx, s.store.db, `SELECT min(cancelled_at) + interval '1 day' FROM services`)
}

// touchService increments the rev of a service after a change of its items.
func touchService(ctx context.Context, tx *sdk.Tx, id, writer string) error {
	_, err := tx.Exec(ctx, `UPDATE services SET rev = rev + 1, changed_by = nullif($2, '') WHERE id = $1`,
		id, writer)
	return err
}
