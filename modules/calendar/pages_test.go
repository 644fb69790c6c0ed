package main

import (
	"testing"
	"time"
)

// TestReadsAskLittle counts what a month, the rooms and a screen's day ask for, with six weeks and with 5,000
// events of three years.
func TestReadsAskLittle(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	// Four events a day, each once, of which every third has a room.
	fill := func(days int) {
		t.Helper()
		for _, sql := range []string{`
			INSERT INTO events (id, title, text, starts, minutes, all_day, rule, rooms)
			SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Event ' || n, '',
			       date_trunc('day', localtimestamp) + interval '20 days' - n * interval '6 hours', 60, false, '', '{}'
			FROM generate_series(1, 4 * $1) AS n
			ON CONFLICT DO NOTHING`, `
			INSERT INTO occurrences (event_id, recurrence, starts, ends, during)
			SELECT id, starts, starts, starts + interval '1 hour', tstzrange(starts, starts + interval '1 hour')
			FROM events
			WHERE $1 > 0
			ON CONFLICT DO NOTHING`, `
			INSERT INTO bookings (event_id, recurrence, room_id, during, held)
			SELECT o.event_id, o.recurrence, 1, o.during, true
			FROM occurrences AS o JOIN events AS e ON e.id = o.event_id
			WHERE right(e.title, 1) IN ('3', '6', '9') AND $1 > 0
			ON CONFLICT DO NOTHING`} {
			if _, err := s.module.db.Exec(t.Context(), sql, days); err != nil {
				t.Fatal(err)
			}
		}
		for _, table := range []string{"events", "occurrences", "bookings"} {
			if _, err := s.module.db.Exec(t.Context(), "ANALYZE "+table); err != nil {
				t.Fatal(err)
			}
		}
	}
	month := "/occurrences?from=" + time.Now().AddDate(0, 0, -10).Format(dayForm) + "&to=" + soon(20)
	if w := s.seen(t, soon(0), soon(1)); w.Services != servicesAbsent { // is found out once
		t.Errorf("services: %q, want %q", w.Services, servicesAbsent)
	}
	read := func() (rows []float64) {
		for _, path := range []string{month, "/rooms"} {
			calls := s.Count(func() {
				if got := s.Person().Do("GET", path, nil); got.Status != 200 {
					t.Errorf("%s: %s", path, got)
				}
			})
			if calls.Statements > 3 || calls.Exchanges != 1 || len(calls.Capabilities) != 0 {
				t.Errorf("%s asked for %+v, want three statements in one exchange", path, calls)
			}
			read := 0.0
			for _, plan := range s.Plans(calls) {
				read += plan.ReadAll()
			}
			rows = append(rows, read)
		}
		return rows
	}
	fill(42)
	few := read()
	fill(1250)
	if many := read(); many[0] > few[0]*1.2 || many[1] != few[1] {
		t.Errorf("a month and the rooms read %v rows with 5,000 events, and %v with six weeks", many, few)
	} else {
		t.Logf("rows read for a month and the rooms: %v with six weeks, %v with 5,000 events", few, many)
	}
	today := s.Count(func() {
		if _, err := s.module.today(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if today.Statements > 3 || today.Exchanges != 1 {
		t.Errorf("a screen's day asked for %+v, want three statements in one exchange", today)
	}
}
