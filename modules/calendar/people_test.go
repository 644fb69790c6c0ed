package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPeople: a writer's export contains their events; after an erasure the writer's id is gone.
func TestPeople(t *testing.T) {
	t.Parallel()
	s := start(t, "UTC")
	e := s.write(t, "POST", "/events", event1("Choir", soon(1)+"T10:00", soon(1)+"T11:00", ""), 201)
	for _, want := range [][]written{{{ID: e.ID, Title: "Choir"}}, {}} {
		var data struct{ EventsLastWritten []written }
		if err := s.Export(s.office.ID, &data); err != nil || !slices.Equal(data.EventsLastWritten, want) {
			t.Errorf("export: %+v, error %v; want %+v", data, err, want)
		}
		if err := s.Erase(s.office.ID); err != nil {
			t.Error(err)
		}
	}
	if got := s.seen(t, soon(0), soon(3)); len(got.Occurrences) != 1 {
		t.Errorf("after its writer was erased: %v, want the event", got.days())
	}
}

// TestFollowers: people and screens are notified of every change, each with their own permission.
func TestFollowers(t *testing.T) {
	t.Parallel()
	s := start(t, "UTC")
	screen, member := s.Device(viewDisplay), s.Person()
	wall, page := screen.Subscribe(todayChannel), member.Subscribe(eventsChannel)
	var today shownToday
	wall.JSON(&today)
	if page.Body != `{"rev":3}` || len(today.Rooms) != 2 || len(today.Occurrences) > 0 {
		t.Errorf("snapshots: %s and %s, want a rev, and two rooms without events", page.Body, wall.Body)
	}
	e := s.write(t, "POST", "/events", event1("Choir", soon(1)+"T10:00", soon(1)+"T11:00", "", 1), 201)
	s.write(t, "DELETE", "/events/"+e.ID, "", 204)
	for name, follower := range map[string]interface{ Update() string }{"wall": wall, "page": page} {
		if first, second := follower.Update(), follower.Update(); first == second ||
			!strings.HasPrefix(first, `{"rev":`) {
			t.Errorf("the %s is told %s and %s, want two revs", name, first, second)
		}
	}
	for what, status := range map[string]int{
		"a screen follows the people":  screen.Subscribe(eventsChannel).Status,
		"a person follows the screens": member.Subscribe(todayChannel).Status,
		"a screen reads events":        screen.Do("GET", "/occurrences?from=2027-01-01&to=2027-01-02", nil).Status,
		"a member exports":             member.Do("GET", "/export", nil).Status,
		"a member imports":             member.Do("POST", "/import?format=csv", `{}`).Status,
	} {
		if status != http.StatusForbidden {
			t.Errorf("%s: %d, want 403", what, status)
		}
	}
	if got := member.Do("GET", "/calendar.ics", nil).Status; got != http.StatusOK {
		t.Errorf("a member saves the calendar file: %d, want 200", got)
	}
	if got := s.Visitor().Do("GET", "/calendar.ics", nil).Status; got != http.StatusUnauthorized {
		t.Errorf("a visitor asks for the calendar file: %d, want 401", got)
	}
}

// TestWhatIsKeptOfAWriter: an event that was deleted, and can be brought back, and a service whose room was
// booked here, also when it is cancelled later, are in the export of whoever wrote them last, and an erasure
// reaches both. A deleted event and a cancelled service are in no export of the calendar.
func TestWhatIsKeptOfAWriter(t *testing.T) {
	t.Parallel()
	s, p, office := startWithServices(t)
	at := comingSunday()
	p.set(morning, "Morning", at, 72)
	rev := s.seen(t, soon(0), soon(60)).Occurrences[0].Rev
	booked := event1("Morning", clock(at), clock(at.Add(90*time.Minute)), "", 1)
	s.write(t, "PUT", "/services/"+morning, with(booked, rev), http.StatusOK)
	e := s.write(t, "POST", "/events", event1("Choir", soon(1)+"T10:00", soon(1)+"T11:00", ""), 201)
	s.write(t, "DELETE", "/events/"+e.ID+"?rev=1", "", 204)
	p.mu.Lock()
	p.put(morning, "Morning", at, 72, true)
	p.mu.Unlock()
	got := office.Do("GET", "/export", nil).Body
	if strings.Contains(got, e.ID) || strings.Contains(got, morning) {
		t.Errorf("the export is %s, want neither what is deleted nor what is cancelled", got)
	}
	for _, want := range []string{"Choir Morning ", ""} {
		var data struct{ EventsLastWritten []written }
		titles := ""
		err := s.Export(office.ID, &data)
		for _, one := range data.EventsLastWritten {
			titles += one.Title + " "
		}
		if err != nil || titles != want {
			t.Errorf("the writer's export has %q, %v; want %q", titles, err, want)
		}
		if err := s.Erase(office.ID); err != nil {
			t.Error(err)
		}
	}
	var writers int
	err := s.module.db.QueryRow(t.Context(), `SELECT count(changed_by) FROM events`).Scan(&writers)
	if err != nil || writers != 0 {
		t.Errorf("%d events have a writer after the erasure, %v; want none", writers, err)
	}
}
