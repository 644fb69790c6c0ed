package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// days returns the days of all occurrences, with time and title.
func (w shownWindow) days() (all []string) {
	for _, o := range w.Occurrences {
		all = append(all, o.Start+" "+o.Title)
	}
	return all
}

// TestOneDate: one date of a series is moved, cancelled and restored, and the others do not change.
func TestOneDate(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	first, second, third := soon(7), soon(14), soon(21)
	e := s.write(t, "POST", "/events", event1("Choir", first+"T10:00", first+"T11:00", "FREQ=WEEKLY", 1), 201)
	s.write(t, "POST", "/events", event1("Fete", third+"T15:00", third+"T16:00", "", 2), 201)
	root := "/events/" + e.ID + "/dates/"
	seen := func(step string, want ...string) {
		t.Helper()
		if got := s.seen(t, first, soon(22)).days(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", step, got, want)
		}
	}
	moved := with(event1("Choir outside", second+"T18:00", second+"T19:00", ""), 1)
	s.write(t, "PUT", root+second+"T10:00", moved, 200)
	seen("moved", first+"T10:00 Choir", second+"T18:00 Choir outside", third+"T10:00 Choir", third+"T15:00 Fete")
	s.write(t, "POST", root+third+"T10:00/cancel", `{"rev":1}`, 409) // the writer saw an older rev
	s.write(t, "POST", root+third+"T10:00/cancel", `{"rev":2}`, 200)
	seen("cancelled", first+"T10:00 Choir", second+"T18:00 Choir outside", third+"T15:00 Fete")
	s.write(t, "POST", root+third+"T10:00/cancel", `{"rev":3}`, 404)
	s.write(t, "POST", root+soon(15)+"T10:00/cancel", `{"rev":3}`, 404)
	s.write(t, "POST", root+third+"T10:00/restore", `{"rev":3}`, 200)
	onFete := with(event1("Choir", third+"T15:30", third+"T16:30", "", 2), 4)
	s.write(t, "PUT", root+third+"T10:00", onFete, 409)
	var shown shownEvent
	s.office.Do("GET", "/events/"+e.ID, nil).JSON(&shown)
	if shown.Rev != 4 || !slices.Equal(shown.Moved, []string{second + "T10:00"}) || len(shown.Cancelled) > 0 {
		t.Errorf("the event: %+v, want rev 4 and one moved date", shown)
	}
	// the whole series moves by an hour, but the date that was moved before does not change
	later := with(event1("Choir", first+"T11:00", first+"T12:00", "FREQ=WEEKLY", 1), 4)
	s.write(t, "PUT", "/events/"+e.ID, later, 200)
	seen("later", first+"T11:00 Choir", second+"T18:00 Choir outside", third+"T11:00 Choir", third+"T15:00 Fete")
}

// TestFollowing: a series is changed from one date on; its count continues.
func TestFollowing(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	first, second, third, fourth := soon(7), soon(14), soon(21), soon(28)
	choir := event1("Choir", first+"T10:00", first+"T11:00", "FREQ=WEEKLY;COUNT=4", 1)
	e := s.write(t, "POST", "/events", choir, 201)
	cancelled := "/events/" + e.ID + "/dates/" + third + "T10:00/cancel"
	s.write(t, "POST", cancelled, `{"rev":1}`, 200)
	later := with(event1("Choir", second+"T20:00", second+"T21:00", "FREQ=WEEKLY;COUNT=4", 1), 2)
	s.write(t, "PUT", "/events/"+e.ID+"/following/"+second+"T10:00", later, 200)
	want := []string{first + "T10:00 Choir", second + "T20:00 Choir", fourth + "T20:00 Choir"}
	if got := s.seen(t, first, soon(60)).days(); !slices.Equal(got, want) {
		t.Errorf("after the second date has moved with all that follow: %v, want %v", got, want)
	}
	var rest shownEvent
	w := s.seen(t, second, third)
	s.office.Do("GET", "/events/"+w.Occurrences[0].Event, nil).JSON(&rest)
	if rest.Rule != "FREQ=WEEKLY;COUNT=3" || len(rest.Cancelled) != 1 || rest.ID == e.ID {
		t.Errorf("the rest of the series: %+v, want another event, three times, one of them cancelled", rest)
	}
	end := fmt.Sprintf("/events/%s/following/%sT20:00/end", rest.ID, fourth)
	before := s.write(t, "POST", end, `{"rev":1}`, 200)
	if got := s.seen(t, first, soon(60)).days(); !slices.Equal(got, want[:2]) {
		t.Errorf("after the series has ended: %v, want %v", got, want[:2])
	}
	s.write(t, "PUT", "/events/"+rest.ID,
		with(event1("Choir", before.Start, before.End, before.Rule, 1), before.Rev), 200) // undoes it
	if got := s.seen(t, first, soon(60)).days(); !slices.Equal(got, want) {
		t.Errorf("after the end was undone: %v, want %v", got, want)
	}
}

