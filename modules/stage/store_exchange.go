package main

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// chunk is how many rows are written by one statement, so that their values stay below its limit.
const chunk = 16

// readAll reads all songs and services, always in the same order.
func readAll(ctx context.Context, q sdk.Querier) (all exchange, err error) {
	all.Songs, err = readSongs(ctx, q)
	if err != nil {
		return all, err
	}
	all.Services, err = readServices(ctx, q)
	return all, err
}

func readSongs(ctx context.Context, q sdk.Querier) ([]exchangedSong, error) {
	return sdk.SelectBy(ctx, q, func(row sdk.Scanner, s *exchangedSong) error {
		return row.Scan(&s.ID, &s.Title, &s.Credit, &s.Sections, &s.Copyright, &s.CCLI, &s.Order)
	}, `
		SELECT id::text, title, credit, sections, copyright, ccli, verse_order
		FROM songs
		ORDER BY title COLLATE "und-x-icu", id`)
}

func readServices(ctx context.Context, q sdk.Querier) ([]exchangedService, error) {
	services, err := sdk.SelectBy(ctx, q, func(row sdk.Scanner, s *exchangedService) error {
		err := row.Scan(&s.ID, &s.Title, &s.StartsAt)
		s.Items, s.StartsAt = []exchangedItem{}, s.StartsAt.UTC()
		return err
	}, `
		SELECT id::text, title, starts_at FROM services WHERE cancelled_at IS NULL ORDER BY starts_at, id`)
	if err != nil {
		return nil, err
	}
	places := make(map[string]int, len(services))
	for n, one := range services {
		places[one.ID] = n
	}
	type placed struct {
		ServiceID string
		exchangedItem
	}
	items, err := sdk.Select[placed](ctx, q, `
		SELECT service_id::text, id::text, kind, title, text, song_id::text, seconds, transpose, capo
		FROM items
		ORDER BY service_id, position`)
	for _, one := range items {
		if place, found := places[one.ServiceID]; found {
			services[place].Items = append(services[place].Items, one.exchangedItem)
		}
	}
	return services, err
}

// writeAll writes the songs and services that differ from the stored ones.
func writeAll(ctx context.Context, tx *sdk.Tx, all exchange, done *imported) error {
	writer := sdk.Principal(ctx).UserID
	before, err := readAll(ctx, tx)
	if err != nil {
		return err
	}
	all.withoutUnknownSongs(before.Songs, &done.Exchange)
	if err := all.withoutTakenItems(ctx, tx, &done.Exchange); err != nil {
		return err
	}
	rows := map[string][]sdk.ImportedRow{}
	all.Songs, rows["songs"] = differing(&done.Songs, before.Songs, all.Songs,
		func(s exchangedSong) string { return s.ID })
	all.Services, rows["services"] = differing(&done.Services, before.Services, all.Services,
		func(s exchangedService) string { return s.ID })
	if len(all.Songs)+len(all.Services) == 0 {
		return sdk.ErrUnchanged
	}
	for part := range slices.Chunk(all.Songs, chunk) {
		if err := writeSongs(ctx, tx, part, writer); err != nil {
			return err
		}
	}
	for part := range slices.Chunk(all.Services, chunk) {
		if err := writeServices(ctx, tx, part, writer); err != nil {
			return err
		}
		for _, one := range part {
			if err := writeServiceItems(ctx, tx, one); err != nil {
				return err
			}
		}
	}
	return imports.Remember(ctx, tx, rows)
}

// differing counts new, changed and unchanged elements. It returns the new and changed ones, and as what an
// undo finds them.
func differing[T any](done *counts, before, after []T, id func(T) string) (
	different []T, rows []sdk.ImportedRow,
) {
	known := make(map[string]T, len(before))
	for _, one := range before {
		known[id(one)] = one
	}
	for _, one := range after {
		was, found := known[id(one)]
		row := sdk.ImportedRow{Key: id(one)}
		switch {
		case !found:
			done.New++
		case asJSON(was) != asJSON(one):
			done.Changed++
			row.Before = was
		default:
			done.Same++
			continue
		}
		different, rows = append(different, one), append(rows, row)
	}
	return different, rows
}

