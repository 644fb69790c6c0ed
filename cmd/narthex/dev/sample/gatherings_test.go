package sample

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

// TestGatherings: on any day of a year, six Sundays at ten are planned, the next four with an order, and the
// next Advent and Christmas, all on the clock of the house and none twice.
func TestGatherings(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"UTC", "Europe/Berlin", "Pacific/Apia", "America/Los_Angeles"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for day := range 366 {
			for _, hour := range []int{0, 9, 10, 11, 23} {
				assertGatherings(t, time.Date(2026, time.January, 1+day, hour, 0, 0, 0, zone))
			}
		}
	}
}

func assertGatherings(t *testing.T, now time.Time) {
	t.Helper()
	all := gatherings(now)
	starts, titles := make(map[time.Time]bool), make(map[string]bool)
	var found, ordered int
	for _, g := range all {
		if !g.at.After(now) || starts[g.at] {
			t.Errorf("at %s: %s at %s is past, or there is another then", now, g.title, g.at)
		}
		starts[g.at], titles[g.title] = true, true
		if g.at.Weekday() == time.Sunday && g.at.Hour() == 10 && !g.at.After(now.AddDate(0, 0, 7*sundays)) {
			found++
			if found <= 4 && len(g.order) >= 4 {
				ordered++
			}
		}
		if advent := strings.HasPrefix(g.title, "Advent"); advent &&
			(g.at.Weekday() != time.Sunday || g.at.Month() == time.December && g.at.Day() > 24) {
			t.Errorf("at %s: %s at %s", now, g.title, g.at)
		}
	}
	if found != sundays || ordered != 4 {
		t.Errorf("at %s: %d Sundays, want %d; %d of the first four have an order", now, found, sundays, ordered)
	}
	season := now.Month() == time.January && now.Day() == 1
	for title, until := range map[string]time.Time{
		"Christmas Day":            time.Date(2026, time.December, 25, 10, 0, 0, 0, now.Location()),
		"Advent 1: Sunday service": time.Date(2026, time.November, 29, 10, 0, 0, 0, now.Location()),
		"Advent 4: Sunday service": time.Date(2026, time.December, 20, 10, 0, 0, 0, now.Location()),
		"Nativity service":         time.Date(2026, time.December, 24, 16, 0, 0, 0, now.Location()),
	} {
		if want := !season && now.Before(until); titles[title] != want && now.Year() == 2026 {
			t.Errorf("at %s: %s is planned: %t, want %t", now, title, titles[title], want)
		}
	}
}