// TestDeleted: a deleted event is restored completely, if its rooms are still free.
func TestDeleted(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	day := soon(7)
	e := s.write(t, "POST", "/events", event1("Choir", day+"T10:00", day+"T11:00", "FREQ=DAILY;COUNT=3", 1), 201)
	s.write(t, "POST", "/events/"+e.ID+"/dates/"+day+"T10:00/cancel", `{"rev":1}`, 200)
	s.write(t, "DELETE", "/events/"+e.ID, "", 204)
	s.write(t, "DELETE", "/events/"+e.ID, "", 404)
	if got := s.seen(t, day, soon(17)).days(); len(got) > 0 {
		t.Errorf("after it was deleted: %v, want nothing", got)
	}
	s.write(t, "POST", "/events/"+e.ID+"/restore", "{}", 200)
	if got := s.seen(t, day, soon(17)).days(); len(got) != 2 {
		t.Errorf("after it was restored: %v, want two dates", got)
	}
}

// TestAllDay: days include the last one, and a day on which the clock changes counts as one day.
func TestAllDay(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	s.write(t, "POST", "/events", event1("Camp", "2027-03-27", "2027-03-29", "", 1), 201)
	w := s.seen(t, "2027-03-29", "2027-03-30")
	if len(w.Occurrences) != 1 || w.Occurrences[0].Start != "2027-03-27" ||
		w.Occurrences[0].End != "2027-03-29" ||
		w.Occurrences[0].EndsAt.Sub(w.Occurrences[0].StartsAt).Hours() != 71 {
		t.Errorf("on the last day: %+v, want the camp, of 71 hours", w.Occurrences)
	}
	if w := s.seen(t, "2027-03-30", "2027-03-31"); len(w.Occurrences) > 0 {
		t.Errorf("on the day after: %+v, want nothing", w.Occurrences)
	}
}

// TestRefused: an invalid event changes nothing.
func TestRefused(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	for name, body := range map[string]string{
		"no title":           event1("  ", "2027-01-01T10:00", "2027-01-01T11:00", ""),
		"a long title":       event1(strings.Repeat("x", maxTitle+1), "2027-01-01T10:00", "2027-01-01T11:00", ""),
		"an end before":      event1("x", "2027-01-01T10:00", "2027-01-01T09:00", ""),
		"no length":          event1("x", "2027-01-01T10:00", "2027-01-01T10:00", ""),
		"a long one":         event1("x", "2027-01-01T10:00", "2028-01-03T10:00", ""),
		"a day and a time":   event1("x", "2027-01-01", "2027-01-01T10:00", ""),
		"the far future":     event1("x", "2400-01-01T10:00", "2400-01-01T11:00", ""),
		"a room twice":       event1("x", "2027-01-01T10:00", "2027-01-01T11:00", "", 1, 1),
		"a rule without end": event1("x", "2027-01-01T10:00", "2027-01-01T11:00", "FREQ=SECONDLY"),
		"more":               `{"title":"x","start":"2027-01-01T10:00","end":"2027-01-01T11:00","more":1}`,
		"itself in the way":  event1("x", soon(3)+"T10:00", soon(5)+"T10:00", "FREQ=DAILY;COUNT=2", 1),
	} {
		if got := s.office.Do("POST", "/events", body); got.Status != 400 && got.Status != 409 {
			t.Errorf("%s: %s, want a refusal", name, got)
		}
	}
	if got := s.Person().Do("POST", "/events", "{}"); got.Status != 403 {
		t.Errorf("POST /events as a member: %s, want 403", got)
	}
	for _, path := range []string{"", "?from=2027-01-01", "?from=2027-01-01&to=2027-01-01",
		"?from=2027-01-01&to=2028-01-01", "?from=x&to=y", "?from=2027-01-01&to=2027-01-02&more=1"} {
		if got := s.office.Do("GET", "/occurrences"+path, nil); got.Status != 400 {
			t.Errorf("GET /occurrences%s: %s, want 400", path, got)
		}
	}
	if w := s.seen(t, soon(0), soon(50)); len(w.Occurrences) > 0 || w.Rev != 4 { // from the zone and two rooms
		t.Errorf("afterwards: %+v, want nothing changed", w)
	}
}

// TestLengths: an event lasts from a minute to 366 days.
func TestLengths(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	for _, c := range []struct {
		from, until string
		status      int
	}{
		{"2027-01-01T10:00", "2027-01-01T10:00", 400}, {"2027-01-01T10:00", "2027-01-01T10:01", 201},
		{"2027-01-01T10:00", "2028-01-02T10:00", 201}, {"2027-01-01T10:00", "2028-01-02T10:01", 400},
		{"2027-01-02", "2027-01-01", 400}, {"2027-01-01", "2027-01-01", 201},
		{"2027-01-01", "2028-01-01", 201}, {"2027-01-01", "2028-01-02", 400},
	} {
		s.write(t, "POST", "/events", event1("Camp", c.from, c.until, ""), c.status)
	}
}
