package main

import (
	"testing"
	"time"
)

// TestRest: the schedules tell when they have something to do again, so that a house that nobody uses can
// sleep: at the next reminder, and not while a mail waits.
func TestRest(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]any{"remindDaysBefore": 2, "remindOnTheDay": true})
	day := f.rota.weekOf(f.services[0].Start).AddDate(0, 0, 7+3) // a Thursday
	f.replan(func() {
		f.services = f.services[:1] // the others are on a day of the week that depends on today
		f.services[0].Start = day.Add(10 * time.Hour)
	})
	f.askedOf("Reader 1", "Reader", statusYes)
	rests := func(when string, at time.Time, schedule string, want time.Duration) {
		t.Helper()
		f.at.Store(&at)
		if err := f.Advance(remindEvery); err != nil {
			t.Fatal(err)
		}
		f.awaitIdle()
		if got := f.NothingFor(schedule); got != want {
			t.Errorf("%s: %s has nothing to do for %v, want %v", when, schedule, got, want)
		}
	}
	earlier := remindAtHour(day.AddDate(0, 0, -2))
	rests("on Monday before the overview", earlier.Add(-26*time.Hour), "reminders", 2*time.Hour)
	rests("a day before the reminder", earlier.Add(-23*time.Hour), "reminders", 23*time.Hour)
	rests("some hours before the reminder", earlier.Add(-3*time.Hour), "reminders", 3*time.Hour)
	rests("without a mail", earlier.Add(-3*time.Hour), "mails", restMost)
	rests("without a change of a service", earlier.Add(-3*time.Hour), "services", restMost)
	rests("when a reminder was stored", earlier.Add(time.Minute), "reminders", 0)
	rests("afterwards", earlier.Add(10*time.Minute), "reminders", restMost)
	rests("on the day before", remindAtHour(day).Add(-time.Hour), "reminders", time.Hour)
	f.replan(func() { f.services[0].Start = day.Add(5 * time.Hour) })
	rests("before an early service", day.Add(-time.Hour), "reminders", 4*time.Hour)

	for _, waiting := range []string{
		`INSERT INTO mail_log (kind, claimed_at) VALUES ('request', now())`,
		`INSERT INTO mail_log (kind, outcome, at) VALUES ('news', 'deferred', now())`,
	} {
		if _, err := f.rota.db.Exec(t.Context(), waiting); err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		f.at.Store(&now)
		if err := f.Advance(deliverEvery); err != nil {
			t.Fatal(err)
		}
		if got := f.NothingFor("mails"); got != 0 {
			t.Errorf("after %s mails have nothing to do for %v, want 0", waiting, got)
		}
		if _, err := f.rota.db.Exec(t.Context(), `DELETE FROM mail_log`); err != nil {
			t.Fatal(err)
		}
	}
}
