package main

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// deletedFor is how long a deleted event can be restored.
const deletedFor = 30 * day

// moveHorizon makes the occurrences of repeating events up to the horizon, and all of those that have to be
// made anew for another zone. A room that is taken then is no reason to leave anything out: the booking
// waits, and who manages events sees it. It may end at any time and goes on with the next run.
func (c *calendar) moveHorizon(ctx context.Context) error {
	if _, err := c.db.Exec(ctx, `DELETE FROM events WHERE deleted_at < $1`,
		time.Now().Add(-deletedFor)); err != nil {
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
	var events []*event
	var builtUntil []string
	rows, err := c.db.Query(ctx, `
		SELECT coalesce(built_until::text, ''), `+eventColumns+`
		FROM events
		WHERE deleted_at IS NULL AND (built_until IS NULL OR rule <> '' AND built_until < $1::date)
		LIMIT 50`, until.Format(dayForm))
	if err != nil {
		return false, err
	}
	defer rows.Close()
	for rows.Next() {
		var built string
		e, err := scanEvent(after{rows, &built})
		if err != nil {
			return false, err
		}
		events, builtUntil = append(events, e), append(builtUntil, built)
	}
	if err := rows.Err(); err != nil || len(events) == 0 {
		return false, err
	}
	return true, c.change(ctx, func(tx *sdk.Tx) error {
		for i, e := range events {
			if err := c.moveOne(ctx, tx, e, builtUntil[i], until); err != nil {
				return err
			}
		}
		return nil
	})
}

// moveOne goes on where an event's occurrences end; built is that day, or "" to begin anew. The event may
// have changed since it was read, and is left for the next time then.
func (c *calendar) moveOne(
	ctx context.Context, tx statements, e *event, built string, until time.Time,
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
	_, _, err = insertOccurrences(ctx, tx, c.zone, all)
	return err
}

// after scans one value before those of an event.
type after struct {
	row   *sdk.Rows
	first *string
}

// Scan reads one row.
func (a after) Scan(dst ...any) error { return a.row.Scan(append([]any{a.first}, dst...)...) }
