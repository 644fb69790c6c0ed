package main

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestClockChanges: a weekly 10:00 stays 10:00 when the clock changes, in both directions.
func TestClockChanges(t *testing.T) {
	t.Parallel()
	year := time.Now().Year() + 1
	for name, c := range map[string]struct {
		winter, summer string // the instant of ten o'clock, local time
		change         func(year int) (spring, autumn time.Time)
	}{
		"Europe/Berlin": {"09:00Z", "08:00Z", func(y int) (spring, autumn time.Time) {
			return sunday(y, 4, 0), sunday(y, 11, 0)
		}},
		"America/New_York": {"15:00Z", "14:00Z", func(y int) (spring, autumn time.Time) {
			return sunday(y, 3, 2), sunday(y, 11, 1)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, name)
			spring, autumn := c.change(year)
			for what, at := range map[string]struct {
				change        time.Time
				before, after string
			}{"spring": {spring, c.winter, c.summer}, "autumn": {autumn, c.summer, c.winter}} {
				first := at.change.AddDate(0, 0, -7).Format(dayForm)
				s.write(t, "POST", "/events", event1(what, first+"T10:00", first+"T11:30", "FREQ=WEEKLY;COUNT=3"), 201)
				got := s.seen(t, first, at.change.AddDate(0, 0, 8).Format(dayForm))
				var want []string
				for week, instant := range []string{at.before, at.after, at.after} {
					day := at.change.AddDate(0, 0, 7*(week-1))
					want = append(want, fmt.Sprintf("%sT10:00 = %02dT%s", day.Format(dayForm), day.Day(), instant))
				}
				if !slices.Equal(got.starts(), want) {
					t.Errorf("%s: %v, want %v", what, got.starts(), want)
				}
				for _, o := range got.Occurrences {
					if o.End[len(dayForm):] != "T11:30" || o.EndsAt.Sub(o.StartsAt) != 90*time.Minute {
						t.Errorf("%s: it ends %s, after %v; want 11:30", what, o.End, o.EndsAt.Sub(o.StartsAt))
					}
				}
			}
		})
	}
}

// sunday returns the nth Sunday of a month, from 1; 0 is the last one of the previous month.
func sunday(year int, month time.Month, n int) time.Time {
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return first.AddDate(0, 0, (7-int(first.Weekday()))%7+7*(n-1))
}

// TestInstants: a local time that does not exist uses the offset before the change; for one that exists twice
// it is the first.
func TestInstants(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, local, want string }{
		{"Europe/Berlin", "2027-03-28T02:30", "2027-03-28T01:30Z"},
		{"Europe/Berlin", "2027-03-28T03:00", "2027-03-28T01:00Z"},
		{"Europe/Berlin", "2027-10-31T02:30", "2027-10-31T00:30Z"},
		{"Europe/Berlin", "2027-10-31T03:00", "2027-10-31T02:00Z"},
		{"America/New_York", "2027-03-14T02:30", "2027-03-14T07:30Z"},
		{"America/New_York", "2027-11-07T01:30", "2027-11-07T05:30Z"},
		{"Pacific/Apia", "2027-01-01T00:00", "2026-12-31T11:00Z"},
		{"Asia/Kathmandu", "2027-01-01T00:00", "2026-12-31T18:15Z"},
		{"UTC", "2027-01-01T00:00", "2027-01-01T00:00Z"},
	} {
		z, ok := loadZone(c.zone)
		if !ok {
			t.Fatalf("zone %s is not known", c.zone)
		}
		if got := z.instant(at(t, c.local)).UTC().Format("2006-01-02T15:04Z"); got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.local, c.zone, got, c.want)
		}
	}
}

func inZone(t testing.TB, name string) zone {
	t.Helper()
	place, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone{place}
}