// asJSON encodes a value whose encoding cannot fail.
func asJSON(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

func writeSongs(ctx context.Context, tx *sdk.Tx, songs []exchangedSong, writer string) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO songs (id, title, credit, sections, copyright, ccli, verse_order, changed_by)
		SELECT id, title, credit, sections, copyright, ccli, "order", nullif($2, '')
		FROM jsonb_to_recordset($1::jsonb) AS given (
			id uuid, title text, credit text, sections jsonb, copyright text, ccli text, "order" jsonb)
		ON CONFLICT (id) DO UPDATE
		SET title = excluded.title, credit = excluded.credit, sections = excluded.sections,
			copyright = excluded.copyright, ccli = excluded.ccli, verse_order = excluded.verse_order,
			changed_by = excluded.changed_by, rev = songs.rev + 1`, asJSON(songs), writer)
	return err
}

func writeServices(ctx context.Context, tx *sdk.Tx, services []exchangedService, writer string) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO services (id, title, starts_at, changed_by)
		SELECT id, title, "startsAt", nullif($2, '')
		FROM jsonb_to_recordset($1::jsonb) AS given (id uuid, title text, "startsAt" timestamptz)
		ON CONFLICT (id) DO UPDATE
		SET title = excluded.title, starts_at = excluded.starts_at, changed_by = excluded.changed_by,
			cancelled_at = NULL, rev = services.rev + 1`, asJSON(services), writer)
	return err
}

// writeServiceItems makes these the only items of a service. Existing items keep their id, so that the
// current position of a driven service does not change.
func writeServiceItems(ctx context.Context, tx *sdk.Tx, s exchangedService) error {
	text := asJSON(s.Items)
	_, err := tx.Exec(ctx, `
		DELETE FROM items
		WHERE service_id = $1
			AND id NOT IN (SELECT id FROM jsonb_to_recordset($2::jsonb) AS given (id uuid))`, s.ID, text)
	if err != nil {
		return err
	}
	written, err := tx.Exec(ctx, `
		INSERT INTO items (id, service_id, position, kind, title, text, song_id, seconds, transpose, capo)
		SELECT (given->>'id')::uuid, $1, position, given->>'kind', given->>'title', given->>'text',
			(given->>'songId')::uuid, (given->>'seconds')::integer,
			(given->>'transpose')::integer, (given->>'capo')::integer
		FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS all_of (given, position)
		ON CONFLICT (id) DO UPDATE
		SET position = excluded.position, kind = excluded.kind, title = excluded.title, text = excluded.text,
			song_id = excluded.song_id, seconds = excluded.seconds, transpose = excluded.transpose,
			capo = excluded.capo, rev = items.rev + 1
		WHERE items.service_id = excluded.service_id`, s.ID, text)
	if err == nil && int(written) != len(s.Items) {
		return errImport // an item with this id belongs to another service
	}
	return namedSong(err)
}

// addSongs adds the songs for which there is none with the same title and words.
func addSongs(ctx context.Context, tx *sdk.Tx, songs []songContent, done *imported) error {
	for _, one := range songs[:min(len(songs), 3)] {
		done.Examples = append(done.Examples, one.Title)
	}
	var rows []sdk.ImportedRow
	for part := range slices.Chunk(songs, chunk) {
		added, err := sdk.Select[string](ctx, tx, `
			INSERT INTO songs (title, credit, sections, copyright, ccli, verse_order, changed_by)
			SELECT title, credit, sections, copyright, ccli, "order", nullif($2, '')
			FROM jsonb_to_recordset($1::jsonb) AS given (
				title text, credit text, sections jsonb, copyright text, ccli text, "order" jsonb)
			WHERE NOT EXISTS (
				SELECT
				FROM songs
				WHERE folded = folded(given.title)
					AND lower(songs.title COLLATE "und-x-icu") = lower(given.title COLLATE "und-x-icu")
					AND songs.sections = given.sections)
			RETURNING id::text`,
			asJSON(part), sdk.Principal(ctx).UserID)
		if err != nil {
			return err
		}
		for _, id := range added {
			rows = append(rows, sdk.ImportedRow{Key: id})
		}
		done.Songs.New += len(added)
		done.Songs.Same += len(part) - len(added)
	}
	if len(rows) == 0 {
		return sdk.ErrUnchanged
	}
	return imports.Remember(ctx, tx, map[string][]sdk.ImportedRow{"songs": rows})
}
