package main

import (
	"context"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// showFor is the shortest time for which show keeps a slide on the board.
const showFor = time.Minute

// shown is the slide that every screen shows now instead of the due ones. It is void after Until.
type shown struct {
	ID    string    `json:"id"`
	Until time.Time `json:"until"`
}

// show puts a published slide on every screen at once, for a minute or for the duration of a slide, whichever
// is longer.
func (a *announcements) show(ctx context.Context, r *http.Request) (any, error) {
	if _, err := sdk.Decode[struct{}](r); err != nil {
		return nil, err
	}
	id, err := sdk.PathID(r, errNotFound)
	if err != nil {
		return nil, err
	}
	lasts := max(showFor, time.Duration(a.host.Config.Integer("slideSeconds"))*time.Second)
	var now *shown
	err = a.change(ctx, func(tx *sdk.Tx) (update, error) {
		now, err = showNow(ctx, tx, id, lasts)
		return update{Show: now}, err
	})
	if err != nil {
		return nil, err
	}
	return now, nil
}

// endShow ends what show began. It does nothing for a slide that is not being shown.
func (a *announcements) endShow(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNotFound)
	if err != nil {
		return nil, err
	}
	err = a.change(ctx, func(tx *sdk.Tx) (update, error) {
		var ended time.Time
		err := tx.QueryRow(ctx, `
			UPDATE board SET shown_until = now() WHERE shown_id = $1 AND shown_until > now() RETURNING shown_until`,
			id).Scan(&ended)
		return update{Show: &shown{ID: id, Until: ended}}, sdk.OrNoRow(err, sdk.ErrUnchanged)
	})
	return nil, err
}

// showNow locks the slide, so that it is not unpublished or deleted meanwhile.
func showNow(ctx context.Context, tx *sdk.Tx, id string, lasts time.Duration) (*shown, error) {
	var visible bool
	err := tx.QueryRow(ctx, `
		SELECT enabled AND (ends_at IS NULL OR ends_at > now()) FROM slides WHERE id = $1 FOR SHARE`,
		id).Scan(&visible)
	if err != nil {
		return nil, sdk.OrNoRow(err, errNotFound)
	}
	if !visible {
		return nil, errNotPublished
	}
	var until time.Time
	err = tx.QueryRow(ctx, `
		UPDATE board SET shown_id = $1, shown_until = now() + $2 * interval '1 millisecond' RETURNING shown_until`,
		id, lasts.Milliseconds()).Scan(&until)
	return &shown{ID: id, Until: until}, err
}
