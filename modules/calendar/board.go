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

// change runs f in a transaction that first increments the calendar's rev, so that all changes wait for each
// other at that row. Then it gives free rooms to waiting bookings, and after the commit it publishes the
// change.
func (c *calendar) change(ctx context.Context, f func(tx *sdk.Tx) error) error {
	if err := c.turn.take(ctx); err != nil {
		return err
	}
	defer c.turn.leave()
	var now position
	err := c.db.InTx(ctx, func(tx *sdk.Tx) error {
		err := tx.QueryRow(ctx, `UPDATE calendar SET rev = rev + 1 RETURNING rev`).Scan(&now.Rev)
		if err != nil {
			return err
		}
		if err := f(tx); err != nil {
			return err
		}
		return holdFreed(ctx, tx)
	})
	if err == nil {
		c.publish(now)
	}
	return err
}

// publish notifies people and screens. The change is already committed, so an error does not refuse it:
// readers notice the gap with the next update, or when their stream restarts within five minutes.
func (c *calendar) publish(now position) {
	if err := c.host.Realtime.Publish(eventsChannel, now); err != nil {
		c.host.Log.Warn("an update was not published", "channel", eventsChannel)
	}
	// Screens fetch a new snapshot: it is too large for an update, and there are few screens.
	if err := c.host.Realtime.Publish(todayChannel, now); err != nil {
		c.host.Log.Warn("an update was not published", "channel", todayChannel)
	}
}

// holdFreed gives rooms to waiting bookings, one after the other, if nothing else has them any more.
func holdFreed(ctx context.Context, tx statements) error {
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

// turn lets one change at a time run.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) leave() { <-t }
