package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/ical"
)

// manyICS returns a file of n events.
func manyICS(n int, lines string) string {
	var file strings.Builder
	for i := range n {
		fmt.Fprintf(&file, "BEGIN:VEVENT\r\nUID:%d\r\n%s\r\nEND:VEVENT\r\n", i, lines)
	}
	return fmt.Sprintf(icsFrame, file.String())
}

// TestHostileFiles: a file whose events would cost too much time or memory is refused as a whole. Without its
// bound each of these takes from seconds to minutes, or more than the memory of a module.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	z := inZone(t, "Europe/Berlin")
	for name, content := range map[string]string{
		"days since 1900": manyICS(maxImported,
			"DTSTART:19000310T100000\nRRULE:FREQ=DAILY;UNTIL=19990101"),
		"days of another zone": manyICS(maxImported,
			"DTSTART:19000310T100000Z\nRRULE:FREQ=DAILY;UNTIL=19990101"),
		"hours since 1900": manyICS(maxImported, "DTSTART:19000310T100000Z\nRRULE:FREQ=HOURLY"),
		"a month without the day": manyICS(200,
			"DTSTART:20270310T100000\nRRULE:FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30"),
		"days that never come": manyICS(200,
			"DTSTART:20270310T100000\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"),
		"many exceptions": manyICS(200, "DTSTART:20270310T100000\nRRULE:FREQ=DAILY;COUNT=2\nEXDATE:"+
			strings.Repeat("20270311T100000,", 1400)),
		"many dates":      manyICS(200, "DTSTART:20270310T100000\nRDATE:"+strings.Repeat("20270311T100000,", 1400)),
		"too many events": manyICS(maxImported+1, "DTSTART:20270310T100000"),
		"deep":            strings.Repeat("BEGIN:VEVENT\n", 100),
	} {
		i := importing{Exchange: &sdk.Exchange{}, calendar: &calendar{}}
		i.calendar.clock.zone.Store(&z)
		if err := i.check(t.Context(), i.entriesOfICS([]byte(content), nil, "Event")); err != nil {
			t.Fatal(err)
		}
		if i.ProblemCount != 1 || i.Problems[0].Code != "TOO_MANY" && name != "deep" {
			t.Errorf("%s: %d events, problems %v, want it refused as too much", name, len(i.events), i.Problems)
		}
	}
}

// TestExportedZones: the zone that an export defines has the clock of the zone's table for ten years, as the
// reader of other programs' files reads it.
func TestExportedZones(t *testing.T) {
	t.Parallel()
	all := zones(t)
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for _, z := range all {
		if z.place == time.UTC {
			continue // its times need no definition
		}
		w := ical.Begin(z.place, "", "")
		w.Reset()
		w.Zone(now, now)
		file := &icsFile{text: fmt.Sprintf(icsFrame, w.String()+"BEGIN:VEVENT\r\nEND:VEVENT\r\n")}
		defined := file.read(z).zones.defined[z.place.String()]
		if defined == nil {
			t.Fatalf("%s: the file defines no such zone:\n%s", z.place, w)
		}
		place := defined.location()
		if place == nil {
			t.Fatalf("%s: nothing is defined:\n%s", z.place, w)
		}
		until := now.AddDate(ical.ZoneYears, 0, 0)
		moments := []time.Time{now, until}
		for at, found := ical.NextChange(now.In(z.place), until); found; at, found = ical.NextChange(at, until) {
			moments = append(moments, at.Add(-time.Second), at)
		}
		for at := now; at.Before(until); at = at.Add(5 * day) {
			moments = append(moments, at)
		}
		for _, at := range moments {
			if (zone{place}).local(at) != z.local(at) {
				t.Fatalf("%s: at %v the file says %v, the table %v", z.place, at, at.In(place), at.In(z.place))
			}
		}
	}
	if len(all) < 590 {
		t.Errorf("%d zones, want all", len(all))
	}
}

// TestZonesOfWindows: every zone of the table exists.
func TestZonesOfWindows(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(windowsZones) {
		name, _, _ := strings.Cut(line, "=")
		if _, is := windowsZone(strings.ToLower(name)); !is {
			t.Errorf("%s: there is no such zone", strings.TrimSpace(line))
		}
	}
}

// withoutStamps returns an .ics file without the lines that say when it was made and changed.
func withoutStamps(content string) string {
	var kept bytes.Buffer
	for line := range strings.Lines(content) {
		if !strings.HasPrefix(line, "DTSTAMP:") && !strings.HasPrefix(line, "SEQUENCE:") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
