package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// importing is an import in progress: the parsed events and the problems.
type importing struct {
	*sdk.Exchange
	calendar *calendar
	ids      map[string]int64 // of rooms, by name
	newRooms []string
	events   []imported
	services []archiveService
	known    int
}

// imported is an event that will be written. Its rooms get ids when they are created.
type imported struct {
	*event
	line   int
	needs  []string
	except []importedDate
}

type importedDate struct {
	exception
	needs []string
}

// needRooms records rooms that do not exist yet, until there are too many.
func (i *importing) needRooms(line int, names []string) {
	for _, name := range names {
		if clean, err := roomName(name); err != nil || clean != name {
			i.Problem(line, "ROOM_INVALID")
			return
		}
		if _, is := i.ids[name]; !is && len(i.newRooms) <= maxRooms && !slices.Contains(i.newRooms, name) {
			i.newRooms = append(i.newRooms, name)
		}
	}
}

// check converts the entries to events, by the rules for events that people write. It fails only at the end
// of ctx: a rule may take some milliseconds.
func (i *importing) check(ctx context.Context, entries []entry) error {
	if len(entries) > maxImported {
		i.Problem(1, "TOO_MANY")
		return nil
	}
	seen, dates := make(map[string]bool, len(entries)), 0
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !sdk.IsID(e.id) || seen[e.id] {
			i.Problem(e.line, "EVENT_INVALID")
			continue
		}
		seen[e.id] = true
		made, ok := i.made(e)
		if !ok {
			continue
		}
		one := imported{event: made, line: e.line, needs: e.rooms}
		one.id = e.id
		for _, x := range e.dates {
			if date, ok := i.date(one, x); ok && made.rule != "" {
				one.except = append(one.except, date)
			}
		}
		if dates += len(one.except); dates > maxImported {
			i.Problem(e.line, "TOO_MANY")
			return nil
		}
		i.events = append(i.events, one)
	}
	if len(i.newRooms)+len(i.ids) > maxRooms {
		i.Problem(1, "TOO_MANY")
	}
	return nil
}

func (i *importing) made(e entry) (*event, bool) {
	i.needRooms(e.line, e.rooms)
	wanted := draft{Title: e.title, Text: e.text, Start: e.start, End: e.end, Rule: e.rule}
	made, err := wanted.event(i.calendar.zone())
	switch {
	case errors.Is(err, errRule):
		i.Problem(e.line, "RULE_INVALID")
	case err != nil || len(e.rooms) > maxEventRooms:
		i.Problem(e.line, "EVENT_INVALID")
	default:
		return made, true
	}
	return nil, false
}

func (i *importing) date(of imported, x entry) (importedDate, bool) {
	usual := times{start: x.date, minutes: of.minutes, allDay: of.allDay}
	date := importedDate{exception: exception{times: usual, recurrence: x.date, cancelled: x.cancelled,
		title: of.title, rooms: []int64{}}}
	if !of.allDay && x.date.Equal(dayOf(x.date)) && x.cancelled {
		// some programs identify a cancelled date only by its day
		date.recurrence = x.date.Add(of.start.Sub(dayOf(of.start)))
	}
	if x.cancelled {
		return date, true
	}
	x.line, x.rule = of.line, ""
	made, ok := i.made(x)
	if !ok || made.allDay != of.allDay {
		i.Problem(of.line, "EVENT_INVALID")
		return date, false
	}
	date.times, date.title, date.text, date.needs = made.times, made.title, made.text, x.rooms
	return date, true
}

