package main

import (
	"fmt"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// TestUndoOfAnImport: an import can be undone as a whole for a day, with the rooms that it made; what was
// changed since stays. Afterwards the file can be imported again.
func TestUndoOfAnImport(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	own := s.write(t, "POST", "/events", event1("Choir", soon(7)+"T10:00", soon(7)+"T11:00", "", 1), 201)
	file := fmt.Sprintf("title,start,end,rooms\nFete,%[1]sT10:00,%[1]sT11:00,Garden\n"+
		"Tea,%[1]sT12:00,%[1]sT13:00,\nBand,%[1]sT14:00,%[1]sT15:00,Hall\n", soon(13))
	imports := func() (all struct{ Imports []sdk.PastImport }) {
		s.office.Do("GET", "/imports", nil).JSON(&all)
		return all
	}
	if s.send(t, "preview=1&format=csv", file); len(imports().Imports) != 0 {
		t.Error("a preview can be undone")
	}
	s.send(t, "format=csv", file)
	var changed string
	for _, o := range s.seen(t, soon(13), soon(14)).Occurrences {
		if o.Title == "Tea" {
			changed = o.Event
		}
	}
	tea := event1("Tea for all", soon(13)+"T12:00", soon(13)+"T13:00", "")
	s.write(t, "PUT", "/events/"+changed, with(tea, 1), 200)
	s.send(t, "format=csv", file) // which changes nothing
	all := imports().Imports
	if len(all) != 1 || all[0].Counts["events"] != 3 || all[0].Counts["rooms"] != 1 {
		t.Fatalf("imports %+v, want one with three events and a room", all)
	}
	var done sdk.Undone
	s.office.Do("DELETE", "/imports/"+all[0].ID, nil).JSON(&done)
	if got := fmt.Sprint(done); got != "{3 0 1 [Tea for all]}" {
		t.Errorf("undone: %s, want two events and a room removed, and one event named that stays", got)
	}
	w := s.seen(t, soon(0), soon(20))
	if len(w.Occurrences) != 2 || w.Occurrences[0].Event != own.ID || w.Occurrences[1].Title != "Tea for all" ||
		len(w.Rooms) != 2 {
		t.Errorf("afterwards %v, rooms %v; want the own event, the changed one, two rooms", w.days(), w.Rooms)
	}
	s.write(t, "DELETE", "/imports/"+all[0].ID, "", 404)
	if got, _ := s.send(t, "format=csv", file); got.Events != 2 || got.Known != 1 {
		t.Errorf("the file once more: %+v, want two events again", got)
	}
	if _, err := s.module.db.Exec(t.Context(), `UPDATE imports SET at = at - interval '25 hours'`); err != nil {
		t.Fatal(err)
	}
	var late string
	if err := s.module.db.QueryRow(t.Context(), `SELECT id::text FROM imports`).Scan(&late); err != nil {
		t.Fatal(err)
	}
	s.write(t, "DELETE", "/imports/"+late, "", 404)
	if n := len(s.seen(t, soon(13), soon(14)).Occurrences); n != 3 || len(imports().Imports) != 0 {
		t.Errorf("after a day: %d events and imports %+v, want nothing undone", n, imports())
	}
	if err := s.module.moveHorizon(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := s.module.db.QueryRow(t.Context(), `SELECT id::text FROM imports`).Scan(&late)
	if err == nil {
		t.Error("an import is remembered for more than a day")
	}
}

// TestTableOfUnknownColumns: a table whose headings nobody knows comes in with the columns that a person has
// chosen, also without any headings, and with the order of day and month that they have said.
func TestTableOfUnknownColumns(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	const file = "3/4/2099;19:00;Choir\n4/4/2099;20:00;Band\n"
	asked, _ := s.send(t, "preview=1&format=csv", file)
	if asked.ProblemCount != 1 || asked.Problems[0].Code != "COLUMNS_UNKNOWN" || asked.Table == nil ||
		len(asked.Table.Rows) != 2 || len(asked.Table.Needed) != 2 {
		t.Fatalf("preview: %+v, want the question which column is which, with two rows", asked)
	}
	const chosen = "&columns=above:0,start:0,starttime:1,title:2"
	if got, _ := s.send(t, "preview=1&format=csv"+chosen, file); got.ProblemCount != 1 ||
		got.Problems[0].Code != "DATES_AMBIGUOUS" {
		t.Errorf("preview with a choice: %+v, want the question for the order of day and month", got.Problems)
	}
	if got, status := s.send(t, "format=csv&dates=dmy"+chosen, file); status != 200 || got.Events != 2 ||
		got.Table != nil || got.Examples[0] != (example{"Choir", "2099-04-03T19:00"}) {
		t.Errorf("import with both: status %d, %+v, want two events in April", status, got)
	}
	if got, _ := s.send(t, "format=csv&dates=dmy"+chosen, file); got.Events != 0 || got.Known != 2 {
		t.Errorf("the same again: %+v, want nothing new", got)
	}
	s.write(t, "POST", "/events", event1("By hand", "2099-04-05T19:00", "2099-04-05T20:00", ""), 201)
	if got, _ := s.send(t, "format=csv&dates=dmy"+chosen, "5/4/2099;19:00;By hand\n"); got.Events != 0 ||
		got.Known != 1 {
		t.Errorf("what somebody has written by hand: %+v, want nothing new", got)
	}
}
