package ical_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/narthex-platform/narthex/modulehost/sdk/ical"
	"github.com/narthex-platform/narthex/modulehost/sdk/ical/icaltest"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	place, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return place
}

// TestCalendar: the whole of a small calendar, as programs read it.
func TestCalendar(t *testing.T) {
	t.Parallel()
	c := ical.Begin(time.UTC, "Calendar", "St. Mary")
	c.Event("1@narthex", 3, time.Date(2026, 11, 29, 14, 0, 0, 0, zone(t, "Europe/Berlin")))
	c.Time("DTSTART", time.Date(2026, 12, 6, 10, 0, 0, 0, time.UTC), false)
	c.Text("SUMMARY", "Service")
	c.Text("DESCRIPTION", "")
	c.Line("END:VEVENT")
	want := strings.Join([]string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Narthex//Calendar//EN",
		"CALSCALE:GREGORIAN", "NAME:St. Mary", "X-WR-CALNAME:St. Mary", "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
		"X-PUBLISHED-TTL:PT1H", "BEGIN:VEVENT", "UID:1@narthex", "DTSTAMP:20261129T130000Z", "SEQUENCE:3",
		"DTSTART:20261206T100000Z", "SUMMARY:Service", "END:VEVENT", "END:VCALENDAR", ""}, "\r\n")
	if got := string(c.End()); got != want {
		t.Errorf("the calendar is\n%s\nwant\n%s", got, want)
	}
}

// TestRules: a calendar without events, in UTC or in a zone, is one by the rules, and so is one with an event
// of a long title of any characters.
func TestRules(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for _, place := range []*time.Location{time.UTC, zone(t, "Europe/Berlin"), zone(t, "Africa/Casablanca")} {
		for _, events := range []int{0, 1} {
			c := ical.Begin(place, "Test", "St. Mary; Hill, 2")
			c.Zone(now, now)
			for range events {
				c.Event("1@narthex", 0, now)
				c.Time("DTSTART", now, false)
				c.Text("SUMMARY", strings.Repeat("Süß, € \\ ; 𝄞\n\x07", 20))
				c.Line("END:VEVENT")
			}
			icaltest.Check(t, string(c.End()))
		}
	}
}

// TestTexts: no text leaves its line or its property.
func TestTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`Tea; cake, \o/`: `Tea\; cake\, \\o/`, "a\nb": `a\nb`, "a\r\nb": `a\nb`, "a\rb": `a\nb`,
		"a\x00\x07b\x7f": "ab", "a\tb": "a\tb", "x\r\nEND:VEVENT": `x\nEND:VEVENT`,
	} {
		c := ical.Begin(time.UTC, "Test", "")
		before := c.Len()
		c.Text("SUMMARY", text)
		if got := c.String()[before:]; got != "SUMMARY:"+want+"\r\n" {
			t.Errorf("%q is written as %q, want SUMMARY:%s", text, got, want)
		}
	}
}

// TestFolding: every line has at most 75 octets, no letter is cut, and unfolded it is what it was.
func TestFolding(t *testing.T) {
	t.Parallel()
	for _, letter := range []string{"a", "ü", "€", "𝄞"} {
		for length := range 200 {
			text := "x" + strings.Repeat(letter, length)
			c := ical.Begin(time.UTC, "Test", "")
			before := c.Len()
			c.Line(text)
			folded := c.String()[before:]
			for line := range strings.SplitAfterSeq(folded, "\r\n") {
				if len(line) > 77 || !utf8.ValidString(line) {
					t.Fatalf("%d times %s: the line %q has %d octets, want 75 at most, and whole letters", length,
						letter, line, len(line)-2)
				}
			}
			if got := strings.ReplaceAll(folded, "\r\n ", ""); got != text+"\r\n" {
				t.Fatalf("%d times %s: unfolded %q, want %q", length, letter, got, text)
			}
		}
	}
}

