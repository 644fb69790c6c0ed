package main

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

const (
	eventColumns = `id::text, title, text, to_char(starts, 'YYYY-MM-DD"T"HH24:MI'), minutes, all_day, rule, ` +
		`rooms, rev, service_rev IS NOT NULL, changed_at, deleted_at IS NOT NULL`
	insertEvent = `
		INSERT INTO events (id, title, text, starts, minutes, all_day, rule, rooms, changed_by)
		VALUES ($1, $2, $3, $4::timestamp, $5, $6, $7, $8::bigint[]::integer[], nullif($9, ''))`
)

func scanEvent(row sdk.Scanner) (*event, error) {
	var e event
	var starts string
	err := row.Scan(&e.id, &e.title, &e.text, &starts, &e.minutes, &e.allDay, &e.rule, &e.rooms, &e.rev,
		&e.service, &e.changed, &e.off)
	if err != nil {
		return nil, sdk.OrNoRow(err, errNoEvent)
	}
	e.start, err = time.Parse(clockForm, starts)
	return &e, err
}

// readEvent reads an event that is not deleted. how is FOR UPDATE if it will be changed.
func readEvent(ctx context.Context, db sdk.Querier, id, how string) (*event, error) {
	return scanEvent(db.QueryRow(ctx, `
		SELECT `+eventColumns+` FROM events WHERE id = $1::uuid AND deleted_at IS NULL `+how, id))
}

// readEvenDeleted is readEvent also of one that is deleted, as long as it can be restored.
func readEvenDeleted(ctx context.Context, db sdk.Querier, id string) (*event, error) {
	return scanEvent(db.QueryRow(ctx, `SELECT `+eventColumns+` FROM events WHERE id = $1::uuid`, id))
}

// seenEvent locks an event and refuses it if it has changed since the writer read it. A service is not
// changed as an event.
func seenEvent(ctx context.Context, tx sdk.Querier, id string, rev int64) (*event, error) {
	e, err := readEvent(ctx, tx, id, "FOR UPDATE")
	if err == nil && e.service {
		return nil, errNoEvent
	}
	if err == nil && e.rev != rev {
		return nil, errConflict
	}
	return e, err
}

func insert(ctx context.Context, tx sdk.Querier, e *event, writer string) error {
	e.rev = 1
	_, err := tx.Exec(ctx, insertEvent, e.id, e.title, e.text, e.start.Format(clockForm), e.minutes, e.allDay,
		e.rule, e.rooms, writer)
	return err
}

// update replaces an event whose row is locked, and increments its rev.
func update(ctx context.Context, tx sdk.Querier, e *event, writer string) error {
	e.rev++
	_, err := tx.Exec(ctx, `
		UPDATE events
		SET title = $2, text = $3, starts = $4::timestamp, minutes = $5, all_day = $6, rule = $7,
		    rooms = $8::bigint[]::integer[], changed_by = nullif($9, ''), rev = $10,
		    changed_at = now()
		WHERE id = $1::uuid`,
		e.id, e.title, e.text, e.start.Format(clockForm), e.minutes, e.allDay, e.rule, e.rooms, writer, e.rev)
	return err
}

const exceptionColumns = `to_char(recurrence, 'YYYY-MM-DD"T"HH24:MI'), cancelled, title, text, ` +
	`to_char(starts, 'YYYY-MM-DD"T"HH24:MI'), minutes, rooms`

func readExceptions(ctx context.Context, db sdk.Querier, e *event) ([]exception, error) {
	return sdk.SelectBy(ctx, db, func(row sdk.Scanner, x *exception) error {
		x.allDay = e.allDay
		return scanException(row, x)
	}, `SELECT `+exceptionColumns+` FROM exceptions WHERE event_id = $1::uuid ORDER BY recurrence`, e.id)
}

func scanException(row sdk.Scanner, x *exception) error {
	var recurrence, starts string
	err := row.Scan(&recurrence, &x.cancelled, &x.title, &x.text, &starts, &x.minutes, &x.rooms)
	if err != nil {
		return err
	}
	if x.recurrence, err = time.Parse(clockForm, recurrence); err != nil {
		return err
	}
	x.start, err = time.Parse(clockForm, starts)
	return err
}

// keep writes an exception, replacing an earlier one for the same date.
func keep(ctx context.Context, tx sdk.Querier, id string, x exception) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO exceptions (event_id, recurrence, cancelled, title, text, starts, minutes, rooms)
		VALUES ($1::uuid, $2::timestamp, $3, $4, $5, $6::timestamp, $7, $8::bigint[]::integer[])
		ON CONFLICT (event_id, recurrence) DO UPDATE
		SET cancelled = excluded.cancelled, title = excluded.title, text = excluded.text,
		    starts = excluded.starts, minutes = excluded.minutes, rooms = excluded.rooms`,
		id, x.recurrence.Format(clockForm), x.cancelled, x.title, x.text, x.start.Format(clockForm), x.minutes,
		x.rooms)
	return err
}

// checkRooms refuses rooms that do not exist, even if they need not be booked yet.
func checkRooms(ctx context.Context, db sdk.Querier, rooms []int64) error {
	var known int
	err := db.QueryRow(ctx, `SELECT count(*) FROM rooms WHERE id = ANY ($1::bigint[])`, rooms).Scan(&known)
	if err == nil && known < len(rooms) {
		return errRoomUnknown
	}
	return err
}
