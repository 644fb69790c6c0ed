package sdk

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
)

// gap is the distance between neighbours, so that a row can be moved between two others with one write.
const gap = 1024

// place moves a row behind another one, or to the front if after is null. The request has the rev of the list
// that the caller saw.
func (c *Collection[T]) place(ctx context.Context, r *http.Request) (any, error) {
	id, err := c.pathID(r)
	if err != nil {
		return nil, err
	}
	var after any
	var seen int64
	if c.id.kind == reflect.String {
		after, seen, err = decodePlace[string](r)
	} else {
		after, seen, err = decodePlace[int64](r)
	}
	if err != nil {
		return nil, err
	}
	if text, is := after.(string); after == id || is && !IsID(text) {
		return nil, invalid("after is the row itself, or no id")
	}
	var now int64
	err = c.changes.Write(ctx, func(tx *Tx, rev int64) (Updates, error) {
		if now = rev; seen != rev-1 {
			return nil, errCollectionConflict
		}
		return c.updates(CollectionEvent{Event: "placed", ID: id}, rev), c.move(ctx, tx, id, after)
	})
	if err != nil {
		return nil, err
	}
	return map[string]int64{"rev": now}, nil
}

// decodePlace returns the row behind which another one is placed, nil for the front.
func decodePlace[ID any](r *http.Request) (after any, rev int64, err error) {
	sent, err := Decode[struct {
		After *ID   `json:"after"`
		Rev   int64 `json:"rev"`
	}](r)
	if err == nil && sent.After != nil {
		after = *sent.After
	}
	return after, sent.Rev, err
}

// move writes the position of one row, and of all rows where there is no gap.
func (c *Collection[T]) move(ctx context.Context, tx *Tx, id, after any) error {
	position, err := c.between(ctx, tx, id, after)
	if err == nil && position == nil {
		if err = c.spread(ctx, tx); err == nil {
			position, err = c.between(ctx, tx, id, after)
		}
	}
	if err != nil {
		return err
	}
	n, err := tx.Exec(ctx, fmt.Sprintf(`UPDATE %s SET %s = $2 WHERE id = %s`,
		c.Table, c.position.sql, c.parameter(1)), id, *position)
	if err == nil && n == 0 {
		err = c.refuse(http.StatusNotFound, "NOT_FOUND")
	}
	return err
}

// between returns a position behind one row and before the next, ignoring the row that is moved; nil if there
// is no gap between the two.
func (c *Collection[T]) between(ctx context.Context, tx *Tx, id, after any) (*int64, error) {
	left, place := int64(0), c.position.sql
	var right *int64
	var err error
	if after == nil {
		err = tx.QueryRow(ctx, fmt.Sprintf(`SELECT min(%s) FROM %s WHERE id <> %s`, place, c.Table,
			c.parameter(1)), id).Scan(&right)
	} else {
		err = tx.QueryRow(ctx, fmt.Sprintf(`SELECT %s FROM %s WHERE id = %s`, place, c.Table,
			c.parameter(1)), after).Scan(&left)
		if err == nil { // where two have the same position the id decides, as in the list
			err = tx.QueryRow(ctx, fmt.Sprintf(`
				SELECT min(%[1]s) FROM %[2]s WHERE id <> %[3]s AND (%[1]s, id) > ($2::bigint, %[4]s)`,
				place, c.Table, c.parameter(1), c.parameter(3)), id, left, after).Scan(&right)
		}
	}
	if err != nil {
		return nil, OrNoRow(err, errCollectionConflict)
	}
	position := left + gap
	switch {
	case right == nil:
	case after == nil:
		position = *right - gap
	case *right-left < 2:
		return nil, nil
	default:
		position = left + (*right-left)/2
	}
	return &position, nil
}

// spread restores the gaps between all rows.
func (c *Collection[T]) spread(ctx context.Context, tx *Tx) error {
	_, err := tx.Exec(ctx, fmt.Sprintf(`
		UPDATE %[1]s
		SET %[2]s = numbered.place * %[3]d
		FROM (SELECT id, row_number() OVER (ORDER BY %[2]s, id) AS place FROM %[1]s) AS numbered
		WHERE %[1]s.id = numbered.id AND %[1]s.%[2]s <> numbered.place * %[3]d`, c.Table, c.position.sql, gap))
	return err
}