// TestTimes: a day, a time in UTC, and one on the clock of the zone, whatever zone the value has.
func TestTimes(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 3, 29, 2, 30, 0, 0, time.UTC) // which Berlin's clock skips
	for want, c := range map[string]struct {
		place  *time.Location
		allDay bool
	}{
		"DTSTART;VALUE=DATE:20260329":                      {zone(t, "Europe/Berlin"), true},
		"DTSTART:20260329T023000Z":                         {time.UTC, false},
		"DTSTART;TZID=Europe/Berlin:20260329T023000":       {zone(t, "Europe/Berlin"), false},
		"DTSTART;TZID=America/Los_Angeles:20260329T023000": {zone(t, "America/Los_Angeles"), false},
	} {
		calendar := ical.Begin(c.place, "Test", "")
		before := calendar.Len()
		calendar.Time("DTSTART", clock, c.allDay)
		if got := calendar.String()[before:]; got != want+"\r\n" {
			t.Errorf("written as %q, want %q", got, want)
		}
	}
}

// TestZone: the definition of a zone is that of its clock, in every one of its hours: whoever reads it, as
// RFC 5545 §3.6.5 says, gets the offsets that the zone has.
func TestZone(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for _, name := range []string{"Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe",
		"Africa/Casablanca", "Asia/Kathmandu", "Europe/Dublin", "America/Sao_Paulo"} {
		place := zone(t, name)
		c := ical.Begin(place, "Test", "")
		c.Zone(now.AddDate(-3, 0, 0), now)
		changes := observances(t, c.String())
		for at := now.AddDate(-3, 0, 0); at.Before(now.AddDate(ical.ZoneYears, 0, 0)); at = at.Add(7 * time.Hour) {
			_, want := at.In(place).Zone()
			if got := offsetAt(changes, at); got != want {
				t.Errorf("%s at %v: %d s from UTC, want %d", name, at, got, want)
				break
			}
		}
		if text := c.String(); strings.Count(text, "BEGIN:VTIMEZONE") != 1 || !strings.Contains(text, "\r\nTZID:"+
			name+"\r\n") {
			t.Errorf("%s: the calendar is\n%s\nwant one zone of that name", name, text)
		}
	}
	c := ical.Begin(time.UTC, "Test", "")
	before := c.Len()
	if c.Zone(now, now); c.Len() != before {
		t.Errorf("UTC is defined: %s", c.String()[before:])
	}
}

// change is when a clock changes, as it shows just before, and its offsets in seconds.
type change struct {
	clock         time.Time
	before, after int
}

func observances(t *testing.T, calendar string) (all []change) {
	t.Helper()
	var clocks []time.Time
	var before int
	seconds := func(text string) int {
		at, err := time.Parse("-0700", text)
		if len(text) == len("+hhmmss") {
			at, err = time.Parse("-070000", text)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, offset := at.Zone()
		return offset
	}
	for line := range strings.SplitSeq(calendar, "\r\n") {
		name, value, _ := strings.Cut(line, ":")
		switch name {
		case "DTSTART", "RDATE":
			clock, err := time.Parse(ical.Local, value)
			if err != nil {
				t.Fatal(err)
			}
			clocks = append(clocks, clock)
		case "TZOFFSETFROM":
			before = seconds(value)
		case "TZOFFSETTO":
			for _, clock := range clocks {
				all = append(all, change{clock, before, seconds(value)})
			}
			clocks = nil
		}
	}
	return all
}

// offsetAt is the offset after the last change before an instant.
func offsetAt(all []change, at time.Time) (offset int) {
	var latest time.Time
	for _, c := range all {
		changed := c.clock.Add(-time.Duration(c.before) * time.Second)
		if !changed.After(at) && changed.After(latest) {
			latest, offset = changed, c.after
		}
	}
	return offset
}

// TestNextChange: the changes of a year, and none after the end.
func TestNextChange(t *testing.T) {
	t.Parallel()
	berlin := zone(t, "Europe/Berlin")
	at, until := time.Date(2026, 1, 1, 0, 0, 0, 0, berlin), time.Date(2026, 10, 25, 0, 59, 59, 0, time.UTC)
	changed, found := ical.NextChange(at, until)
	if want := time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC); !found || !changed.Equal(want) {
		t.Errorf("the first change is %v (%t), want %v", changed, found, want)
	}
	if later, found := ical.NextChange(changed, until); found {
		t.Errorf("a change at %v, want none a second before the clock changes", later)
	}
	if later, found := ical.NextChange(changed, until.Add(time.Second)); !found || !later.Equal(until.Add(
		time.Second)) {
		t.Errorf("the second change is %v (%t), want %v", later, found, until.Add(time.Second))
	}
}
