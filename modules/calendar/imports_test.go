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
