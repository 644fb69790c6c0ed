package main

import (
	"context"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// gap is the distance between neighbours, so that a slide can be moved between two others with one write.
const gap = 1024

// place moves a slide behind another one, or to the front if after is null. The request contains the rev of
// the order that the caller saw.
func (a *announcements) place(ctx context.Context, r *http.Request) (any, error) {
	wanted, err := sdk.Decode[struct {
		After *string `json:"after"`
		Rev   int64   `json:"rev"`
	}](r)
	if err != nil {
		return nil, err
	}
	id, err := sdk.PathID(r, errNotFound)
	if err != nil {
		return nil, err
	}
	if wanted.After != nil && (*wanted.After == id || !sdk.IsID(*wanted.After)) {
		return nil, sdk.ErrRequestInvalid
	}
	var rev int64
	err = a.change(ctx, func(tx *sdk.Tx) (changed update, err error) {
		rev, changed, err = place(ctx, tx, id, wanted.After, wanted.Rev)
		return changed, err
	})
	if err != nil {
		return nil, err
	}
	return map[string]int64{"rev": rev}, nil
}

// selectOrder reads the rev of the order.
const selectOrder = `SELECT rev FROM board_order`

// place writes the position of one slide. It locks the row of the order first, so that moves run one after
// the other. It refuses a move if the order has changed since the caller saw it, or if the neighbour does not
// exist.
func place(ctx context.Context, tx *sdk.Tx, id string, after *string, seen int64) (
	rev int64, changed update, err error,
) {
	err = tx.QueryRow(ctx, `UPDATE board_order SET rev = rev + 1 WHERE rev = $1 RETURNING rev`, seen).Scan(&rev)
	if err != nil {
		return 0, changed, sdk.OrNoRow(err, errConflict)
	}
	position, err := between(ctx, tx, id, after)
	spreads := err == nil && position == nil
	if spreads {
		if err := spread(ctx, tx); err != nil {
			return 0, changed, err
		}
		position, err = between(ctx, tx, id, after)
	}
	if err != nil {
		return 0, changed, err
	}
	var moved slide
	err = scan(tx.QueryRow(ctx, `UPDATE slides SET position = $2 WHERE id = $1 RETURNING `+columns,
		id, *position), &moved)
	if err == nil && !spreads { // after a spread every slide has moved, so readers must fetch a new snapshot
		changed = onBoard(&moved)
	}
	return rev, changed, sdk.OrNoRow(err, errNotFound)
}

// between returns a position behind one slide and before the next, ignoring the slide that is moved; nil if
// there is no gap between the two.
func between(ctx context.Context, tx *sdk.Tx, id string, after *string) (*int64, error) {
	var left int64
	if after != nil {
		err := tx.QueryRow(ctx, `SELECT position FROM slides WHERE id = $1`, *after).Scan(&left)
		if err != nil {
			return nil, sdk.OrNoRow(err, errConflict)
		}
	}
	// Slides that were created at the same time have the same position; then the id decides, as in the list.
	var right *int64
	err := tx.QueryRow(ctx, `
		SELECT min(position)
		FROM slides
		WHERE id <> $1 AND ($2::uuid IS NULL OR (position, id) > ($3, $2::uuid))`, id, after, left).Scan(&right)
	if err != nil {
		return nil, err
	}
	var position int64
	switch {
	case right == nil:
		position = left + gap
	case after == nil:
		position = *right - gap
	case *right-left < 2:
		return nil, nil
	default:
		position = left + (*right-left)/2
	}
	return &position, nil
}

// spread restores the gaps between all slides.
func spread(ctx context.Context, tx *sdk.Tx) error {
	_, err := tx.Exec(ctx, `
		UPDATE slides
		SET position = numbered.place * $1
		FROM (SELECT id, row_number() OVER (ORDER BY position, id) AS place FROM slides) AS numbered
		WHERE slides.id = numbered.id AND slides.position <> numbered.place * $1`, gap)
	return err
}
