package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// position is the content of the channel for people: the current rev of the calendar. After a change they
// fetch again what they show.
type position struct {
	Rev int64 `json:"rev"`
}

func (c *calendar) position(ctx context.Context) (any, error) {
	var p position
	err := c.db.QueryRow(ctx, `SELECT rev FROM calendar`).Scan(&p.Rev)
	return p, err
}

// change runs f as a change of the calendar, and gives free rooms to waiting bookings. Screens fetch a new
// snapshot, too: it is too large for an update, and there are few screens.
func (c *calendar) change(ctx context.Context, f func(tx *sdk.Tx) error) error {
	used := c.zone()
	var news int64
	err := c.changes.Write(ctx, func(tx *sdk.Tx, rev int64) (updates sdk.Updates, err error) {
		if err := c.checkZone(ctx, tx, used); err != nil {
			return nil, err
		}
		if err := f(tx); err != nil {
			return nil, err
		}
		if news, err = tellChanges(ctx, tx); err != nil {
			return nil, err
		}
		return sdk.Updates{eventsChannel: position{rev}, todayChannel: position{rev}}, holdFreed(ctx, tx)
	})
	if err == nil && news > 0 {
		c.mails.Wake() // so that it knows when they are due
	}
	return err
}

// holdFreed gives rooms to waiting bookings, one after the other, if nothing else has them any more.
func holdFreed(ctx context.Context, tx sdk.Querier) error {
	for range 100 {
		n, err := tx.Exec(ctx, `
			UPDATE bookings SET held = true
			WHERE ctid = (
				SELECT w.ctid
				FROM bookings w
				WHERE NOT w.held AND NOT EXISTS (
					SELECT FROM bookings h
					WHERE h.held AND int4range(h.room_id, h.room_id, '[]') && int4range(w.room_id, w.room_id, '[]')
						AND h.during && w.during)
				ORDER BY lower(w.during), w.event_id
				LIMIT 1)`)
		if err != nil || n == 0 {
			return err
		}
	}
	return nil
}
