package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// Bounds of one import.
const (
	maxImport          = 4 << 20 // bytes
	maxImported        = 5000    // events
	maxImportedDates   = 50000   // occurrences of all events together
	errTooManyImported = sdk.Error("TOO_MANY")
)

// entry is an event in a file, or an exceptional date of an event.
type entry struct {
	line        int
	id          string
	title, text string
	start, end  string
	rule        string
	rooms       []string
	dates       []entry
	row         []string // as it stands in the file, of a table

	date      time.Time
	cancelled bool
}

// outcome is what an import changes, or would change.
type outcome struct {
	Events int `json:"events"`
	Rooms  int `json:"rooms"`
	Known  int `json:"known"` // events that exist already and are not changed
	sdk.Exchange
}

// importFile imports ?format=json, csv or ics.
func (c *calendar) importFile(ctx context.Context, r *http.Request) (any, error) {
	exchange, err := sdk.ReadExchange(r, "json", "csv", "ics")
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	rooms, err := readRooms(ctx, c.db)
	if err != nil {
		return nil, err
	}
	i := importing{Exchange: &exchange, calendar: c, ids: make(map[string]int64)}
	var known []string
	for _, room := range rooms {
		known, i.ids[room.Name] = append(known, room.Name), room.ID
	}
	var entries []entry
	switch exchange.Format {
	case "json":
		entries = i.entriesOfJSON(content)
	case "csv":
		entries = i.entriesOfCSV(content)
	case "ics":
		entries = i.entriesOfICS(content, known, c.unnamed(ctx))
	}
	err = i.check(ctx, entries)
	if err == nil && i.ProblemCount == 0 {
		err = c.change(ctx, func(tx *sdk.Tx) error { return i.Keep(i.write(ctx, tx)) })
	}
	answer := &outcome{Events: len(i.events), Rooms: len(i.newRooms), Known: i.known, Exchange: exchange}
	return answer.Answer(answer, err)
}

// unnamed returns the title of an event that has none in its file.
func (c *calendar) unnamed(ctx context.Context) string {
	if house, err := c.host.House(ctx); err == nil && house.Language == "de" {
		return "Termin"
	}
	return "Event"
}

// entriesOfJSON reads an archive. All rooms that it contains are created, even those without events.
func (i *importing) entriesOfJSON(content []byte) (entries []entry) {
	var a archive
	err := json.Unmarshal(content, &a, json.RejectUnknownMembers(true))
	if err != nil || a.Format != archiveFormat {
		i.Problem(1, "FILE_INVALID")
		return nil
	}
	if wrong, ok := i.needRooms(a.Rooms); !ok {
		i.Problem(0, "ROOM_INVALID", wrong)
	}
	for _, s := range a.Services {
		_, ok := i.needRooms(s.Rooms)
		if !ok || !sdk.IsID(s.ID) || s.Minutes < 0 || s.Minutes > longestLength || len(s.Rooms) > maxEventRooms {
			i.Problem(1, "FILE_INVALID")
			return nil
		}
	}
	i.services = a.Services
	for number, e := range a.Events {
		one := entry{line: number + 1, id: e.ID, title: e.Title, text: e.Text, start: e.Start, end: e.End,
			rule: e.Rule, rooms: e.Rooms}
		for _, x := range e.Dates {
			date, err := time.Parse(clockForm, x.Date)
			if err != nil {
				i.leaveOut(one, "EVENT_INVALID", "", x.Date)
				continue
			}
			one.dates = append(one.dates, entry{date: date, cancelled: x.Cancelled, title: x.Title, text: x.Text,
				start: x.Start, end: x.End, rooms: x.Rooms})
		}
		entries = append(entries, one)
	}
	return entries
}

// entriesOfCSV reads a table whose first line names its columns.
func (i *importing) entriesOfCSV(content []byte) (entries []entry) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	reader := csv.NewReader(bytes.NewReader(content))
	head, _, _ := bytes.Cut(content, []byte("\n"))
	if bytes.Count(head, []byte(";")) > bytes.Count(head, []byte(",")) {
		reader.Comma = ';'
	}
	names, err := reader.Read()
	columns := make(map[string]int)
	for at, name := range names {
		columns[strings.ToLower(strings.TrimSpace(name))] = at
	}
	for _, needed := range csvColumns[:3] {
		if _, is := columns[needed]; !is || err != nil {
			i.Problem(1, "FILE_INVALID")
			return nil
		}
	}
	for {
		row, err := reader.Read()
		if err == io.EOF {
			return entries
		}
		if err != nil || len(entries) > maxImported {
			i.Problem(0, "FILE_INVALID")
			return nil
		}
		line, _ := reader.FieldPos(0)
		cell := func(name string) string {
			at, is := columns[name]
			if !is {
				return ""
			}
			return fromText(row[at])
		}
		one := entry{line: line, title: cell("title"), text: cell("text"), start: cell("start"), end: cell("end"),
			rule: cell("rule")}
		one.id = uuid.NewSHA1(uuid.NameSpaceURL, []byte("csv:"+strings.Join(row, "\x00"))).String()
		if list := cell("rooms"); list != "" {
			if one.rooms, err = csv.NewReader(strings.NewReader(list)).Read(); err != nil {
				i.Problem(line, "ROOM_INVALID")
			}
		}
		entries = append(entries, one)
	}
}
