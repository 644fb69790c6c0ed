package main

import (
	"context"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// shownDate is what takes sign-ups: an event that happens once, or a date of a series.
type shownDate struct {
	Date   string `json:"date"` // of a series, its start by the rule; "": the event happens once
	Title  string `json:"title"`
	Start  string `json:"start"`
	End    string `json:"end"`
	AllDay bool   `json:"allDay"`
	Off    bool   `json:"off"`  // it does not take place
	Over   bool   `json:"over"` // it has begun
	People int64  `json:"people"`
}

// listDates lists the sheets of an event, with those of dates that do not take place: whoever is about to
// change or delete it learns how many people that concerns.
func (c *calendar) listDates(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoEvent)
	if err != nil {
		return nil, err
	}
	if _, err := readEvent(ctx, c.db, id, ""); err != nil {
		return nil, err
	}
	all, err := sdk.SelectBy(ctx, c.db, func(row sdk.Scanner, one *shownDate) error {
		var t times
		err := row.Scan(&one.Date, &one.Title, &t.start, &t.minutes, &t.allDay, &one.Off, &one.People)
		one.AllDay, one.Over = t.allDay, !c.zone().instant(t.start).After(time.Now())
		one.Start, one.End = t.text(c.zone())
		return err
	}, `
		SELECT coalesce(to_char(recurrence, 'YYYY-MM-DD"T"HH24:MI'), ''), title, starts, minutes, all_day, off,
		       (SELECT count(*) FROM participants WHERE sheet_id = d.sheet)
		FROM `+onDates+`
		WHERE event = $1::uuid
		ORDER BY starts, sheet`, id)
	return map[string]any{"dates": all}, err
}

// countForService returns how many people have signed up for a service that is still to come. Whoever moves
// or cancels it learns that, also where it is planned; so it needs no more than to see the calendar.
func (c *calendar) countForService(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoEvent)
	if err != nil {
		return nil, err
	}
	var counted struct {
		People int64 `json:"people"`
	}
	err = c.db.QueryRow(ctx, `
		SELECT count(*)
		FROM participants
		JOIN `+onDates+` ON d.sheet = sheet_id
		WHERE event = $1::uuid AND service_rev IS NOT NULL AND NOT off AND starts > $2::timestamp`,
		id, c.zone().local(time.Now()).Format(clockForm)).Scan(&counted.People)
	return counted, err
}
