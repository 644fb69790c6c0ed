package main

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// event returns one event, with its exceptional dates.
func (c *calendar) event(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoEvent)
	if err != nil {
		return nil, err
	}
	e, err := readEvent(ctx, c.db, id, "")
	if err != nil {
		return nil, err
	}
	exceptions, err := readExceptions(ctx, c.db, e)
	if err != nil {
		return nil, err
	}
	shown := e.shown(c.zone())
	for _, x := range exceptions {
		if date := x.recurrence.Format(clockForm); x.cancelled {
			shown.Cancelled = append(shown.Cancelled, date)
		} else {
			shown.Moved = append(shown.Moved, date)
		}
	}
	return shown, nil
}

func (c *calendar) create(ctx context.Context, r *http.Request) (any, error) {
	draft, err := sdk.Decode[draft](r)
	if err != nil {
		return nil, err
	}
	e, err := draft.typed(c.zone())
	if err == nil && draft.Rev != nil {
		err = sdk.ErrRequestInvalid
	}
	if err != nil {
		return nil, err
	}
	e.id = uuid.NewString()
	err = c.change(ctx, func(tx *sdk.Tx) error {
		if err := insert(ctx, tx, e, sdk.Principal(ctx).UserID); err != nil {
			return err
		}
		return c.build(ctx, tx, e)
	})
	return conflictResponse(sdk.Created(e.shown(c.zone())), err)
}

// edit replaces the whole event, if it has not changed since the writer read it.
func (c *calendar) edit(ctx context.Context, r *http.Request) (any, error) {
	id, wanted, rev, err := c.edited(r)
	if err != nil {
		return nil, err
	}
	err = c.change(ctx, func(tx *sdk.Tx) error {
		before, err := seenEvent(ctx, tx, id, rev)
		if err != nil {
			return err
		}
		return c.replace(ctx, tx, before, wanted)
	})
	return conflictResponse(wanted.shown(c.zone()), err)
}

// edited reads an edit of the event in the path.
func (c *calendar) edited(r *http.Request) (id string, wanted *event, rev int64, err error) {
	draft, err := sdk.Decode[draft](r)
	if err != nil {
		return "", nil, 0, err
	}
	if wanted, err = draft.typed(c.zone()); err != nil {
		return "", nil, 0, err
	}
	if draft.Rev == nil {
		return "", nil, 0, sdk.ErrRequestInvalid
	}
	id, err = sdk.PathID(r, errNoEvent)
	return id, wanted, *draft.Rev, err
}

// replace writes an event in place of the previous version. New occurrences are made only if its dates or
// rooms change, so a booking that waits for a room keeps its place while only texts are corrected.
func (c *calendar) replace(ctx context.Context, tx sdk.Querier, before, wanted *event) error {
	wanted.id, wanted.rev = before.id, before.rev
	if err := update(ctx, tx, wanted, sdk.Principal(ctx).UserID); err != nil {
		return err
	}
	if before.times == wanted.times && before.rule == wanted.rule && slices.Equal(before.rooms, wanted.rooms) {
		return nil
	}
	if err := moveDates(ctx, tx, before, wanted, before.start); err != nil {
		return err
	}
	return c.build(ctx, tx, wanted)
}

// remove deletes an event. It can be restored for a while.
func (c *calendar) remove(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoEvent)
	if err != nil {
		return nil, err
	}
	return nil, c.change(ctx, func(tx *sdk.Tx) error {
		n, err := tx.Exec(ctx, `
			UPDATE events SET deleted_at = now(), changed_at = now(), rev = rev + 1
			WHERE id = $1::uuid AND deleted_at IS NULL AND service_rev IS NULL`, id)
		if err == nil && n == 0 {
			err = errNoEvent
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM occurrences WHERE event_id = $1::uuid`, id)
		return err
	})
}

// restore restores a deleted event, if its rooms are still free.
func (c *calendar) restore(ctx context.Context, r *http.Request) (any, error) {
	if _, err := sdk.Decode[struct{}](r); err != nil {
		return nil, err
	}
	id, err := sdk.PathID(r, errNoEvent)
	if err != nil {
		return nil, err
	}
	var e *event
	err = c.change(ctx, func(tx *sdk.Tx) error {
		_, err := tx.Exec(ctx, `
			UPDATE events SET deleted_at = NULL, changed_at = now()
			WHERE deleted_at IS NOT NULL AND id = $1::uuid AND service_rev IS NULL`, id)
		if err != nil {
			return err
		}
		if e, err = readEvent(ctx, tx, id, "FOR UPDATE"); err != nil || e.service {
			return cmp.Or(err, error(errNoEvent))
		}
		return c.build(ctx, tx, e)
	})
	if err != nil {
		return conflictResponse(nil, err)
	}
	return e.shown(c.zone()), nil
}

// waiting lists the bookings that wait for a room, with the bookings that have it, in the order of their
// start.
func (c *calendar) waiting(ctx context.Context, _ *http.Request) (any, error) {
	type waits struct {
		Event string `json:"event"`
		Date  string `json:"date"`
		Title string `json:"title"`
		Start string `json:"start"`
		Room  int64  `json:"room"`
		By    string `json:"by"`
	}
	all, err := sdk.Select[waits](ctx, c.db, `
		SELECT w.event_id::text, to_char(w.recurrence, 'YYYY-MM-DD"T"HH24:MI'), coalesce(x.title, e.title),
		       to_char(o.starts, 'YYYY-MM-DD"T"HH24:MI'), w.room_id,
		       coalesce((
		           SELECT coalesce(hx.title, he.title)
		           FROM bookings h
		           JOIN events he ON he.id = h.event_id
		           LEFT JOIN exceptions hx ON hx.event_id = h.event_id AND hx.recurrence = h.recurrence
		           WHERE h.held AND h.during && w.during
		             AND int4range(h.room_id, h.room_id, '[]') && int4range(w.room_id, w.room_id, '[]')
		           ORDER BY lower(h.during)
		           LIMIT 1), '')
		FROM bookings w
		JOIN occurrences o ON o.event_id = w.event_id AND o.recurrence = w.recurrence
		JOIN events e ON e.id = w.event_id
		LEFT JOIN exceptions x ON x.event_id = w.event_id AND x.recurrence = w.recurrence
		WHERE NOT w.held AND upper(w.during) > $1
		ORDER BY lower(w.during), w.room_id
		LIMIT 100`, time.Now())
	return map[string]any{"waiting": all}, err
}
