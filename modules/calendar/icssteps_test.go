package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/files/filestest"
)

// stepsOf reads a rule by steps that begins on a clock without changes.
func stepsOf(t *testing.T, c *icsImport, text string, start time.Time) icsSteps {
	t.Helper()
	rule, ok := c.rule(text, icsMoment{clock: start, zone: zone{time.UTC}})
	if !ok {
		t.Fatalf("%s is refused", text)
	}
	return rule.(icsSteps)
}

// TestStepsOfOtherLibrary: rules by hours, minutes and seconds have the dates that python-dateutil 2.9.0
// finds. testdata/steps.txt has for each rule, made at random, its begin and its first six dates.
func TestStepsOfOtherLibrary(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/steps.txt")
	if err != nil {
		t.Fatal(err)
	}
	const most = 6
	for line := range strings.Lines(string(content)) {
		parts := strings.Fields(line)
		start, err := time.Parse(icsLocal, parts[1])
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		steps := stepsOf(t, &icsImport{}, parts[0], start)
		for at := range steps.dates(start, start.AddDate(0, 0, writtenOutDays)) {
			if got = append(got, at.Format(icsLocal)); len(got) == most {
				break
			}
		}
		if got := strings.Join(got, ","); got != strings.TrimPrefix(parts[2], "-") {
			t.Errorf("%s from %s: %s, want %s", parts[0], parts[1], got, parts[2])
		}
	}
}

// TestStepsBeginLater: a rule without COUNT has the same dates when it is read from a later time on.
func TestStepsBeginLater(t *testing.T) {
	t.Parallel()
	start := time.Date(2020, 3, 4, 5, 6, 7, 0, time.UTC)
	since, until := start.AddDate(0, 2, 0).Add(12345*time.Second), start.AddDate(0, 2, 20)
	for _, text := range []string{
		"FREQ=HOURLY;INTERVAL=7;BYMINUTE=1,50", "FREQ=MINUTELY;INTERVAL=11;BYSECOND=0,59",
		"FREQ=SECONDLY;INTERVAL=130;BYHOUR=3,4",
	} {
		var all, late []time.Time
		steps := stepsOf(t, &icsImport{}, text, start)
		for at := range steps.dates(start, until) {
			if !at.Before(since) {
				all = append(all, at)
			}
		}
		for at := range steps.dates(since, until) {
			if !at.Before(since) {
				late = append(late, at)
			}
		}
		if len(all) == 0 || len(all) != len(late) || !all[0].Equal(late[0]) {
			t.Errorf("%s: %d dates, the first of them %v; want %d, %v", text, len(late), late[0], len(all), all[0])
		}
	}
}

// TestRulesOfManyDates: of a rule with more dates than the calendar takes the first come in, which is told
// with their number. Whatever a rule is, it costs no more than any file may, and another event comes in all
// the same.
func TestRulesOfManyDates(t *testing.T) {
	z := inZone(t, "Europe/Berlin")
	today := time.Now().UTC().Format(dayForm)
	for name, c := range map[string]struct {
		events int // with these lines, beside one good event
		lines  string
		want   string // events, then what is told of the last one
	}{
		"a million minutes": {1, "DTSTART:20270615T100000\nRRULE:FREQ=MINUTELY;COUNT=1000000",
			"1501 WRITTEN_OUT_PARTLY Often: 1500, 2027-06-15 10:00 – 2027-06-16 10:59"},
		"a million minutes without the even ones": {1, "DTSTART:20270615T100100\n" +
			"RRULE:FREQ=MINUTELY;COUNT=1000000\nEXRULE:FREQ=MINUTELY;INTERVAL=2;COUNT=1000000",
			"751 WRITTEN_OUT_PARTLY Often: 750, 2027-06-15 10:02 – 2027-06-16 11:00"},
		"seconds since 1900": {1, "DTSTART:19000310T100000\nRRULE:FREQ=SECONDLY",
			"1501 SAME_MINUTE Often WRITTEN_OUT_PARTLY Often: 1500, "},
		"two rules": {1, "DTSTART:20270615T100000\nRRULE:FREQ=MINUTELY\nRRULE:FREQ=MINUTELY;INTERVAL=2",
			"1501 WRITTEN_OUT_PARTLY Often: 1500, 2027-06-15 10:00 – 2027-06-16 10:59"},
		"too many that are past": {1, "DTSTART:20200615T100000\nRRULE:FREQ=SECONDLY;COUNT=1000000000",
			"1 RULE_INVALID FREQ=SECONDLY;COUNT=1000000000"},
		"steps that never meet": {1, "DTSTART:20270615T100000\nRRULE:FREQ=SECONDLY;INTERVAL=60;BYSECOND=30",
			"1 RULE_INVALID FREQ=SECONDLY;INTERVAL=60;BYSECOND=30"},
		"a day that never comes": {1, "DTSTART:20270615T100000\nRRULE:FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30",
			"1 RULE_INVALID FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30"},
		"a week of the year": {1, "DTSTART:20270615T100000\nRRULE:FREQ=MINUTELY;BYWEEKNO=20",
			"1 RULE_INVALID FREQ=MINUTELY;BYWEEKNO=20"},
		"hours of a whole day": {1, "DTSTART;VALUE=DATE:20270615\nRRULE:FREQ=HOURLY;COUNT=30",
			"3 WRITTEN_OUT Often: 2"},
		"steps that never meet, often": {500, "DTSTART:20270615T100000\nRRULE:FREQ=SECONDLY;BYSETPOS=2",
			"0 TOO_MANY"},
		"a leap day, often": {1000, "DTSTART:20280229T100000\nRRULE:FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=29;" +
			"BYHOUR=10;BYMINUTE=0", "1001 WRITTEN_OUT Often: 1 WRITTEN_OUT"},
		"steps that seldom meet, often": {1000, "DTSTART:20280229T030000\nRRULE:FREQ=SECONDLY;INTERVAL=997;" +
			"BYHOUR=3;BYMINUTE=0;BYSECOND=0", "0 TOO_MANY"},
		"many minutes, often": {500, "DTSTART:20270615T100000\nRRULE:FREQ=MINUTELY", "0 TOO_MANY"},
	} {
		content := manyICS(c.events, "SUMMARY:Often\n"+c.lines)
		content = strings.Replace(content, "BEGIN:VEVENT",
			"BEGIN:VEVENT\nUID:good\nSUMMARY:Choir\nDTSTART:20270615T190000\nEND:VEVENT\nBEGIN:VEVENT", 1)
		i := importing{Exchange: &sdk.Exchange{}, calendar: &calendar{}}
		i.calendar.clock.zone.Store(&z)
		filestest.Bounded(t, []byte(content), func() {
			if err := i.check(t.Context(), i.entriesOfICS([]byte(content), nil, "Event")); err != nil {
				t.Fatal(err)
			}
		})
		got := fmt.Sprint(len(i.events))
		for _, told := range slices.Concat(i.Problems, i.Skipped, i.Notes) {
			got += " " + strings.TrimSpace(told.Code+" "+told.Detail)
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		} else if name == "seconds since 1900" && got[len(c.want):] < today {
			t.Errorf("%s: %q, want dates that are still to come", name, got)
		}
	}
}