// TestZoneChanged: another zone of the house moves every occurrence while the calendar runs. A house without
// a zone, or an older one, moves none.
func TestZoneChanged(t *testing.T) {
	t.Parallel()
	s := start(t, "")
	day := soon(3)
	s.write(t, "POST", "/events", event1("Choir", day+"T10:00", day+"T11:00", "FREQ=WEEKLY", 1), 201)
	assert := func(zone, instant string) {
		t.Helper()
		w := s.seen(t, day, soon(4))
		if want := at(t, day+instant); w.Zone != zone || len(w.Occurrences) != 1 ||
			!w.Occurrences[0].StartsAt.Equal(want) || w.Occurrences[0].Start != day+"T10:00" {
			t.Errorf("in %s: %+v, want ten o'clock to be %v", zone, w, want)
		}
	}
	assert("UTC", "T10:00")
	s.SetTimeZone("Asia/Tokyo")
	assert("Asia/Tokyo", "T01:00")
	s.SetTimeZone("")
	assert("Asia/Tokyo", "T01:00")
	s.SetTimeZone("Asia/Kathmandu")
	assert("Asia/Kathmandu", "T04:15")
	// another process has learned of the next change already
	if _, err := s.module.db.Exec(t.Context(), `
		UPDATE calendar SET zone = 'UTC', zone_rev = zone_rev + 1`); err != nil {
		t.Fatal(err)
	}
	s.write(t, "POST", "/events", event1("Band", day+"T12:00", day+"T13:00", ""), 409)
	s.write(t, "POST", "/events", event1("Band", day+"T12:00", day+"T13:00", ""), 201)
	w := s.seen(t, day, soon(4))
	if w.Zone != "UTC" || len(w.Occurrences) != 2 || !w.Occurrences[1].StartsAt.Equal(at(t, day+"T12:00")) {
		t.Errorf("after the change that another process made: %+v, want UTC", w)
	}
}

// TestScreenLearnsTheZone: a screen that shows the calendar, and a page that is open, are told of another
// zone of the house although nobody asks the calendar for anything.
func TestScreenLearnsTheZone(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	screen := s.Device(viewDisplay)
	wall, page := screen.Subscribe(todayChannel), s.Person().Subscribe(eventsChannel)
	s.SetTimeZone("Asia/Tokyo")
	told := wall.Update()
	var now shownToday
	screen.Subscribe(todayChannel).JSON(&now)
	want := fmt.Sprintf(`{"rev":%d}`, now.Rev)
	if now.Zone != "Asia/Tokyo" || told != want || page.Update() != want {
		t.Errorf("the screen is told %s and shows %s, want %s and Asia/Tokyo; the page is told the same", told,
			now.Zone, want)
	}
}

// TestSkippedTimes: a typed time that the clock skips in spring is refused with the two that exist, and
// changes nothing. A weekly date there is moved instead.
func TestSkippedTimes(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	change := sunday(time.Now().Year()+1, 4, 0).Format(dayForm)
	for what, c := range map[string]struct{ start, end, exist string }{
		"the start":                  {"T02:30", "T05:00", `["` + change + `T01:30","` + change + `T03:30"]`},
		"the end":                    {"T01:00", "T02:00", `["` + change + `T01:00","` + change + `T03:00"]`},
		"an hour that would be none": {"T02:30", "T03:30", `["` + change + `T01:30","` + change + `T03:30"]`},
	} {
		got := s.office.Do("POST", "/events", event1("Vigil", change+c.start, change+c.end, ""))
		if want := `{"code":"TIME_SKIPPED","exist":` + c.exist + `}`; got.Status != 400 || got.Body != want {
			t.Errorf("%s is skipped: %s, want 400 %s", what, got, want)
		}
	}
	for _, c := range []struct{ start, end string }{{"T01:59", "T03:00"}, {"T03:00", "T04:00"}} {
		s.write(t, "POST", "/events", event1("Vigil", change+c.start, change+c.end, ""), 201)
	}
	first := at(t, change+"T00:00").AddDate(0, 0, -7).Format(dayForm)
	s.write(t, "POST", "/events", event1("Night", first+"T02:30", first+"T02:45", "FREQ=WEEKLY;COUNT=2"), 201)
	w := s.seen(t, change, at(t, change+"T00:00").AddDate(0, 0, 1).Format(dayForm))
	night := slices.IndexFunc(w.Occurrences, func(o shownOccurrence) bool { return o.Title == "Night" })
	if night < 0 || w.Occurrences[night].StartsAt.UTC().Format("15:04") != "01:30" {
		t.Errorf("the weekly date in the skipped hour: %+v, want 01:30 UTC", w.Occurrences)
	}
}
