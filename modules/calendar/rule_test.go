package main

import (
	"errors"
	"slices"
	"testing"
	"time"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	moment, err := time.Parse(clockForm, text)
	if err != nil {
		t.Fatal(err)
	}
	return moment
}

// TestRules: corner cases of RFC 5545, and the rule's text.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, start, written string
		want                 []string // the first dates
	}{
		{"FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;UNTIL=20270630", "2027-06-01T19:00",
			"FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;UNTIL=20270630",
			[]string{"2027-06-01", "2027-06-15", "2027-06-29"}},
		{"FREQ=MONTHLY;BYDAY=-1SU", "2027-01-01T10:00", "FREQ=MONTHLY;BYDAY=-1SU",
			[]string{"2027-01-31", "2027-02-28", "2027-03-28"}},
		{"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2027-01-01T10:00",
			"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", []string{"2027-01-29", "2027-02-26", "2027-03-31"}},
		{"FREQ=MONTHLY", "2027-01-31T10:00", "FREQ=MONTHLY", []string{"2027-01-31", "2027-03-31", "2027-05-31"}},
		{"FREQ=YEARLY", "2024-02-29T10:00", "FREQ=YEARLY", []string{"2024-02-29", "2028-02-29"}},
		{"COUNT=2;FREQ=DAILY", "2027-02-28T10:00", "FREQ=DAILY;COUNT=2", []string{"2027-02-28", "2027-03-01"}},
		{"FREQ=DAILY;UNTIL=20270102T100000Z", "2027-01-01T10:00", "FREQ=DAILY;UNTIL=20270102",
			[]string{"2027-01-01", "2027-01-02"}},
		{"FREQ=DAILY;UNTIL=20270102T095900Z", "2027-01-01T10:00", "FREQ=DAILY;UNTIL=20270101",
			[]string{"2027-01-01"}},
		{"FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU", "2027-01-03T10:00",
			"FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU", []string{"2027-01-03", "2027-01-04", "2027-01-17"}},
		{"FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "2026-11-01T18:00", "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH",
			[]string{"2026-11-26", "2027-11-25"}},
	} {
		r, err := parseRule(c.rule, at(t, c.start))
		if err != nil || r.text() != c.written {
			t.Errorf("%s: written %q, error %v; want %q", c.rule, r.text(), err, c.written)
			continue
		}
		dates, err := r.dates(at(t, c.start), at(t, c.start).AddDate(4, 1, 0))
		var got []string
		for _, date := range dates[:min(len(dates), len(c.want))] {
			got = append(got, date.Format(dayForm))
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s from %s: %v, error %v; want %v", c.rule, c.start, got, err, c.want)
		}
	}
}

// TestRulesRefused: invalid rules, rules that this calendar does not support, and rules of unbounded cost.
func TestRulesRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"FREQ=SECONDLY", "FREQ=HOURLY", "FREQ=DAILY;BYHOUR=1,2,3", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
		"FREQ=DAILY;COUNT=1001", "FREQ=DAILY;INTERVAL=101", "FREQ=DAILY;INTERVAL=-1", "FREQ=DAILY;COUNT=-1",
		"FREQ=DAILY;COUNT=2;UNTIL=20270101", "FREQ=YEARLY;BYDAY=20MO", "FREQ=YEARLY;BYWEEKNO=20",
		"FREQ=WEEKLY;BYDAY=1MO",
		"FREQ=MONTHLY;BYMONTHDAY=32", "FREQ=DAILY;DTSTART=20270101T000000Z", "FREQ=DAILY\nFREQ=DAILY", "DAILY",
		"FREQ=DAILY;UNTIL=x", "FREQ=DAILY;X=1", "RRULE:FREQ=DAILY", "BYDAY=MO",
	} {
		if _, err := parseRule(text, at(t, "2027-01-01T10:00")); !errors.Is(err, errRule) {
			t.Errorf("%q: error %v, want RULE_INVALID", text, err)
		}
	}
}

// TestRuleThatNeverMatches: such a rule is refused after a bounded search.
func TestRuleThatNeverMatches(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30",
		"FREQ=MONTHLY;BYMONTHDAY=1;BYSETPOS=2"} {
		r, err := parseRule(text, at(t, "2027-01-01T10:00"))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, found := r.first(); found {
			t.Errorf("%s has a first date", text)
		}
		t.Logf("%s: %v", text, time.Since(began))
	}
}

// FuzzRule: any text is either refused or has a bounded number of dates.
func FuzzRule(f *testing.F) {
	for _, seed := range []string{"FREQ=WEEKLY;BYDAY=MO,-1FR;WKST=SU",
		"FREQ=MONTHLY;BYMONTHDAY=-1;BYSETPOS=1;COUNT=3",
		"FREQ=YEARLY;BYMONTH=2;UNTIL=20300101T000000Z;INTERVAL=4"} {
		f.Add(seed)
	}
	start := time.Date(2027, 1, 31, 10, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseRule(text, start)
		if err != nil || !r.repeats() {
			return
		}
		dates, err := r.dates(start, start.AddDate(2, 0, 0))
		if err != nil || len(dates) > maxDates {
			t.Fatalf("%q: %d dates, error %v", text, len(dates), err)
		}
		again, err := parseRule(r.text(), start)
		if err != nil || again.text() != r.text() {
			t.Fatalf("%q is written %q and then %q, error %v", text, r.text(), again.text(), err)
		}
	})
}
