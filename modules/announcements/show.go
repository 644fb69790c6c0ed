package main

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// showFor is how long a notice that is shown now stays alone on the board.
const showFor = time.Minute

// shown is the notice that every screen shows now, whatever is due. One whose Until has passed is none.
type shown struct {
	ID    string `json:"id"`
	Until moment `json:"until"`
}

// show puts a published notice on every screen at once, for a minute or as long as a slide lasts.
func (a *announcements) show(w http.ResponseWriter, r *http.Request) error {
	if err := decode(r, &struct{}{}); err != nil {
		return err
	}
	id, err := slideID(r.PathValue("id"))
	if err != nil {
		return err
	}
	lasts := max(showFor, time.Duration(a.host.Config.Integer("slideSeconds"))*time.Second)
	var now *shown
	err = a.change(r.Context(), func(tx *sdk.Tx) (update, error) {
		now, err = showNow(r.Context(), tx, id, lasts)
		return update{Show: now}, err
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, now)
}

// endShow lets the board go on. A notice that is not shown now is none to end.
func (a *announcements) endShow(w http.ResponseWriter, r *http.Request) error {
	id, err := slideID(r.PathValue("id"))
	if err != nil {
		return err
	}
	err = a.change(r.Context(), func(tx *sdk.Tx) (update, error) {
		var ended time.Time
		err := tx.QueryRow(r.Context(), `
			UPDATE board SET shown_until = now() WHERE shown_id = $1 AND shown_until > now() RETURNING shown_until`,
			id).Scan(&ended)
		return update{Show: &shown{ID: id, Until: moment(ended)}}, err
	})
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// showNow locks the slide, so that it is not taken down or deleted meanwhile.
func showNow(ctx context.Context, tx *sdk.Tx, id string, lasts time.Duration) (*shown, error) {
	var visible bool
	err := tx.QueryRow(ctx, `
		SELECT enabled AND (ends_at IS NULL OR ends_at > now()) FROM slides WHERE id = $1 FOR SHARE`,
		id).Scan(&visible)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, errNotFound
	}
	if err != nil {
		return nil, err
	}
	if !visible {
		return nil, errNotPublished
	}
	var until time.Time
	err = tx.QueryRow(ctx, `
		UPDATE board SET shown_id = $1, shown_until = now() + $2 * interval '1 millisecond' RETURNING shown_until`,
		id, lasts.Milliseconds()).Scan(&until)
	return &shown{ID: id, Until: moment(until)}, err
}
