package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
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
	maxImport            = 4 << 20 // bytes
	maxImported          = 5000    // events
	maxImportedDates     = 50000   // occurrences of all events together
	maxProblems          = 10      // reported at most
	errTooManyImported   = sdk.Error("TOO_MANY")
	errImportOnlyPreview = sdk.Error("PREVIEW")
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

	date      time.Time
	cancelled bool
}

// problem is a reason why a file cannot be imported.
type problem struct {
	Line   int    `json:"line"`
	Code   string `json:"code"`
	Detail string `json:"detail,omitempty"`
}

// outcome is what an import changes, or would change.
type outcome struct {
	Code     string    `json:"code,omitempty"`
	Events   int       `json:"events"`
	Rooms    int       `json:"rooms"`
	Known    int       `json:"known"` // events that exist already and are not changed
	Problems []problem `json:"problems"`
	Count    int       `json:"problemCount"`
}

// importFile imports ?format=json, csv or ics. With ?preview=1 it rolls everything back.
func (c *calendar) importFile(ctx context.Context, r *http.Request) (any, error) {
	asked, err := sdk.Query(r, "format", "preview")
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
	i := importing{calendar: c, ids: make(map[string]int64)}
	var known []string
	for _, room := range rooms {
		known, i.ids[room.Name] = append(known, room.Name), room.ID
	}
	var entries []entry
	switch asked["format"] {
	case "json":
		entries, i.problems = i.entriesOfJSON(content)
	case "csv":
		entries, i.problems = entriesOfCSV(content)
	case "ics":
		entries, i.problems = entriesOfICS(string(content), c.zone, known)
	default:
		return nil, sdk.ErrRequestInvalid
	}
	err = i.check(ctx, entries)
	if err == nil && len(i.problems) == 0 {
		err = c.change(ctx, func(tx *sdk.Tx) error {
			if err := i.write(ctx, tx); err != nil {
				return err
			}
			if asked["preview"] == "1" || len(i.problems) > 0 {
				return errImportOnlyPreview
			}
			return nil
		})
	}
	if err != nil && !errors.Is(err, errImportOnlyPreview) {
		return nil, err
	}
	result := outcome{Events: len(i.events), Rooms: len(i.newRooms), Known: i.known, Count: len(i.problems),
		Problems: append([]problem{}, i.problems[:min(len(i.problems), maxProblems)]...)}
	if len(i.problems) > 0 && asked["preview"] != "1" {
		result.Code = "IMPORT_INVALID"
		return sdk.Response{Status: http.StatusBadRequest, Body: result}, nil
	}
	return result, nil
}

// entriesOfJSON reads an archive. All rooms that it contains are created, even those without events.
func (i *importing) entriesOfJSON(content []byte) (entries []entry, problems []problem) {
	var a archive
	err := json.Unmarshal(content, &a, json.RejectUnknownMembers(true))
	if err != nil || a.Format != archiveFormat {
		return nil, []problem{{Line: 1, Code: "FILE_INVALID"}}
	}
	i.needRooms(0, a.Rooms)
	for number, e := range a.Events {
		one := entry{line: number + 1, id: e.ID, title: e.Title, text: e.Text, start: e.Start, end: e.End,
			rule: e.Rule, rooms: e.Rooms}
		for _, x := range e.Dates {
			date, err := time.Parse(clockForm, x.Date)
			if err != nil {
				problems = append(problems, problem{Line: number + 1, Code: "EVENT_INVALID"})
			}
			one.dates = append(one.dates, entry{date: date, cancelled: x.Cancelled, title: x.Title, text: x.Text,
				start: x.Start, end: x.End, rooms: x.Rooms})
		}
		entries = append(entries, one)
	}
	return entries, problems
}

// entriesOfCSV reads a table whose first line names its columns.
func entriesOfCSV(content []byte) (entries []entry, problems []problem) {
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
			return nil, []problem{{Line: 1, Code: "FILE_INVALID"}}
		}
	}
	for {
		row, err := reader.Read()
		if err == io.EOF {
			return entries, problems
		}
		line, _ := reader.FieldPos(0)
		if err != nil || len(entries) > maxImported {
			return nil, append(problems, problem{Line: line, Code: "FILE_INVALID"})
		}
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
				problems = append(problems, problem{Line: line, Code: "ROOM_INVALID"})
			}
		}
		entries = append(entries, one)
	}
}
