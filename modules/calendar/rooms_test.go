package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// TestBookedOnce: of fifty concurrent bookings of one room for one hour, in two processes, one succeeds.
func TestBookedOnce(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	other := &calendar{host: s.module.host, db: s.module.db}
	other.clock.zone.Store(s.module.clock.zone.Load())
	other.changes = s.module.host.Changes(nextRev)
	body := event1("Choir", soon(3)+"T10:00", soon(3)+"T11:00", "", 1)
	var all sync.WaitGroup
	var mu sync.Mutex
	got := map[int]int{}
	for n := range 50 {
		all.Go(func() {
			module := s.module
			if n%2 == 1 {
				module = other
			}
			request := httptest.NewRequest("POST", "/events", strings.NewReader(body))
			request.Header.Set("Content-Type", "application/json")
			result, err := module.create(t.Context(), request)
			response, is := result.(sdk.Response)
			if err != nil || !is {
				t.Errorf("booking %d: %v, error %v; want a response", n, result, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			got[response.Status]++
		})
	}
	all.Wait()
	if got[http.StatusCreated] != 1 || got[http.StatusConflict] != 49 {
		t.Errorf("50 bookings of one hour: %v, want one 201 and 49 times 409", got)
	}
	if w := s.seen(t, soon(3), soon(4)); len(w.Occurrences) != 1 || len(w.Occurrences[0].Rooms) != 1 {
		t.Errorf("afterwards there is %+v, want one event in one room", w.Occurrences)
	}
}

// TestConstraintHolds: the database refuses a double booking that a mistake in this module would allow.
func TestConstraintHolds(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	s.write(t, "POST", "/events", event1("Choir", soon(3)+"T10:00", soon(3)+"T11:00", "", 1), 201)
	e := s.write(t, "POST", "/events", event1("Band", soon(3)+"T10:30", soon(3)+"T11:30", ""), 201)
	_, err := s.module.db.Exec(t.Context(), `
		INSERT INTO bookings
		SELECT event_id, recurrence, 1, during, true FROM occurrences WHERE event_id = $1::uuid`,
		e.ID)
	if got := sdk.BrokenConstraint(err); got != "bookings_one_at_a_time" {
		t.Errorf("a second booking of a room, past the module: constraint %q (%v), want bookings_one_at_a_time",
			got, err)
	}
}

// TestTaken: a taken room is refused with the booking that has it. Times that only touch do not overlap.
func TestTaken(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	at := soon(5)
	s.write(t, "POST", "/events", event1("Choir", at+"T10:00", at+"T11:00", "FREQ=WEEKLY", 1, 2), 201)
	for name, c := range map[string]struct {
		from, until string
		rule        string
		room        int
		status      int
	}{
		"the hour before":         {"09:00", "10:00", "", 1, 201},
		"the hour after":          {"11:00", "12:00", "", 1, 201},
		"a minute too long":       {"09:30", "10:01", "", 2, 409},
		"within":                  {"10:15", "10:30", "", 2, 409},
		"around":                  {"09:30", "12:30", "", 2, 409},
		"another that repeats":    {"10:59", "11:30", "FREQ=DAILY;COUNT=3", 2, 409},
		"a room that there isn't": {"20:00", "21:00", "", 9, 400},
	} {
		got := s.office.Do("POST", "/events", event1(name, at+"T"+c.from, at+"T"+c.until, c.rule, c.room))
		if got.Status != c.status {
			t.Errorf("%s: %s, want %d", name, got, c.status)
		}
		if c.status == 409 && (!strings.Contains(got.Body, `"code":"ROOM_TAKEN"`) ||
			!strings.Contains(got.Body, `"title":"Choir"`) || !strings.Contains(got.Body, `"from":"`+at+`T10:00"`)) {
			t.Errorf("%s: %s, want what is in the way", name, got)
		}
	}
	if got := s.seen(t, at, soon(6)); len(got.Occurrences) != 3 {
		t.Errorf("%d events on the day, want the three that were let in", len(got.Occurrences))
	}
}

// TestWaiting: a booking whose room is taken when the horizon moves is shown as waiting, and gets the room as
// soon as it is free.
func TestWaiting(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	at, week := soon(5), soon(12)
	e := s.write(t, "POST", "/events", event1("Choir", at+"T10:00", at+"T11:00", "FREQ=WEEKLY", 1), 201)
	// as if the horizon had been a week ahead
	for _, statement := range []string{
		`DELETE FROM occurrences WHERE starts > '` + at + `T23:00'`,
		`UPDATE events SET built_until = '` + soon(6) + `'`,
	} {
		if _, err := s.module.db.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	fete := s.write(t, "POST", "/events", event1("Fete", week+"T10:30", week+"T12:00", "", 1), 201)
	if err := s.module.moveHorizon(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := s.seen(t, week, soon(13))
	if len(w.Occurrences) != 2 || w.Waiting != 1 || len(w.Occurrences[0].Waiting) != 1 ||
		len(w.Occurrences[0].Rooms) != 0 || w.Occurrences[0].Event != e.ID {
		t.Errorf("after the horizon has moved: %+v; want the choir to wait for its room", w)
	}
	if got := s.office.Do("GET", "/waiting", nil); !strings.Contains(got.Body, `"by":"Fete"`) ||
		!strings.Contains(got.Body, `"title":"Choir"`) {
		t.Errorf("GET /waiting: %s, want the choir, and the fete in its way", got)
	}
	if got := s.Person().Do("GET", "/waiting", nil); got.Status != 403 {
		t.Errorf("GET /waiting as a member: %s, want 403", got)
	}
	s.write(t, "DELETE", "/events/"+fete.ID, "", 204)
	w = s.seen(t, week, soon(13))
	if w.Waiting != 0 || len(w.Occurrences) != 1 || len(w.Occurrences[0].Rooms) != 1 {
		t.Errorf("after the fete is gone: %+v; want the choir to have the room", w)
	}
	if got := s.office.Do("POST", "/events/"+fete.ID+"/restore", `{}`); got.Status != 409 {
		t.Errorf("restoring the fete: %s, want 409, for the choir has the room now", got)
	}
}

// TestRooms: names are unique, and a room that an event uses cannot be deleted.
func TestRooms(t *testing.T) {
	t.Parallel()
	s := start(t, "UTC")
	s.write(t, "POST", "/events", event1("Choir", soon(1)+"T10:00", soon(1)+"T11:00", "", 1), 201)
	for _, c := range []struct {
		method, path, body, want string
	}{
		{"POST", "/rooms", `{"name":"Hall"}`, `409 {"code":"ROOM_NAME_TAKEN","field":"name"}`},
		{"POST", "/rooms", `{"name":"  "}`, `400 {"code":"REQUEST_INVALID","field":"name"}`},
		{"PUT", "/rooms/2", `{"name":"Great hall","rev":1}`, `200 {"id":2,"name":"Great hall","rev":2}`},
		{"PUT", "/rooms/2", `{"name":"Hall","rev":1}`, `409 {"code":"CONFLICT"}`},
		{"PUT", "/rooms/2", `{"name":"Church","rev":2}`, `409 {"code":"ROOM_NAME_TAKEN","field":"name"}`},
		{"PUT", "/rooms/7", `{"name":"Hall","rev":1}`, `404 {"code":"ROOM_NOT_FOUND"}`},
		{"DELETE", "/rooms/1", "", `409 {"code":"ROOM_IN_USE"}`},
		{"DELETE", "/rooms/2", "", `204 `},
		{"DELETE", "/rooms/2", "", `404 {"code":"ROOM_NOT_FOUND"}`},
	} {
		var body any
		if c.body != "" {
			body = c.body
		}
		got := s.office.Do(c.method, c.path, body)
		if strings.TrimSpace(got.String()) != strings.TrimSpace(c.want) {
			t.Errorf("%s %s %s: %s, want %s", c.method, c.path, c.body, got, c.want)
		}
	}
}
