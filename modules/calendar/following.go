package main

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// editFollowing changes a repeating event from a date on: the event ends before that date, and a new one
// begins.
func (c *calendar) editFollowing(ctx context.Context, r *http.Request) (any, error) {
	id, wanted, rev, err := c.edited(r)
	if err != nil {
		return nil, err
	}
	d := onDate{id: id, rev: rev}
	if err := d.named(r); err != nil {
		return nil, err
	}
	err = c.change(ctx, func(tx *sdk.Tx) error {
		before, err := seenEvent(ctx, tx, d.id, d.rev)
		if err != nil {
			return err
		}
		if d.date.Equal(before.start) {
			return c.replace(ctx, tx, before, wanted)
		}
		passed, err := c.end(ctx, tx, before, d.date)
		if err != nil {
			return err
		}
		if err := countOn(wanted, before.rule, passed); err != nil {
			return err
		}
		wanted.id = uuid.NewString()
		if err := insert(ctx, tx, wanted, sdk.Principal(ctx).UserID); err != nil {
			return err
		}
		if err := moveDates(ctx, tx, before, wanted, d.date); err != nil {
			return err
		}
		return c.build(ctx, tx, wanted)
	})
	return conflictResponse(wanted.shown(c.zone()), err)
}

// endBefore ends a repeating event before a date.
func (c *calendar) endBefore(ctx context.Context, r *http.Request) (any, error) {
	var d onDate
	if err := d.seen(r); err != nil {
		return nil, err
	}
	var e *event
	err := c.change(ctx, func(tx *sdk.Tx) (err error) {
		if e, err = seenEvent(ctx, tx, d.id, d.rev); err != nil {
			return err
		}
		ended := *e
		if _, err := c.end(ctx, tx, &ended, d.date); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			UPDATE sheets SET gone = true WHERE event_id = $1::uuid AND recurrence >= $2::timestamp`,
			d.id, d.date.Format(clockForm)); err != nil {
			return err
		}
		e.rev = ended.rev
		return nil
	})
	if err != nil {
		return nil, err
	}
	return e.shown(c.zone()), nil // with the old rule, so that the client can undo this by writing it again
}

// end writes a last day before a date into the rule of a locked event. e keeps the old rule for the caller.
// passed is how many dates remain.
func (c *calendar) end(
	ctx context.Context, tx sdk.Querier, e *event, date time.Time,
) (passed int, err error) {
	rule, err := parseRule(e.rule, e.start)
	if err != nil {
		return 0, err
	}
	if !rule.repeats() || !date.After(e.start) {
		return 0, errNoDate
	}
	if rule.option.Count > 0 {
		if passed, err = rule.counted(date); err != nil {
			return 0, err
		}
	}
	rule.option.Count, rule.option.Until = 0, dayOf(date).Add(-day)
	ended := *e
	ended.rule = rule.text()
	if err := update(ctx, tx, &ended, sdk.Principal(ctx).UserID); err != nil {
		return 0, err
	}
	e.rev = ended.rev
	n, err := tx.Exec(ctx, `DELETE FROM occurrences WHERE event_id = $1::uuid AND recurrence >= $2::timestamp`,
		e.id, date.Format(clockForm))
	if err == nil && n == 0 {
		err = errNoDate
	}
	return passed, err
}

// countOn reduces the count of the later part to the dates that were left.
func countOn(wanted *event, ruleBefore string, passed int) error {
	if passed == 0 || wanted.rule != ruleBefore {
		return nil
	}
	rule, err := parseRule(wanted.rule, wanted.start)
	if err != nil {
		return err
	}
	rule.option.Count -= passed
	if rule.option.Count < 1 {
		return errNoDate
	}
	wanted.rule = rule.text()
	return nil
}
