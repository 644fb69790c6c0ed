package main

import (
	"archive/zip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/ical"
)

// zones returns every zone of Go's own table, which a module has in the sandbox.
func zones(t *testing.T) (all []zone) {
	t.Helper()
	table, err := zip.OpenReader(os.Getenv("ZONEINFO"))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	for _, file := range table.File {
		if strings.HasSuffix(file.Name, "/") {
			continue
		}
		all = append(all, inZone(t, file.Name))
	}
	return all
}

// TestChangesOfEveryZone: the changes that are found lead to the clock that the zone has, at every half
// month and around every year's end, and each of them changes something.
func TestChangesOfEveryZone(t *testing.T) {
	t.Parallel()
	from, until := time.Date(2019, 12, 1, 0, 0, 0, 0, time.UTC), time.Date(2041, 2, 1, 0, 0, 0, 0, time.UTC)
	all := zones(t)
	if len(all) < 590 {
		t.Fatalf("%d zones, want all", len(all))
	}
	for _, z := range all {
		clock := from.In(z.place) // a moment since the latest change
		next, more := ical.NextChange(clock, until)
		for at := from; at.Before(until); at = at.Add(day) {
			if month := at.Month(); month > time.January && month < time.December && at.Day()%15 != 0 {
				continue
			}
			for more && !next.After(at) {
				if clockKept(next.Add(-time.Second), next) {
					t.Fatalf("%s: nothing changes at %v", z.place, next)
				}
				clock = next
				next, more = ical.NextChange(clock, until)
			}
			if !clockKept(clock, at.In(z.place)) {
				t.Fatalf("%s at %v: the clock is %v, the changes lead to %v", z.place, at, at.In(z.place), clock)
			}
		}
	}
}

// clockKept reports whether a zone has the same offset, name and kind of time at two moments.
func clockKept(one, other time.Time) bool {
	name, offset := one.Zone()
	otherName, otherOffset := other.Zone()
	return name == otherName && offset == otherOffset && one.IsDST() == other.IsDST()
}

// TestRuleWithoutADate: a rule that never matches is refused, without a search through thousands of years.
func TestRuleWithoutADate(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"FREQ=MONTHLY;BYDAY=5MO,5TU;BYSETPOS=3":            "",
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30":              "",
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29":              "2028-02-29",
		"FREQ=MONTHLY;BYDAY=5MO,5TU;BYSETPOS=2":            "2026-03-31",
		"FREQ=YEARLY;INTERVAL=100;UNTIL=20270101":          "2026-01-01",
		"FREQ=YEARLY;INTERVAL=100;BYMONTH=12;BYMONTHDAY=1": "2026-12-01",
		"FREQ=YEARLY;UNTIL=20250101":                       "",
	} {
		rule, err := parseRule(text, start)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got := ""
		if first, ok := rule.first(); ok {
			got = first.Format(dayForm)
		}
		if got != want {
			t.Errorf("the first date of %s is %q, want %q", text, got, want)
		}
	}
}
