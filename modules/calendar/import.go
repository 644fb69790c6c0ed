package main

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

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
	sheets      archiveSheets
	row         []string // as it stands in the file, of a table

	date      time.Time
	cancelled bool
}

// outcome is what an import changes, or would change.
type outcome struct {
	Events int `json:"events"`
	Rooms  int `json:"rooms"`
	Known  int `json:"known"` // events that exist already and are not changed
	// Examples are the first events.
	Examples []example `json:"examples"`
	sdk.Exchange
}

type example struct {
	Title string `json:"title"`
	Start string `json:"start"` // a day or a time, in the house's local time
}

// importFile imports ?format=json, csv (a table of any kind) or ics.
func (c *calendar) importFile(ctx context.Context, r *http.Request) (any, error) {
	exchange, err := sdk.ReadExchange(r, "json", "csv", "ics")
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	rooms, err := c.rooms.All(ctx, c.db)
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
		entries = i.entriesOfTable(content, known)
	case "ics":
		entries = i.entriesOfICS(content, known, c.unnamed(ctx))
	}
	err = i.check(ctx, entries)
	if err == nil && i.ProblemCount == 0 {
		err = c.change(ctx, func(tx *sdk.Tx) error { return i.Keep(i.writeNew(ctx, tx)) })
	}
	answer := &outcome{Events: len(i.events), Rooms: len(i.newRooms), Known: i.known, Examples: []example{},
		Exchange: exchange}
	for _, e := range i.events[:min(len(i.events), 3)] {
		answer.Examples = append(answer.Examples, example{e.title, e.from.start})
	}
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
		if !ok || !sdk.IsID(s.ID) || s.Minutes < 0 || s.Minutes > longestLength || len(s.Rooms) > maxEventRooms ||
			s.SignUp != nil && !(archiveSheets{own: s.SignUp}).valid() {
			i.Problem(1, "FILE_INVALID")
			return nil
		}
	}
	i.services = a.Services
	for number, e := range a.Events {
		one := entry{line: number + 1, id: e.ID, title: e.Title, text: e.Text, start: e.Start, end: e.End,
			rule: e.Rule, rooms: e.Rooms, sheets: archiveSheets{e.SignUp, e.DateSignUps}}
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
