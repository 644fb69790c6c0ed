package main

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// latest is the content of the tile on Home: the slide that came onto the board last, and for those who write
// slides their number.
type latest struct {
	Notice *glimpse `json:"notice"` // nil if there is none
	Live   *int64   `json:"live"`   // nil for those who do not write slides
	Newer  *int64   `json:"newer"`  // how many came since the time asked for; nil without one
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

// latest returns what a tile on Home shows. With since, a time, it also counts what came onto the board
// later. It counts slides of every kind, but returns one of this module's own kind, because only these have
// texts.
func (a *announcements) latest(ctx context.Context, r *http.Request) (any, error) {
	var found latest
	var since *time.Time
	if text := r.URL.Query().Get("since"); text != "" {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return nil, sdk.ErrRequestInvalid
		}
		since = &at
	}
	var g glimpse
	var live, newer int64
	err := a.store.db.QueryRow(ctx, `
		WITH live AS (
			SELECT *, greatest(created_at, starts_at) AS since
			FROM slides
			WHERE enabled AND (starts_at IS NULL OR starts_at <= now()) AND (ends_at IS NULL OR ends_at > now())
		)
		SELECT id::text, title, left(body, $2), since, (SELECT count(*) FROM live),
			(SELECT count(*) FROM live WHERE live.since > $3)
		FROM live
		WHERE kind = $1
		ORDER BY since DESC, position DESC, id
		LIMIT 1`, ownKind, maxGlimpse, since).Scan(&g.ID, &g.Title, &g.Body, &g.Since, &live, &newer)
	if errors.Is(err, sql.ErrNoRows) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	found.Notice = &g
	if since != nil {
		found.Newer = &newer
	}
	writes, err := a.host.Can(ctx, manageSlides)
	if writes {
		found.Live = &live
	}
	return found, err
}
