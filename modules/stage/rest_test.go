package main

import (
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestRest: the schedules tell when they have something to do again, so that a house that nobody uses can
// sleep until then.
func TestRest(t *testing.T) {
	t.Parallel()
	s := &stage{}
	m := sdktest.Start(t, s, sdktest.Options{})
	rests := func(when, schedule string, from, to time.Duration) {
		t.Helper()
		if err := m.Advance(time.Hour); err != nil {
			t.Fatal(err)
		}
		if got := m.NothingFor(schedule); got < from || got > to {
			t.Errorf("%s: %s has nothing to do for %v, want %v to %v", when, schedule, got, from, to)
		}
	}
	const day = 24 * time.Hour
	for _, schedule := range []string{"old-presses", "cancelled", "imports"} {
		rests("with nothing", schedule, day, day)
	}
	if _, err := s.store.db.Exec(t.Context(), `
		INSERT INTO presses (driver, op_id, done_at)
		VALUES ('d', gen_random_uuid(), now() - interval '20 minutes')`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.store.db.Exec(t.Context(), `
		INSERT INTO imports (id, at) VALUES (gen_random_uuid(), now() - interval '20 hours')`); err != nil {
		t.Fatal(err)
	}
	rests("with a press", "old-presses", 39*time.Minute, 40*time.Minute)
	rests("with an import", "imports", 4*time.Hour-time.Minute, 4*time.Hour)
}
