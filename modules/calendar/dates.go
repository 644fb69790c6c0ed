package main

import (
	"context"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// onDate is a change of one date of a repeating event, or of that date and all later ones.
type onDate struct {
	id   string
	date time.Time
	rev  int64
}

// change locks the event, checks that it repeats and that it has not changed since the writer read it, and
// increments its rev.
func (d onDate) change(ctx context.Context, tx sdk.Querier) (*event, error) {
	e, err := seenEvent(ctx, tx, d.id, d.rev)
	if err != nil {
		return nil, err
	}
	if e.rule == "" {
		return nil, errNoDate
	}
	return e, update(ctx, tx, e, sdk.Principal(ctx).UserID)
}

// drop deletes the occurrence of the date. It returns errNoDate if there is none.
func (d onDate) drop(ctx context.Context, tx sdk.Querier) error {
	n, err := tx.Exec(ctx, `DELETE FROM occurrences WHERE event_id = $1::uuid AND recurrence = $2::timestamp`,
		d.id, d.date.Format(clockForm))
	if err == nil && n == 0 {
		return errNoDate
	}
	return err
}

// named reads the event and the date from the path.
func (d *onDate) named(r *http.Request) (err error) {
	if d.id, err = sdk.PathID(r, errNoEvent); err != nil {
		return err
	}
	d.date, err = readDate(r.PathValue("date"))
	return err
}

// seen reads a request that contains only the rev that the writer saw.
func (d *onDate) seen(r *http.Request) error {
	body, err := sdk.Decode[struct {
		Rev int64 `json:"rev"`
	}](r)
	if err != nil {
		return err
	}
	d.rev = body.Rev
	return d.named(r)
}

// editDate makes one date differ from the others: another time, other rooms, another name.
func (c *calendar) editDate(ctx context.Context, r *http.Request) (any, error) {
	id, wanted, rev, err := c.edited(r)
	if err != nil {
		return nil, err
	}
	d := onDate{id: id, rev: rev}
	if err := d.named(r); err != nil {
		return nil, err
	}
	if wanted.rule != "" {
		return nil, sdk.ErrRequestInvalid
	}
	var e *event
	err = c.change(ctx, func(tx *sdk.Tx) error {
		if e, err = d.change(ctx, tx); err != nil {
			return err
		}
		if e.allDay != wanted.allDay {
			return sdk.ErrRequestInvalid
		}
		if err := d.drop(ctx, tx); err != nil {
			return err
		}
		x := exception{times: wanted.times, recurrence: d.date, title: wanted.title, text: wanted.text,
			rooms: wanted.rooms}
		if err := keep(ctx, tx, d.id, x); err != nil {
			return err
		}
		return c.place(ctx, tx, occurrence{times: x.times, event: d.id, recurrence: d.date, rooms: x.rooms})
	})
	if err != nil {
		return conflictResponse(nil, err)
	}
	return e.shown(c.zone()), nil
}

// place writes one occurrence. Its rooms must be free.
func (c *calendar) place(ctx context.Context, tx sdk.Querier, o occurrence) error {
	if err := checkRooms(ctx, tx, o.rooms); err != nil {
		return err
	}
	wanted, held, err := insertOccurrences(ctx, tx, c.zone(), []occurrence{o})
	if err != nil || held == wanted {
		return err
	}
	by, err := readTaken(ctx, tx, `w.event_id = $1::uuid AND w.recurrence = $2::timestamp`, o.event,
		o.recurrence.Format(clockForm))
	if err != nil {
		return err
	}
	return roomTaken{by}
}

// cancelDate cancels one date.
func (c *calendar) cancelDate(ctx context.Context, r *http.Request) (any, error) {
	var d onDate
	if err := d.seen(r); err != nil {
		return nil, err
	}
	var e *event
	err := c.change(ctx, func(tx *sdk.Tx) (err error) {
		if e, err = d.change(ctx, tx); err != nil {
			return err
		}
		if err := d.drop(ctx, tx); err != nil {
			return err
		}
		return keep(ctx, tx, d.id, exception{times: times{start: d.date, minutes: e.minutes}, recurrence: d.date,
			cancelled: true, title: e.title, rooms: []int64{}})
	})
	if err != nil {
		return nil, err
	}
	return e.shown(c.zone()), nil
}

// restoreDate makes a cancelled or changed date like the others again.
func (c *calendar) restoreDate(ctx context.Context, r *http.Request) (any, error) {
	var d onDate
	if err := d.seen(r); err != nil {
		return nil, err
	}
	var e *event
	err := c.change(ctx, func(tx *sdk.Tx) (err error) {
		if e, err = d.change(ctx, tx); err != nil {
			return err
		}
		for _, table := range []string{"exceptions", "occurrences"} {
			n, err := tx.Exec(ctx, `
				DELETE FROM `+table+` WHERE event_id = $1::uuid AND recurrence = $2::timestamp`,
				d.id, d.date.Format(clockForm))
			if err == nil && n == 0 && table == "exceptions" {
				err = errNoDate
			}
			if err != nil {
				return err
			}
		}
		o := occurrence{times: e.times, event: d.id, recurrence: d.date, rooms: e.rooms}
		o.start = d.date
		return c.place(ctx, tx, o)
	})
	if err != nil {
		return conflictResponse(nil, err)
	}
	return e.shown(c.zone()), nil
}
