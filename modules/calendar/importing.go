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

// Bounds of what an import may cost.
const (
	maxSteps    = 8 << 20 // dates of all repeating events together, from their begin to the horizon
	maxDateless = 50      // rules without any date, each of which is searched for through centuries
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
	steps    int
	dateless int
}

// imported is an event that will be written. Its rooms get ids when they are created.
type imported struct {
	*event
	line   int
	from   entry
	needs  []string
	except []importedDate
}

type importedDate struct {
	exception
	needs []string
}

// needRooms records rooms that do not exist yet, until there are too many. It returns the name of a room that
// cannot be one.
func (i *importing) needRooms(names []string) (wrong string, ok bool) {
	for _, name := range names {
		if strings.TrimSpace(name) != name || !sdk.IsText(name, 1, maxRoomName) {
			return name, false
		}
	}
	for _, name := range names {
		if _, is := i.ids[name]; !is && len(i.newRooms) <= maxRooms && !slices.Contains(i.newRooms, name) {
			i.newRooms = append(i.newRooms, name)
		}
	}
	return "", true
}

// check converts the entries to events, by the rules for events that people write. It fails only at the end
// of ctx: a rule may take some milliseconds.
func (i *importing) check(ctx context.Context, entries []entry) error {
	if len(entries) > maxImported {
		i.Problem(0, "TOO_MANY")
		return nil
	}
	seen, dates := make(map[string]bool, len(entries)), 0
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !sdk.IsID(e.id) {
			i.leaveOut(e, "EVENT_INVALID", "", "")
			continue
		}
		if seen[e.id] {
			i.leaveOut(e, "TWICE", "", e.title)
			continue
		}
		seen[e.id] = true
		made, ok := i.made(e)
		if !ok {
			continue
		}
		if e.sheets.own != nil && made.rule != "" || !e.sheets.valid() {
			i.leaveOut(e, "SIGNUP_INVALID", "", e.title)
			continue
		}
		one := imported{event: made, line: e.line, from: e, needs: e.rooms}
		one.id = e.id
		for _, x := range e.dates {
			if date, ok := i.date(one, x); ok && made.rule != "" {
				one.except = append(one.except, date)
			}
		}
		if dates += len(one.except); dates > maxImported || i.steps > maxSteps || i.dateless > maxDateless {
			i.Problem(e.line, "TOO_MANY")
			return nil
		}
		i.events = append(i.events, one)
	}
	if len(i.newRooms)+len(i.ids) > maxRooms {
		i.Problem(0, "TOO_MANY")
	}
	return nil
}

// leaveOut tells of an entry that is not imported.
func (i *importing) leaveOut(e entry, code, field, found string) {
	row := e.row
	if row == nil {
		row = []string{e.start, e.title}
	} else { // nothing of the row comes in differently
		kept := slices.DeleteFunc(i.Notes, func(n sdk.Problem) bool { return n.Line == e.line })
		i.NoteCount -= len(i.Notes) - len(kept)
		i.Notes = kept
	}
	i.Skip(sdk.Problem{Line: e.line, Code: code, Field: field, Detail: found, Row: row})
}

func (i *importing) made(e entry) (*event, bool) {
	wanted := draft{Title: e.title, Text: e.text, Start: e.start, End: e.end, Rule: e.rule}
	made, err := wanted.event(i.calendar.zone())
	if errors.Is(err, errRule) {
		i.dateless++
		i.leaveOut(e, "RULE_INVALID", "rule", e.rule)
		return nil, false
	}
	if err != nil || len(e.rooms) > maxEventRooms {
		i.leaveOut(e, "EVENT_INVALID", "", strings.ReplaceAll(e.start+" – "+e.end, "T", " "))
		return nil, false
	}
	if wrong, ok := i.needRooms(e.rooms); !ok {
		i.leaveOut(e, "ROOM_INVALID", "rooms", wrong)
		return nil, false
	}
	if made.rule != "" {
		days := int(horizon(time.Now()).Sub(made.start) / day)
		if !strings.Contains(made.rule, "DAILY") {
			days /= 7
		}
		i.steps += max(days, 0)
	}
	return made, true
}

