package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// maxExported bounds the events in one response.
const maxExported = 20000

// archive is the whole calendar as JSON. It contains the names of rooms instead of ids, so that another
// installation can import it.
type archive struct {
	Format string         `json:"format"`
	Zone   string         `json:"zone"`
	Rooms  []string       `json:"rooms"`
	Events []archiveEvent `json:"events"`
	// Services are what the calendar adds to services, which the module that plans them exports itself.
	Services []archiveService `json:"services,omitempty"`
}

// archiveFormat identifies the file's format and its version.
const archiveFormat = "narthex-calendar-1"

type archiveEvent struct {
	ID     string        `json:"id"`
	Title  string        `json:"title"`
	Text   string        `json:"text,omitempty"`
	Start  string        `json:"start"`
	End    string        `json:"end"`
	Rule   string        `json:"rule,omitempty"`
	Rooms  []string      `json:"rooms,omitempty"`
	Dates  []archiveDate `json:"dates,omitempty"` // exceptional dates
	SignUp *archiveSheet `json:"signUp,omitempty"`
	// DateSignUps are those of dates of a series, also of dates that it has no more.
	DateSignUps []*archiveSheet `json:"dateSignUps,omitempty"`
}

// archiveService has the length in minutes, or 0 if it was not chosen here.
type archiveService struct {
	ID      string        `json:"id"`
	Minutes int64         `json:"minutes,omitempty"`
	Rooms   []string      `json:"rooms,omitempty"`
	SignUp  *archiveSheet `json:"signUp,omitempty"`
}

type archiveDate struct {
	Date      string   `json:"date"`
	Cancelled bool     `json:"cancelled,omitempty"`
	Title     string   `json:"title,omitempty"`
	Text      string   `json:"text,omitempty"`
	Start     string   `json:"start,omitempty"`
	End       string   `json:"end,omitempty"`
	Rooms     []string `json:"rooms,omitempty"`
}

// everything is the data for all formats of export.
type everything struct {
	zone       zone
	rooms      []room
	events     []*event
	exceptions map[string][]exception
	ownLength  []string                 // ids of services whose length was chosen here
	sheets     map[string]archiveSheets // only for the archive
}

func (c *calendar) readEverything(ctx context.Context) (*everything, error) {
	all := &everything{zone: c.zone(), exceptions: make(map[string][]exception)}
	var err error
	if all.rooms, err = c.rooms.All(ctx, c.db); err != nil {
		return nil, err
	}
	c.caughtUp(ctx)
	all.ownLength, err = sdk.Select[string](ctx, c.db, `SELECT id::text FROM events WHERE own_length`)
	if err != nil {
		return nil, err
	}
	all.events, err = sdk.SelectBy(ctx, c.db, func(row sdk.Scanner, e **event) (err error) {
		*e, err = scanEvent(row)
		return err
	}, `
		SELECT `+eventColumns+` 
		FROM events
		WHERE deleted_at IS NULL
			AND (service_rev IS NULL OR EXISTS (SELECT FROM occurrences WHERE event_id = events.id))
		ORDER BY starts, id
		LIMIT $1`, maxExported)
	if err != nil {
		return nil, err
	}
	type exceptional struct {
		event string
		exception
	}
	exceptions, err := sdk.SelectBy(ctx, c.db, func(row sdk.Scanner, x *exceptional) error {
		return scanException(after{row, &x.event}, &x.exception)
	}, `SELECT event_id::text, `+exceptionColumns+` FROM exceptions ORDER BY event_id, recurrence`)
	allDay := make(map[string]bool, len(all.events))
	for _, e := range all.events {
		allDay[e.id] = e.allDay
	}
	for _, x := range exceptions {
		x.allDay = allDay[x.event]
		all.exceptions[x.event] = append(all.exceptions[x.event], x.exception)
	}
	return all, err
}

// names returns the names of rooms, in the order of the rooms.
func (all *everything) names(ids []int64) (names []string) {
	for _, id := range ids {
		for _, room := range all.rooms {
			if room.ID == id {
				names = append(names, room.Name)
			}
		}
	}
	return names
}

func (all *everything) archive() archive {
	a := archive{Format: archiveFormat, Zone: all.zone.place.String(), Rooms: []string{},
		Events: []archiveEvent{}}
	for _, room := range all.rooms {
		a.Rooms = append(a.Rooms, room.Name)
	}
	for _, e := range all.events {
		if e.service {
			a.add(all, e)
			continue
		}
		one := archiveEvent{ID: e.id, Title: e.title, Text: e.text, Rule: e.rule, Rooms: all.names(e.rooms)}
		one.Start, one.End = e.times.text(all.zone)
		for _, x := range all.exceptions[e.id] {
			date := archiveDate{Date: x.recurrence.Format(clockForm), Cancelled: x.cancelled}
			if !x.cancelled {
				date.Title, date.Text, date.Rooms = x.title, x.text, all.names(x.rooms)
				date.Start, date.End = x.times.text(all.zone)
			}
			one.Dates = append(one.Dates, date)
		}
		one.SignUp, one.DateSignUps = all.sheets[e.id].own, all.sheets[e.id].dates
		a.Events = append(a.Events, one)
	}
	return a
}

