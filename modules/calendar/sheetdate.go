package main

import (
	"context"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// target is what people sign up for: an event that happens once, a service, or one date of a series.
type target struct {
	event string
	date  time.Time // of a series, its start by the rule; zero: none
}

// targetOf reads a target from the path.
func targetOf(r *http.Request) (of target, err error) {
	if of.event, err = sdk.PathID(r, errNoEvent); err != nil || r.PathValue("date") == "" {
		return of, err
	}
	of.date, err = readDate(r.PathValue("date"))
	return of, err
}

// recurrence is the date as SQL takes it, and "" for none.
func (of target) recurrence() string {
	if of.date.IsZero() {
		return ""
	}
	return of.date.Format(clockForm)
}

// onDates is what people sign up for, by the ids of the sheets, in SQL: d.off says that it does not take
// place.
const onDates = `(
	SELECT s.id AS sheet, s.event_id AS event, s.recurrence, coalesce(x.title, e.title) AS title,
	       coalesce(x.starts, s.recurrence, e.starts) AS starts, coalesce(x.minutes, e.minutes) AS minutes,
	       e.all_day, e.deleted_at IS NOT NULL OR s.gone OR coalesce(x.cancelled, false) AS off,
	       e.changed_at, e.service_rev
	FROM sheets s
	JOIN events e ON e.id = s.event_id
	LEFT JOIN exceptions x ON x.event_id = s.event_id AND x.recurrence = s.recurrence) d`

// on returns an event as it takes place for people who sign up. errNoDate: the series has no such date, and
// no sheet of one.
func (e *event) on(ctx context.Context, db sdk.Querier, of target) (*event, error) {
	if of.date.IsZero() {
		return e, nil
	}
	one := *e
	one.start = of.date
	var placed, listed, gone bool
	err := db.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM occurrences WHERE event_id = $1::uuid AND recurrence = $2::timestamp),
		       EXISTS (SELECT FROM sheets WHERE event_id = $1::uuid AND recurrence = $2::timestamp),
		       EXISTS (SELECT FROM sheets WHERE event_id = $1::uuid AND recurrence = $2::timestamp AND gone)`,
		e.id, of.recurrence()).Scan(&placed, &listed, &gone)
	if err != nil {
		return nil, err
	}
	found, err := sdk.SelectBy(ctx, db, func(row sdk.Scanner, x *exception) error {
		x.allDay = e.allDay
		return scanException(row, x)
	}, `SELECT `+exceptionColumns+` FROM exceptions WHERE event_id = $1::uuid AND recurrence = $2::timestamp`,
		e.id, of.recurrence())
	if err != nil {
		return nil, err
	}
	if !listed && len(found) == 0 && (!placed || e.rule == "") {
		return nil, errNoDate
	}
	one.off = e.off || gone
	for _, x := range found {
		one.times, one.title, one.rooms, one.off = x.times, x.title, x.rooms, one.off || x.cancelled
		if !x.cancelled {
			one.text = x.text
		}
	}
	return &one, nil
}

// current reads what people sign up for; a service as the module that plans it has it now.
func (c *calendar) current(ctx context.Context, of target) (*event, error) {
	e, err := readEvent(ctx, c.db, of.event, "")
	if err == nil && e.service {
		c.caughtUp(ctx)
		e, err = readEvent(ctx, c.db, of.event, "")
	}
	if err != nil {
		return nil, err
	}
	return e.on(ctx, c.db, of)
}
