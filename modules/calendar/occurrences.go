package main

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The period in which the occurrences of a repeating event are stored: from keptPast ago up to the horizon.
const (
	keptPast    = 400 * day
	horizonDays = 730
	batch       = 500 // rows of one statement
)

// horizon returns the first day of a month, so that it moves only once a month.
func horizon(now time.Time) time.Time {
	end := now.AddDate(0, 0, horizonDays+31)
	return time.Date(end.Year(), end.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// exception is one date of a repeating event that differs from the others.
type exception struct {
	times
	recurrence  time.Time
	cancelled   bool
	title, text string
	rooms       []int64
}

// occurrence is one date of an event.
type occurrence struct {
	times
	event      string
	recurrence time.Time
	rooms      []int64
}

// occurrences returns the occurrences of an event that begin in [from, until), with its exceptions. An event
// that does not repeat has one, whenever it begins.
func (e *event) occurrences(from, until time.Time, exceptions []exception) ([]occurrence, error) {
	dates := []time.Time{e.start}
	if e.rule != "" {
		rule, err := parseRule(e.rule, e.start)
		if err != nil {
			return nil, err
		}
		if dates, err = rule.dates(from, until); err != nil {
			return nil, err
		}
	}
	other := make(map[time.Time]exception, len(exceptions))
	for _, x := range exceptions {
		other[x.recurrence] = x
	}
	all := make([]occurrence, 0, len(dates))
	for _, date := range dates {
		o := occurrence{times: e.times, event: e.id, recurrence: date, rooms: e.rooms}
		o.start = date
		if x, is := other[date]; is {
			if x.cancelled {
				continue
			}
			o.times, o.rooms = x.times, x.rooms
		}
		all = append(all, o)
	}
	return all, nil
}

// insertOccurrences writes occurrences and books their rooms if they are free. held is how many of the wanted
// bookings were made. The constraint of the table bookings decides between concurrent bookings.
func insertOccurrences(
	ctx context.Context, tx sdk.Querier, z zone, all []occurrence,
) (wanted, held int64, err error) {
	var rooms bookings
	for start := 0; start < len(all); start += batch {
		part := all[start:min(start+batch, len(all))]
		columns := make([][]string, 6)
		for _, o := range part {
			end, from, until := o.ends(z)
			row := []string{o.event, o.recurrence.Format(clockForm), o.start.Format(clockForm),
				end.Format(clockForm), from.Format(time.RFC3339), until.Format(time.RFC3339)}
			for i, value := range row {
				columns[i] = append(columns[i], value)
			}
			for _, room := range o.rooms {
				rooms.add(row[0], row[1], room)
			}
		}
		_, err := tx.Exec(ctx, `
			INSERT INTO occurrences (event_id, recurrence, starts, ends, during)
			SELECT event::uuid, recurrence::timestamp, starts::timestamp, ends::timestamp,
			       tstzrange(from_at::timestamptz, until_at::timestamptz)
			FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
				AS row (event, recurrence, starts, ends, from_at, until_at)
			ON CONFLICT (event_id, recurrence) DO NOTHING`,
			columns[0], columns[1], columns[2], columns[3], columns[4], columns[5])
		if err != nil {
			return 0, 0, err
		}
	}
	held, err = rooms.hold(ctx, tx)
	return int64(len(rooms.rooms)), held, err
}

// bookings holds columns: which occurrence needs which room.
type bookings struct {
	events, recurrences []string
	rooms               []int64
}

func (b *bookings) add(event, recurrence string, room int64) {
	b.events, b.recurrences = append(b.events, event), append(b.recurrences, recurrence)
	b.rooms = append(b.rooms, room)
}

// hold books free rooms and lets the other bookings wait.
func (b *bookings) hold(ctx context.Context, tx sdk.Querier) (held int64, err error) {
	for start := 0; start < len(b.rooms); start += batch {
		end := min(start+batch, len(b.rooms))
		for _, holds := range []bool{true, false} { // the second pass stores conflicts as waiting
			n, err := tx.Exec(ctx, `
				INSERT INTO bookings (event_id, recurrence, room_id, during, held)
				SELECT o.event_id, o.recurrence, row.room, o.during, $4
				FROM unnest($1::text[], $2::text[], $3::bigint[]) AS row (event, recurrence, room)
				JOIN occurrences o ON o.event_id = row.event::uuid AND o.recurrence = row.recurrence::timestamp
				ORDER BY o.recurrence, row.room
				ON CONFLICT DO NOTHING`,
				b.events[start:end], b.recurrences[start:end], b.rooms[start:end], holds)
			if err != nil {
				return 0, refusalOf(err)
			}
			if holds {
				held += n
			}
		}
	}
	return held, nil
}

// build replaces the occurrences of an event. If a room is taken, it returns an error with the other booking,
// and the transaction is rolled back.
func (c *calendar) build(ctx context.Context, tx sdk.Querier, e *event) error {
	if err := checkRooms(ctx, tx, e.rooms); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM occurrences WHERE event_id = $1::uuid`, e.id); err != nil {
		return err
	}
	until := horizon(time.Now())
	exceptions, err := readExceptions(ctx, tx, e)
	if err != nil {
		return err
	}
	all, err := e.occurrences(time.Now().Add(-keptPast), until, exceptions)
	if err != nil {
		return err
	}
	wanted, held, err := insertOccurrences(ctx, tx, c.zone(), all)
	if err != nil {
		return err
	}
	if held < wanted {
		return c.takenBy(ctx, tx, e.id)
	}
	_, err = tx.Exec(ctx, `UPDATE events SET built_until = $2::date WHERE id = $1::uuid`, e.id,
		until.Format(dayForm))
	return err
}
