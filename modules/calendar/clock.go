package main

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// houseClock is the zone in which the occurrences of the database are made. It follows the zone of the house.
type houseClock struct {
	turn  sdk.Turn
	zone  atomic.Pointer[zone]
	house atomic.Pointer[int64] // the rev of the house at the last look; nil: look again
}

// zone returns the zone of the occurrences.
func (c *calendar) zone() zone { return *c.clock.zone.Load() }

// serve looks at the house's zone before a handler runs, and writes the refusal of a skipped time.
func (c *calendar) serve(handle sdk.HandlerFunc) sdk.HandlerFunc {
	return func(ctx context.Context, r *http.Request) (any, error) {
		if err := c.followZone(ctx); err != nil {
			return nil, err
		}
		result, err := handle(ctx, r)
		if typed := (skipped{}); errors.As(err, &typed) {
			return typed.response(), nil
		}
		return result, err
	}
}

// inZone looks at the house's zone before a snapshot.
func (c *calendar) inZone(snapshot sdk.Snapshot) sdk.Snapshot {
	return func(ctx context.Context) (any, error) {
		if err := c.followZone(ctx); err != nil {
			return nil, err
		}
		return snapshot(ctx)
	}
}

// followZone takes the house's zone over. After a change every event keeps its time on the clock, and all
// occurrences are made again: as many as there is time for now, the others by the schedule. While the house
// has no zone, the last one stays.
func (c *calendar) followZone(ctx context.Context) error {
	house, err := c.host.House(ctx)
	if err != nil || c.looked(house) {
		return err
	}
	if err := c.clock.turn.Take(ctx); err != nil {
		return err
	}
	defer c.clock.turn.Leave()
	if c.looked(house) {
		return nil
	}
	kept, moved, err := c.takeZone(ctx, house)
	if err != nil {
		return err
	}
	place, err := time.LoadLocation(kept)
	if err != nil {
		return err
	}
	c.clock.zone.Store(&zone{place})
	if moved != 0 {
		soon, cancel := context.WithTimeout(ctx, 15*time.Second)
		defer cancel()
		if err := c.moveHorizon(soon); err != nil && soon.Err() == nil {
			return err
		}
	}
	c.clock.house.Store(&house.Rev)
	if moved == 0 {
		return nil
	}
	for _, channel := range []string{eventsChannel, todayChannel} {
		if c.host.Realtime.Publish(channel, position{moved}) != nil {
			c.host.Log.Warn("a change was not published", "channel", channel)
		}
	}
	return nil
}

func (c *calendar) looked(house sdk.House) bool {
	rev := c.clock.house.Load()
	return rev != nil && *rev == house.Rev
}

// takeZone stores the zone of a house that is newer than the one that was stored, by whichever process, and
// returns the stored zone. moved is the new rev of the calendar, if it is another zone.
func (c *calendar) takeZone(ctx context.Context, house sdk.House) (kept string, moved int64, err error) {
	err = c.db.InTx(ctx, func(tx *sdk.Tx) error {
		var rev int64
		if err := tx.QueryRow(ctx, `SELECT zone, zone_rev FROM calendar FOR UPDATE`).Scan(&kept, &rev); err != nil {
			return err
		}
		if house.Rev <= rev || house.TimeZone == "" {
			return nil
		}
		if house.TimeZone == kept {
			_, err := tx.Exec(ctx, `UPDATE calendar SET zone_rev = $1`, house.Rev)
			return err
		}
		kept = house.TimeZone
		if _, err := tx.Exec(ctx, `UPDATE events SET built_until = NULL`); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `UPDATE calendar SET zone = $1, zone_rev = $2, rev = rev + 1 RETURNING rev`,
			kept, house.Rev).Scan(&moved)
	})
	return kept, moved, err
}

// checkZone refuses a change for which another zone was read than the one of the database, because another
// process has learned earlier of the house's.
func (c *calendar) checkZone(ctx context.Context, tx sdk.Querier, used zone) error {
	var kept string
	if err := tx.QueryRow(ctx, `SELECT zone FROM calendar`).Scan(&kept); err != nil {
		return err
	}
	if kept != used.place.String() {
		c.clock.house.Store(nil)
		return errConflict
	}
	return nil
}

// keepHorizon is the schedule.
func (c *calendar) keepHorizon(ctx context.Context) error {
	if err := c.followZone(ctx); err != nil {
		return err
	}
	return c.moveHorizon(ctx)
}