// write executes the import in a transaction. A taken room becomes a problem.
func (i *importing) write(ctx context.Context, tx *sdk.Tx) error {
	if err := i.dropKnown(ctx, tx); err != nil {
		return err
	}
	for _, name := range i.newRooms {
		id, err := insertRoom(ctx, tx, name)
		if err != nil {
			return err
		}
		i.ids[name] = id
	}
	for _, s := range i.services {
		if err := i.calendar.rememberService(ctx, tx, s, i.roomsOf(s.Rooms)); err != nil {
			return err
		}
	}
	if err := i.insertEvents(ctx, tx); err != nil {
		return err
	}
	var all []occurrence
	for _, e := range i.events {
		exceptions := make([]exception, len(e.except))
		for at, x := range e.except {
			exceptions[at] = x.exception
			exceptions[at].rooms = i.roomsOf(x.needs)
			if err := keep(ctx, tx, e.id, exceptions[at]); err != nil {
				return err
			}
		}
		e.rooms = i.roomsOf(e.needs)
		dates, err := e.occurrences(time.Now().Add(-keptPast), horizon(time.Now()), exceptions)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if all = append(all, dates...); len(all) > maxImportedDates {
			i.Problem(e.line, "TOO_MANY")
			return nil
		}
	}
	wanted, held, err := insertOccurrences(ctx, tx, i.calendar.zone(), all)
	if err != nil || held == wanted {
		return err
	}
	return i.taken(ctx, tx)
}

func (i *importing) roomsOf(names []string) []int64 {
	ids := []int64{}
	for _, name := range names {
		if id := i.ids[name]; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// dropKnown removes events that exist already, including recently deleted ones.
func (i *importing) dropKnown(ctx context.Context, tx sdk.Querier) error {
	ids := make([]string, len(i.events))
	for at, e := range i.events {
		ids[at] = e.id
	}
	known, err := sdk.Select[string](ctx, tx, `
		SELECT id::text FROM events WHERE id = ANY ($1::text[]::uuid[])`, ids)
	i.known = len(known)
	here := make(map[string]bool, len(known))
	for _, id := range known {
		here[id] = true
	}
	i.events = slices.DeleteFunc(i.events, func(e imported) bool { return here[e.id] })
	return err
}

func (i *importing) insertEvents(ctx context.Context, tx sdk.Querier) error {
	until, writer := horizon(time.Now()).Format(dayForm), sdk.Principal(ctx).UserID
	for start := 0; start < len(i.events); start += batch {
		columns := make([][]string, 6)
		var minutes, allDay []int64
		for _, e := range i.events[start:min(start+batch, len(i.events))] {
			rooms := strings.Trim(strings.ReplaceAll(fmt.Sprint(i.roomsOf(e.needs)), " ", ","), "[]")
			for at, value := range []string{e.id, e.title, e.text, e.start.Format(clockForm), e.rule, rooms} {
				columns[at] = append(columns[at], value)
			}
			whole := int64(0)
			if e.allDay {
				whole = 1
			}
			minutes, allDay = append(minutes, e.minutes), append(allDay, whole)
		}
		_, err := tx.Exec(ctx, `
			INSERT INTO events (id, title, text, starts, rule, rooms, minutes, all_day, built_until, changed_by)
			SELECT id::uuid, title, text, starts::timestamp, rule, ('{' || rooms || '}')::integer[], minutes,
			       all_day = 1, $9::date, nullif($10, '')
			FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[],
				$8::bigint[]) AS row (id, title, text, starts, rule, rooms, minutes, all_day)`,
			columns[0], columns[1], columns[2], columns[3], columns[4], columns[5], minutes, allDay, until, writer)
		if err != nil {
			return err
		}
	}
	return nil
}

// taken reports the lines of events whose rooms are taken.
func (i *importing) taken(ctx context.Context, tx sdk.Querier) error {
	ids, lines := make([]string, len(i.events)), make(map[string]int)
	for at, e := range i.events {
		ids[at], lines[e.id] = e.id, e.line
	}
	by, err := readTaken(ctx, tx, `w.event_id = ANY ($1::text[]::uuid[])`, ids)
	if err != nil {
		return err
	}
	for _, t := range by {
		i.Problem(lines[t.Wanted], errRoomTaken.Code(), t.Title+", "+strings.ReplaceAll(t.From, "T", " "))
	}
	return nil
}
