package main

import (
	"encoding/csv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/files"
)

// tableColumns are the columns of a table of events, by the headings of the export, of Outlook, Google
// Calendar, Planning Center, ChurchTools, ChurchSuite and Elvanto, in English and German.
var tableColumns = files.Columns{
	"title": {"title", "subject", "event name", "event", "summary", "name", "titel", "betreff", "bezeichnung",
		"termin", "veranstaltung", "anlass"},
	"start": {"start", "starts at", "start date", "startdate", "date", "begin", "from", "beginnt am", "beginn",
		"startdatum", "datum", "von", "anfang", "tag"},
	"starttime": {"start time", "starttime", "time", "beginnt um", "startzeit", "uhrzeit", "zeit"},
	"end": {"end", "ends at", "end date", "enddate", "until", "to", "endet am", "ende", "enddatum", "bis",
		"datum bis"},
	"endtime": {"end time", "endtime", "endet um", "endzeit"},
	"allday":  {"all day event", "all day", "allday", "ganztägiges ereignis", "ganztägig"},
	"rule":    {"rule", "rrule", "regel"},
	"rooms":   {"rooms", "room", "räume", "raum"},
	"place":   {"location", "place", "resources", "ort", "ressourcen"},
	"text":    {"text", "description", "notes", "details", "beschreibung", "notiz", "bemerkung", "info"},
}

// eventTable is a table of events that is being read.
type eventTable struct {
	*files.Table
	importing *importing
	known     []string // names of rooms
	order     files.Order
}

// entriesOfTable reads a table of events.
func (i *importing) entriesOfTable(content []byte, known []string) (entries []entry) {
	read := i.ReadTable(content, sdk.ImportedColumns{Columns: tableColumns,
		Needed: [][]string{{"title"}, {"start"}}}, maxImported)
	if read == nil {
		return nil
	}
	t := &eventTable{read, i, known, files.Order(i.Dates)}
	if !t.ordered() {
		return nil
	}
	for _, row := range read.Rows {
		if one, ok := t.entry(row); ok {
			entries = append(entries, one)
		}
	}
	return entries
}

// ordered finds the order of day and month, unless somebody has said it.
func (t *eventTable) ordered() bool {
	if t.order != "" {
		return true
	}
	var dates []string
	for _, row := range t.Rows {
		dates = append(dates, t.Cell(row, "start"), t.Cell(row, "end"))
	}
	order, certain := files.OrderOf(dates)
	if t.order = order; certain {
		return true
	}
	t.importing.Problem(0, "DATES_AMBIGUOUS", dates[0])
	return false
}

// entry reads a row. The time of day may be in a cell of its own, and the end may be missing.
func (t *eventTable) entry(row files.Row) (e entry, ok bool) {
	e = entry{line: row.Line, row: row.Cells, title: oneLine(t.Cell(row, "title")),
		text: printable(t.Cell(row, "text")), rule: normalRule(t.Cell(row, "rule"))}
	allDay := isYes(t.Cell(row, "allday"))
	start, timed, ok := t.moment(t.Cell(row, "start"), t.Cell(row, "starttime"), time.Time{})
	if !ok {
		t.importing.leaveOut(e, "TIME_INVALID", "start",
			strings.TrimSpace(t.Cell(row, "start")+" "+t.Cell(row, "starttime")))
		return e, false
	}
	end, endTimed, ok := t.moment(t.Cell(row, "end"), t.Cell(row, "endtime"), start)
	if !ok {
		t.importing.leaveOut(e, "TIME_INVALID", "end",
			strings.TrimSpace(t.Cell(row, "end")+" "+t.Cell(row, "endtime")))
		return e, false
	}
	if allDay && endTimed && end.Equal(dayOf(end)) && end.After(start) {
		end = end.Add(-day) // the midnight after the last day
	}
	if timed = timed && !allDay; timed {
		if !endTimed {
			end = start.Add(time.Hour)
			t.importing.Note(sdk.Problem{Line: row.Line, Code: "LENGTH_ASSUMED"})
		}
		e.start, e.end = start.Format(clockForm), end.Format(clockForm)
	} else {
		e.start, e.end = start.Format(dayForm), end.Format(dayForm)
	}
	e.id = uuid.NewSHA1(uuid.NameSpaceURL, []byte("table:"+e.title+"\x00"+e.start)).String()
	e.rooms = roomsIn(t.Cell(row, "rooms"))
	e.place(oneLine(t.Cell(row, "place")), t.known)
	e.fit(func(code, found string) {
		t.importing.Note(sdk.Problem{Line: row.Line, Code: code, Detail: found})
	})
	return e, true
}

// moment reads a date and a time of day. A missing date is that of another moment.
func (t *eventTable) moment(date, clock string, other time.Time) (at time.Time, timed, ok bool) {
	if date == "" {
		at = dayOf(other)
		ok = !other.IsZero()
		if length, is := files.ParseClock(clock); is && ok {
			return at.Add(length), true, true
		}
		return at, false, ok && clock == ""
	}
	if at, timed, ok = files.ParseMoment(date, t.order, t.importing.calendar.zone().place); !ok {
		length, is := files.ParseClock(date) // a column of times of day only
		return dayOf(other).Add(length), true, is && !other.IsZero()
	}
	if clock == "" {
		return at, timed, true
	}
	length, ok := files.ParseClock(clock)
	return dayOf(at).Add(length), true, ok
}

// roomsIn returns the rooms in a cell, which the export writes as a line of CSV.
func roomsIn(cell string) (rooms []string) {
	names, err := csv.NewReader(strings.NewReader(cell)).Read()
	if err != nil {
		names = []string{cell}
	}
	for _, name := range names {
		if name = strings.TrimSpace(name); name != "" || len(names) > 1 {
			rooms = append(rooms, name)
		}
	}
	return rooms
}

// isYes reports whether a cell says yes, in the words of the programs.
func isYes(cell string) bool {
	switch strings.ToLower(cell) {
	case "true", "wahr", "yes", "ja", "x", "1", "ein", "on":
		return true
	}
	return false
}
