package main

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// songPosition is a song's place in the list.
type songPosition struct {
	Title string `json:"title"`
	ID    string `json:"id"`
}

// orderedSong is a listed song with its place.
type orderedSong struct {
	listedSong
	place songPosition
}

// songs returns the songs whose title contains a text, by title.
func (s *store) songs(ctx context.Context, search string, after *songPosition, limit int) (
	[]orderedSong, error,
) {
	if after == nil {
		after = &songPosition{ID: firstID}
	}
	pattern := "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(search) + "%"
	return sdk.SelectBy(ctx, s.db, func(row sdk.Scanner, s *orderedSong) error {
		err := row.Scan(&s.ID, &s.Title, &s.Credit, &s.Sections, &s.Rev)
		s.place = songPosition{s.Title, s.ID}
		return err
	}, `
		SELECT id::text, title, credit, jsonb_array_length(sections), rev
		FROM songs
		WHERE (title COLLATE "und-x-icu", id) > ($1, $2::uuid) AND folded LIKE folded($3)
		ORDER BY title COLLATE "und-x-icu", id
		LIMIT $4`, after.Title, after.ID, pattern, limit)
}

func (s *store) song(ctx context.Context, id string) (*song, error) {
	read := new(song)
	err := scanSong(s.db.QueryRow(ctx, `
		SELECT `+songColumns+` FROM songs WHERE id = $1`, id), read)
	if err != nil {
		return nil, sdk.OrNoRow(err, errNoSong)
	}
	return read, nil
}

const songColumns = `id::text, title, credit, sections, copyright, ccli, verse_order, rev`

func scanSong(row sdk.Scanner, s *song) error {
	return row.Scan(&s.ID, &s.Title, &s.Credit, &s.Sections, &s.Copyright, &s.CCLI, &s.Order, &s.Rev)
}

func createSong(ctx context.Context, tx *sdk.Tx, d *songDraft, writer string) (*song, error) {
	created := new(song)
	err := scanSong(tx.QueryRow(ctx, `
		INSERT INTO songs (title, credit, sections, copyright, ccli, verse_order, changed_by)
		VALUES ($1, $2, $3, $4, $5, $6, nullif($7, ''))
		RETURNING `+songColumns, d.Title, *d.Credit, asJSON(d.Sections), d.Copyright, d.CCLI, asJSON(d.Order),
		writer), created)
	return created, err
}

func editSong(ctx context.Context, tx *sdk.Tx, id string, d *songDraft, writer string) (*song, error) {
	edited := new(song)
	err := scanSong(tx.QueryRow(ctx, `
		UPDATE songs
		SET title = $3, credit = $4, sections = $5, copyright = $6, ccli = $7, verse_order = $8,
			changed_by = nullif($9, ''), rev = rev + 1
		WHERE id = $1 AND rev = $2
		RETURNING `+songColumns, id, *d.Rev, d.Title, *d.Credit, asJSON(d.Sections), d.Copyright, d.CCLI,
		asJSON(d.Order), writer), edited)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, missing(ctx, tx, "songs", id, errNoSong)
	}
	return edited, err
}

// removeSong deletes a song that is in no service.
func removeSong(ctx context.Context, tx *sdk.Tx, id string) error {
	var removed string
	err := tx.QueryRow(ctx, `DELETE FROM songs WHERE id = $1 RETURNING id::text`, id).Scan(&removed)
	if sdk.BrokenConstraint(err) == "items_song" {
		return errSongInUse
	}
	return sdk.OrNoRow(err, errNoSong)
}