// add adds a service, if there is something to be kept of it here.
func (a *archive) add(all *everything, e *event) {
	one := archiveService{ID: e.id, Rooms: all.names(e.rooms), SignUp: all.sheets[e.id].own}
	if slices.Contains(all.ownLength, e.id) {
		one.Minutes = e.minutes
	}
	if one.Minutes > 0 || len(one.Rooms) > 0 || one.SignUp != nil {
		a.Services = append(a.Services, one)
	}
}

func (c *calendar) exportJSON(ctx context.Context, _ *http.Request) (any, error) {
	all, err := c.readEverything(ctx)
	if err != nil {
		return nil, err
	}
	if all.sheets, err = readSheets(ctx, c.db); err != nil {
		return nil, err
	}
	return sdk.Download("calendar.json", "application/json", all.archive()), nil
}

// The headings of the table, which the import knows in both languages.
var (
	csvColumns = []string{"title", "start", "end", "rule", "rooms", "text"}
	csvGerman  = []string{"Titel", "Beginn", "Ende", "Regel", "Räume", "Beschreibung"}
)

// exportCSV writes a table for spreadsheets of the house's language: German ones part cells by semicolons. It
// does not contain exceptional dates.
func (c *calendar) exportCSV(ctx context.Context, _ *http.Request) (any, error) {
	all, err := c.readEverything(ctx)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	body.WriteString("\ufeff") // so that spreadsheets read UTF-8
	writer := csv.NewWriter(&body)
	writer.UseCRLF = true
	rows := [][]string{csvColumns}
	house, err := c.host.House(ctx)
	if err != nil {
		return nil, err
	}
	if house.Language == "de" {
		rows, writer.Comma = [][]string{csvGerman}, ';'
	}
	for _, e := range all.events {
		if e.service {
			continue // an import would make an event of it
		}
		start, end := e.times.text(all.zone)
		start, end = strings.Replace(start, "T", " ", 1), strings.Replace(end, "T", " ", 1)
		rows = append(rows, []string{e.title, start, end, e.rule, csvLine(all.names(e.rooms)), e.text})
	}
	for _, row := range rows {
		guarded := make([]string, len(row))
		for i := range row {
			guarded[i] = asText(row[i])
		}
		if err := writer.Write(guarded); err != nil {
			return nil, err
		}
	}
	writer.Flush()
	return sdk.Download("calendar.csv", "text/csv; charset=utf-8", &body), writer.Error()
}

// csvLine writes a list into one cell, as a line of CSV.
func csvLine(values []string) string {
	var line strings.Builder
	writer := csv.NewWriter(&line)
	_ = writer.Write(values) // writing to a strings.Builder cannot fail
	writer.Flush()
	return strings.TrimSuffix(line.String(), "\n")
}

// formulas are the first characters of a cell that a spreadsheet would interpret as a formula.
const formulas = "=+-@\t\r"

// asText puts an apostrophe before a cell that a spreadsheet would interpret as a formula, or that begins
// with such an apostrophe.
func asText(cell string) string {
	if rest := strings.TrimLeft(cell, "'"); rest != "" && strings.ContainsRune(formulas, rune(rest[0])) {
		return "'" + cell
	}
	return cell
}

// feed is the calendar for other programs, which fetch it again and again. ?room= has one room alone.
func (c *calendar) feed(ctx context.Context, r *http.Request) ([]byte, error) {
	query, err := sdk.Query(r, "room")
	if err != nil {
		return nil, err
	}
	if err := c.followZone(ctx); err != nil {
		return nil, err
	}
	all, err := c.readEverything(ctx)
	if err != nil {
		return nil, err
	}
	house, err := c.host.House(ctx)
	if err != nil {
		return nil, err
	}
	name, only := house.Name, int64(0)
	if text, asked := query["room"]; asked {
		at := slices.IndexFunc(all.rooms, func(one room) bool { return strconv.FormatInt(one.ID, 10) == text })
		if at < 0 {
			return nil, errNoRoom
		}
		name, only = all.rooms[at].Name, all.rooms[at].ID
	}
	return all.ics(name, only, time.Now()), nil
}
