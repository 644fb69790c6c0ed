package main

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// newDates are the dates of a changed event, for the sheets of its earlier ones.
type newDates struct {
	before, after *event
	dates         []time.Time
	byDay         map[time.Time]time.Time // its dates
	had           map[time.Time]bool      // the days of the earlier ones
	moved         map[time.Time]time.Time // where exceptional dates have gone, by their days
	taken         map[time.Time]bool      // by a sheet
}

// followDates moves the sheets of an event to the dates that it has after a change: of one that is another
// event from a date on, those from that date on. A sheet stays on its day if the event still takes place on
// it. Else it goes where the writer has moved that date, or to the nearest date that was none before, less
// than a week away. Else it is gone, until the event has its date again.
func followDates(
	ctx context.Context, tx sdk.Querier, before, after *event, since time.Time, moved map[time.Time]time.Time,
) error {
	if before.rule == "" && after.rule == "" {
		return nil
	}
	all, err := sdk.SelectBy(ctx, tx, scanSheet, `
		SELECT `+sheetColumns+`
		FROM sheets
		WHERE event_id = $1::uuid AND ($1 = $2 OR recurrence >= $3::timestamp)
		ORDER BY gone, recurrence NULLS FIRST`, before.id, after.id, since.Format(clockForm))
	if err != nil || len(all) == 0 {
		return err
	}
	n := newDates{before: before, after: after, moved: moved, byDay: make(map[time.Time]time.Time),
		had: make(map[time.Time]bool), taken: make(map[time.Time]bool)}
	if n.dates, err = datesOf(after); err != nil {
		return err
	}
	earlier, err := datesOf(before)
	if err != nil {
		return err
	}
	for _, date := range n.dates {
		n.byDay[dayOf(date)] = date
	}
	for _, date := range earlier {
		n.had[dayOf(date)] = true
	}
	return n.place(ctx, tx, all)
}

// datesOf returns the dates of an event that are kept, without those that are cancelled or moved alone.
func datesOf(e *event) ([]time.Time, error) {
	rule, err := parseRule(e.rule, e.start)
	if err != nil || !rule.repeats() {
		return []time.Time{e.start}, err
	}
	return rule.dates(time.Now().Add(-keptPast), horizon(time.Now()))
}

// place gives the sheets their dates: first those that stay on their days, and of these those that were gone
// last.
func (n *newDates) place(ctx context.Context, tx sdk.Querier, all []sheet) error {
	var without []sheet
	for _, s := range all {
		date, there := n.byDay[dayOf(s.of.date)]
		switch {
		case s.of.date.IsZero(): // it happened once
			date, there = n.after.start, true
		case s.of.date.Before(time.Now().Add(-keptPast)): // long ago, when nothing is looked at any more
			if err := s.move(ctx, tx, target{n.after.id, n.sameDay(s.of.date)}, s.gone); err != nil {
				return err
			}
			continue
		}
		if !there || n.taken[date] {
			without = append(without, s)
			continue
		}
		if err := n.put(ctx, tx, s, date); err != nil {
			return err
		}
	}
	for _, s := range without {
		var err error
		if date, found := n.corresponding(s.of.date); found && !s.gone {
			err = n.put(ctx, tx, s, date)
		} else {
			err = s.move(ctx, tx, target{n.after.id, s.of.date}, true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// corresponding returns the date to which a sheet goes whose day the event has no more.
func (n *newDates) corresponding(date time.Time) (to time.Time, found bool) {
	if to, found = n.moved[dayOf(date)]; !found {
		fresh := make(map[time.Time]bool, len(n.dates))
		for _, one := range n.dates {
			fresh[one] = !n.had[dayOf(one)]
		}
		to, found = nearestOf(n.dates, fresh, n.sameDay(date))
	}
	return to, found && !n.taken[to]
}

func (n *newDates) sameDay(date time.Time) time.Time {
	return dayOf(date).Add(n.after.start.Sub(dayOf(n.after.start)))
}

// put gives a sheet a date of the event, which may be its only one.
func (n *newDates) put(ctx context.Context, tx sdk.Querier, s sheet, date time.Time) error {
	n.taken[date] = true
	if n.after.rule == "" {
		date = time.Time{}
	}
	return s.move(ctx, tx, target{n.after.id, date}, false)
}

func (s *sheet) move(ctx context.Context, tx sdk.Querier, of target, gone bool) error {
	_, err := tx.Exec(ctx, `
		UPDATE sheets SET event_id = $2::uuid, recurrence = nullif($3, '')::timestamp, gone = $4
		WHERE id = $1::uuid`, s.id, of.event, of.recurrence(), gone)
	if sdk.BrokenConstraint(err) == "sheets_of_dates" {
		return errRepeats
	}
	return err
}
