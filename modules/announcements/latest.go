package main

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"time"
)

// latest is the content of the tile on Home: the slide that came onto the board last, and for those who write
// slides their number.
type latest struct {
	Notice *glimpse `json:"notice"` // nil if there is none
	Live   *int64   `json:"live"`   // nil for those who do not write slides
}

// glimpse is the beginning of a slide.
type glimpse struct {
	ID    string    `json:"id"`
	Title string    `json:"title"`
	Body  string    `json:"body"`
	Since time.Time `json:"since"`
}

// maxGlimpse is how many characters of a text fit on a tile.
const maxGlimpse = 200

// latest counts slides of every kind, but returns one of this module's own kind, because only these have
// texts.
func (a *announcements) latest(ctx context.Context, _ *http.Request) (any, error) {
	var found latest
	var g glimpse
	var live int64
	err := a.store.db.QueryRow(ctx, `
		WITH live AS (
			SELECT *, greatest(created_at, starts_at) AS since
			FROM slides
			WHERE enabled AND (starts_at IS NULL OR starts_at <= now()) AND (ends_at IS NULL OR ends_at > now())
		)
		SELECT id::text, title, left(body, $2), since, (SELECT count(*) FROM live)
		FROM live
		WHERE kind = $1
		ORDER BY since DESC, position DESC, id
		LIMIT 1`, ownKind, maxGlimpse).Scan(&g.ID, &g.Title, &g.Body, &g.Since, &live)
	if errors.Is(err, sql.ErrNoRows) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	found.Notice = &g
	writes, err := a.host.Can(ctx, manageSlides)
	if writes {
		found.Live = &live
	}
	return found, err
}
