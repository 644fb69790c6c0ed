package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// position is all that the channel of people tells: which rev of the calendar there is. They read what they
// look at again when it has changed.
type position struct {
	Rev int64 `json:"rev"`
}

func (c *calendar) position(ctx context.Context) (any, error) {
	var p position
	err := c.db.QueryRow(ctx, `SELECT rev FROM calendar`).Scan(&p.Rev)
	return p, err
}

// change runs f in a transaction that first counts the calendar's rev, so that all changes take turns at that
// row, lets what waits for a room have it if it became free, and publishes once it is committed.
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

// publish tells people and screens. The change is committed, so a failure is no reason to refuse it: readers
// find the gap with the next update, or when their stream starts again within five minutes.
func (c *calendar) publish(now position) {
	if err := c.host.Realtime.Publish(eventsChannel, now); err != nil {
		c.host.Log.Warn("an update was not published", "channel", eventsChannel)
	}
	// Screens ask for a new snapshot: what is on is too much for an update, and they are few.
	if err := c.host.Realtime.Publish(todayChannel, now); err != nil {
		c.host.Log.Warn("an update was not published", "channel", todayChannel)
	}
}

// holdFreed gives rooms to bookings that wait, one after the other, where nothing is in the way any more.
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

// turn lets one change at a time through.
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
