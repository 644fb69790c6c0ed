package main

import (
	"strings"
	"testing"
	"time"
)

// TestAnotherWeekday: a series that moves to another weekday says which exceptional dates it would drop. They
// are moved along, or given up, as the writer says.
func TestAnotherWeekday(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	first := time.Now().AddDate(0, 0, 9)
	days := make([]string, 4)
	for n := range days {
		days[n] = first.AddDate(0, 0, 7*n).Format(dayForm)
	}
	later := func(n int) string { return first.AddDate(0, 0, 7*n+1).Format(dayForm) }
	made := s.write(t, "POST", "/events",
		event1("Choir", days[0]+"T19:00", days[0]+"T20:00", "FREQ=WEEKLY;COUNT=4"), 201)
	root := "/events/" + made.ID
	s.write(t, "POST", root+"/dates/"+days[1]+"T19:00/cancel", `{"rev":1}`, 200)
	s.write(t, "PUT", root+"/dates/"+days[2]+"T19:00",
		with(event1("Concert", days[2]+"T18:00", days[2]+"T21:00", ""), 2), 200)
	moved := event1("Choir", later(0)+"T19:00", later(0)+"T20:00", "FREQ=WEEKLY;COUNT=4")
	got := s.office.Do("PUT", root, with(moved, 3))
	want := `{"code":"EXCEPTIONS_DROPPED","dates":[` +
		`{"date":"` + days[1] + `T19:00","title":"Choir","start":"` + days[1] +
		`T19:00","cancelled":true,"moves":true},` +
		`{"date":"` + days[2] + `T19:00","title":"Concert","start":"` + days[2] +
		`T18:00","cancelled":false,"moves":true}]}`
	if got.Status != 409 || got.Body != want {
		t.Fatalf("another weekday: %s, want 409 %s", got, want)
	}
	seen := func() string {
		var all []string
		for _, o := range s.seen(t, soon(0), soon(60)).Occurrences {
			all = append(all, o.Start+" "+o.Title)
		}
		return strings.Join(all, ", ")
	}
	unmoved := days[0] + "T19:00 Choir, " + days[2] + "T18:00 Concert, " + days[3] + "T19:00 Choir"
	if now := seen(); now != unmoved {
		t.Errorf("after the refusal: %s, want %s", now, unmoved)
	}
	asks := func(how string) string { return moved[:len(moved)-1] + `,"exceptions":"` + how + `"}` }
	s.write(t, "PUT", root, with(asks("guess"), 3), 400)
	s.write(t, "PUT", root, with(asks("move"), 3), 200)
	want = later(0) + "T19:00 Choir, " + later(2) + "T18:00 Concert, " + later(3) + "T19:00 Choir"
	if now := seen(); now != want {
		t.Errorf("moved along: %s, want %s", now, want)
	}
	back := event1("Choir", days[0]+"T19:00", days[0]+"T20:00", "FREQ=WEEKLY;COUNT=4")
	s.write(t, "PUT", root, with(back[:len(back)-1]+`,"exceptions":"drop"}`, 4), 200)
	want = days[0] + "T19:00 Choir, " + days[1] + "T19:00 Choir, " + days[2] + "T19:00 Choir, " + days[3] +
		"T19:00 Choir"
	if now := seen(); now != want {
		t.Errorf("given up: %s, want %s", now, want)
	}
}