func (i *importing) date(of imported, x entry) (importedDate, bool) {
	usual := times{start: x.date, minutes: of.minutes, allDay: of.allDay}
	date := importedDate{exception: exception{times: usual, recurrence: x.date, cancelled: x.cancelled,
		title: of.title, rooms: []int64{}}}
	if x.cancelled {
		return date, true
	}
	x.line, x.rule = of.line, ""
	made, ok := i.made(x)
	if !ok || made.allDay != of.allDay {
		if ok {
			i.leaveOut(x, "EVENT_INVALID", "", x.start+" – "+x.end)
		}
		return date, false
	}
	date.times, date.title, date.text, date.needs = made.times, made.title, made.text, x.rooms
	return date, true
}

// writeNew executes the import in a transaction, if there is anything in it that is not here yet.
func (i *importing) writeNew(ctx context.Context, tx *sdk.Tx) error {
	if err := i.dropKnown(ctx, tx); err != nil {
		return err
	}
	if len(i.events)+len(i.newRooms)+len(i.services) == 0 {
		return sdk.ErrUnchanged
	}
	return i.write(ctx, tx)
}

// write makes rooms and events. An event whose room is taken is left out.
func (i *importing) write(ctx context.Context, tx *sdk.Tx) error {
	for _, name := range i.newRooms {
		made := room{Name: name}
		if err := i.calendar.rooms.Insert(ctx, tx, &made); err != nil {
			return err
		}
		i.ids[name] = made.ID
	}
	if err := i.leaveErased(ctx, tx); err != nil {
		return err
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
	if err == nil && held != wanted {
		err = i.taken(ctx, tx)
	}
	if err != nil {
		return err
	}
	for _, e := range i.events {
		for _, s := range e.from.sheets.all() {
			if err := s.write(ctx, tx, e.id); err != nil {
				return err
			}
		}
	}
	return i.remember(ctx, tx)
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
	if err == nil && i.Format == "csv" { // without ids, the same name and begin is the same event
		var same []string
		same, err = i.sameEvents(ctx, tx)
		known = append(known, same...)
	}
	here := make(map[string]bool, len(known))
	for _, id := range known {
		here[id] = true
	}
	i.known = len(here)
	i.events = slices.DeleteFunc(i.events, func(e imported) bool { return here[e.id] })
	return err
}

// sameEvents returns the ids of the rows of a table that are here under another id.
func (i *importing) sameEvents(ctx context.Context, tx sdk.Querier) ([]string, error) {
	columns := make([][]string, 3)
	for _, e := range i.events {
		for at, value := range []string{e.id, e.title, e.start.Format(clockForm)} {
			columns[at] = append(columns[at], value)
		}
	}
	return sdk.Select[string](ctx, tx, `
		SELECT DISTINCT row.id
		FROM unnest($1::text[], $2::text[], $3::text[]) AS row (id, title, starts)
		JOIN events e ON e.title = row.title AND e.starts = row.starts::timestamp
		WHERE e.deleted_at IS NULL AND e.id <> row.id::uuid`, columns[0], columns[1], columns[2])
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

// taken leaves events out whose rooms are taken.
func (i *importing) taken(ctx context.Context, tx sdk.Querier) error {
	ids := make([]string, len(i.events))
	for at, e := range i.events {
		ids[at] = e.id
	}
	gone, err := sdk.Select[string](ctx, tx, `
		SELECT DISTINCT event_id::text FROM bookings WHERE NOT held AND event_id = ANY ($1::text[]::uuid[])`, ids)
	if err != nil {
		return err
	}
	by, err := readTaken(ctx, tx, `w.event_id = ANY ($1::text[]::uuid[])`, gone)
	if err != nil {
		return err
	}
	inTheWay := make(map[string]string)
	for _, t := range by {
		inTheWay[t.Wanted] = t.Title + ", " + strings.ReplaceAll(t.From, "T", " ")
	}
	i.events = slices.DeleteFunc(i.events, func(e imported) bool {
		waits := slices.Contains(gone, e.id)
		if waits {
			i.leaveOut(e.from, errRoomTaken.Code(), "rooms", inTheWay[e.id])
		}
		return waits
	})
	_, err = tx.Exec(ctx, `DELETE FROM events WHERE id = ANY ($1::text[]::uuid[])`, gone)
	return err
}
