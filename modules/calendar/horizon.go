package main

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// deletedFor is how long a deleted event can be restored.
const deletedFor = 30 * day

// moveHorizon makes the occurrences of repeating events up to the horizon, and makes all occurrences again
// after a change of the zone. If a room is taken, the booking waits, and people who manage events see that.
// It may be interrupted at any time, and the next run continues.
func (c *calendar) moveHorizon(ctx context.Context) error {
	if _, err := c.db.Exec(ctx, `DELETE FROM events WHERE deleted_at < $1`,
		time.Now().Add(-deletedFor)); err != nil {
		return err
	}
	if err := c.forgetImports(ctx); err != nil {
		return err
	}
	for {
		changed, err := c.moveSome(ctx)
		if err != nil || !changed {
			return err
		}
	}
}

func (c *calendar) moveSome(ctx context.Context) (changed bool, err error) {
	until := horizon(time.Now())
	type built struct {
		until string
		event *event
	}
	events, err := sdk.SelectBy(ctx, c.db, func(row sdk.Scanner, b *built) (err error) {
		b.event, err = scanEvent(after{row, &b.until})
		return err
	}, `
		SELECT coalesce(built_until::text, ''), `+eventColumns+`
		FROM events
		WHERE deleted_at IS NULL AND service_rev IS NULL
			AND (built_until IS NULL OR rule <> '' AND built_until < $1::date)
		LIMIT 50`, until.Format(dayForm))
	if err != nil || len(events) == 0 {
		return false, err
	}
	return true, c.change(ctx, func(tx *sdk.Tx) error {
		for _, b := range events {
			if err := c.moveOne(ctx, tx, b.event, b.until, until); err != nil {
				return err
			}
		}
		return nil
	})
}

// moveOne continues where an event's occurrences end: at the day built, or at the beginning if built is "".
// An event that has changed since it was read is left for the next run.
func (c *calendar) moveOne(
	ctx context.Context, tx sdk.Querier, e *event, built string, until time.Time,
) error {
	n, err := tx.Exec(ctx, `
		UPDATE events SET built_until = $4::date
		WHERE id = $1::uuid AND rev = $2 AND coalesce(built_until::text, '') = $3`,
		e.id, e.rev, built, until.Format(dayForm))
	if err != nil || n == 0 {
		return err
	}
	from, err := time.Parse(dayForm, built)
	if built == "" {
		from = time.Now().Add(-keptPast)
		_, err = tx.Exec(ctx, `DELETE FROM occurrences WHERE event_id = $1::uuid`, e.id)
	}
	if err != nil {
		return err
	}
	exceptions, err := readExceptions(ctx, tx, e)
	if err != nil {
		return err
	}
	all, err := e.occurrences(from, until, exceptions)
	if err != nil {
		return err
	}
	_, _, err = insertOccurrences(ctx, tx, c.zone(), all)
	return err
}

// after scans one column before those of an event.
type after struct {
	row   sdk.Scanner
	first *string
}

// Scan reads one row.
func (a after) Scan(dst ...any) error { return a.row.Scan(append([]any{a.first}, dst...)...) }
