package main

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// What becomes of the exceptions that a changed series has no dates for.
const (
	exceptionsAsk  = ""     // the change is refused, and they are listed
	exceptionsMove = "move" // to the nearest date, if there is one within a week
	exceptionsDrop = "drop"
)

// nearest is how far an exception is moved at most: another weekday is less than a week away.
const nearest = 6 * day

// droppedDate is an exceptional date that a change of the series would drop. Moves says that it can be moved
// along instead.
type droppedDate struct {
	Date      string `json:"date"`
	Title     string `json:"title"`
	Start     string `json:"start"`
	Cancelled bool   `json:"cancelled"`
	Moves     bool   `json:"moves"`
}

// dropping is errDropping with the dates from today on. Nobody misses those of the past.
type dropping struct{ dates []droppedDate }

func (dropping) Error() string { return errDropping.Code() }
func (dropping) Unwrap() error { return errDropping }

func (d dropping) response() sdk.Response {
	return sdk.Response{Status: http.StatusConflict, Body: struct {
		Code  string        `json:"code"`
		Dates []droppedDate `json:"dates"`
	}{errDropping.Code(), d.dates}}
}

// moveDates moves what belongs to the dates of an event from one on to an event that now begins at another
// time of day, or to another event: the exceptions, and the sheets.
func moveDates(ctx context.Context, tx sdk.Querier, before, after *event, since time.Time) error {
	moved, err := moveExceptions(ctx, tx, before, after, since)
	if err != nil {
		return err
	}
	return followDates(ctx, tx, before, after, since, moved)
}

// moveExceptions moves the exceptions, or gives them up for which the event has no date, as its writer says.
// moved says, by the days that they had, to which dates they have gone.
func moveExceptions(
	ctx context.Context, tx sdk.Querier, before, after *event, since time.Time,
) (moved map[time.Time]time.Time, err error) {
	_, err = tx.Exec(ctx, `
		UPDATE exceptions
		SET event_id = $2::uuid, recurrence = recurrence::date + $3::timestamp::time
		WHERE event_id = $1::uuid AND recurrence >= $4::timestamp`,
		before.id, after.id, after.start.Format(clockForm), since.Format(clockForm))
	if err != nil {
		return nil, err
	}
	all, err := readExceptions(ctx, tx, after)
	if err != nil {
		return nil, err
	}
	var dates []time.Time
	if after.rule != "" {
		if dates, err = datesOf(after); err != nil {
			return nil, err
		}
	}
	return settleExceptions(ctx, tx, after, all, dates, before.allDay != after.allDay)
}

// settleExceptions moves or drops the exceptions without a date, in their order. In a series of days those of
// a series of times have no meaning, and the other way round; only that a date is cancelled stays.
func settleExceptions(ctx context.Context, tx sdk.Querier, e *event, all []exception, dates []time.Time,
	otherKind bool,
) (moved map[time.Time]time.Time, err error) {
	moved = make(map[time.Time]time.Time)
	free := make(map[time.Time]bool, len(dates))
	for _, date := range dates {
		free[date] = true
	}
	var without []exception
	for _, x := range all {
		if there := free[x.recurrence]; !there || otherKind && !x.cancelled {
			without = append(without, x)
			continue
		}
		free[x.recurrence] = false
	}
	today := dayOf(time.Now().UTC())
	var dropped []droppedDate
	for _, x := range without {
		to, found := nearestOf(dates, free, x.recurrence)
		found = found && (!otherKind || x.cancelled)
		if found {
			free[to] = false
		}
		if !x.recurrence.Before(today) {
			dropped = append(dropped, droppedDate{x.recurrence.Format(clockForm), x.title,
				x.start.Format(clockForm), x.cancelled, found})
		}
		_, err := tx.Exec(ctx, `DELETE FROM exceptions WHERE event_id = $1::uuid AND recurrence = $2::timestamp`,
			e.id, x.recurrence.Format(clockForm))
		if err == nil && found && e.exceptions == exceptionsMove {
			moved[dayOf(x.recurrence)] = to
			by := to.Sub(x.recurrence)
			x.recurrence, x.start = to, x.start.Add(by)
			err = keep(ctx, tx, e.id, x)
		}
		if err != nil {
			return nil, err
		}
	}
	if e.exceptions == exceptionsAsk && len(dropped) > 0 {
		return nil, dropping{dropped}
	}
	return moved, nil
}

// nearestOf returns the free date that is nearest to a day, the later one of two.
func nearestOf(dates []time.Time, free map[time.Time]bool, to time.Time) (found time.Time, is bool) {
	at, _ := slices.BinarySearchFunc(dates, to.Add(-nearest), time.Time.Compare)
	for _, date := range dates[at:] {
		if date.Sub(to) > nearest {
			break
		}
		if free[date] && (!is || date.Sub(to).Abs() <= found.Sub(to).Abs()) {
			found, is = date, true
		}
	}
	return found, is
}
