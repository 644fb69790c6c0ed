package icaltest_test

import (
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk/ical/icaltest"
)

const good = `BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Narthex//Test//EN
NAME:St. Mary\, Hill
REFRESH-INTERVAL;VALUE=DURATION:PT1H
BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:STANDARD
DTSTART:20251026T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
TZNAME:CET
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
UID:choir@narthex
DTSTAMP:20251101T100000Z
SEQUENCE:3
DTSTART;TZID=Europe/Berlin:20251201T190000
DURATION:PT90M
RRULE:FREQ=WEEKLY;UNTIL=20251231T180000Z
SUMMARY:Choir
URL:https://church.example.org/#/m/calendar
END:VEVENT
BEGIN:VEVENT
UID:choir@narthex
DTSTAMP:20251101T100000Z
SEQUENCE:3
RECURRENCE-ID;TZID=Europe/Berlin:20251208T190000
DTSTART;TZID=Europe/Berlin:20251208T190000
DURATION:PT90M
STATUS:CANCELLED
SUMMARY:Choir
END:VEVENT
BEGIN:VEVENT
UID:camp@narthex
DTSTAMP:20251101T100000Z
SEQUENCE:1
DTSTART;VALUE=DATE:20251201
DURATION:P2D
SUMMARY:Camp
END:VEVENT
END:VCALENDAR
`

func file(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// TestProblems: a sound calendar has none, and each change of it that a validator would refuse has one.
func TestProblems(t *testing.T) {
	t.Parallel()
	if all := icaltest.Problems(file(good)); len(all) > 0 {
		t.Fatalf("a sound calendar has the problems %q", all)
	}
	for _, c := range [][2]string{
		{"VERSION:2.0\n", ""}, {"VERSION:2.0", "VERSION:1.0"}, {"PRODID", "X-PRODID"},
		{"NAME:", "METHOD:PUBLISH\nNAME:"}, {"\\, Hill", ", Hill"}, {";VALUE=DURATION:PT1H", ":PT1H"},
		{"REFRESH-INTERVAL;VALUE=DURATION:PT1H\n", ""}, {"TZID:Europe/Berlin", "TZID:Europe/Paris"},
		{"TZOFFSETFROM:+0200\n", ""}, {"TZOFFSETTO:+0100", "TZOFFSETTO:+1:00"},
		{"DTSTART:20251026T030000", "DTSTART:20251026T030000Z"}, {"UID:camp@narthex\n", ""},
		{"UID:camp@", "UID:choir@"}, {"DTSTAMP:20251101T100000Z", "DTSTAMP:20251101T100000"},
		{"SEQUENCE:1\n", ""}, {"SEQUENCE:1", "SEQUENCE:-1"}, {"STATUS:CANCELLED", "STATUS:GONE"},
		{"DURATION:P2D", "DURATION:PT48H"}, {"DURATION:P2D", "DURATION:P2D\nDTEND;VALUE=DATE:20251203"},
		{"DTSTART;VALUE=DATE:20251201\n", ""}, {"DTSTART;VALUE=DATE:20251201", "DTSTART:20251201"},
		{"UNTIL=20251231T180000Z", "UNTIL=20251231T190000"}, {"UNTIL=20251231T180000Z", "UNTIL=20251231"},
		{"RRULE:FREQ=WEEKLY;UNTIL=20251231T180000Z\n", ""},
		{"RECURRENCE-ID;TZID=Europe/Berlin:20251208T190000", "RECURRENCE-ID:20251208T180000Z"},
		{"SUMMARY:Camp", "SUMMARY:Camp; tents"}, {"SUMMARY:Camp", `SUMMARY:Camp \x`},
		{"SUMMARY:Camp", "SUMMARY Camp"}, {"SUMMARY:Camp", "SUMMARY:Camp\nSUMMARY:Camp"},
		{"SUMMARY:Camp", "SUMMARY:\x07"}, {"SUMMARY:Camp", "SUMMARY:" + strings.Repeat("x", 70)},
		{"URL:https:", "URL:"}, {"END:VCALENDAR\n", ""}, {"END:VTIMEZONE", "END:VEVENT"},
		{"BEGIN:VCALENDAR", "BEGIN:VCARD"},
	} {
		changed := strings.Replace(good, c[0], c[1], 1)
		if changed == good {
			t.Fatalf("%q is not in the calendar", c[0])
		}
		if len(icaltest.Problems(file(changed))) == 0 {
			t.Errorf("with %q instead of %q the calendar has no problem", c[1], c[0])
		}
	}
	for what, text := range map[string]string{
		"LF": good,
		"no events": file("BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\nREFRESH-INTERVAL;VALUE=DURATION:PT1H\n" +
			"END:VCALENDAR\n"),
		"no UTF-8": file(strings.Replace(good, "Camp", "\xff", 1)),
	} {
		if len(icaltest.Problems(text)) == 0 {
			t.Errorf("%s: the calendar has no problem", what)
		}
	}
}

// TestChangeProblems: an event that has changed needs a larger sequence, and one that has not may have it.
func TestChangeProblems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		old, new string
		wrong    bool
	}{
		{"SUMMARY:Camp", "SUMMARY:Tents", true}, {"SEQUENCE:1", "SEQUENCE:2", false},
		{"SEQUENCE:1", "SEQUENCE:0", true},
		{"SEQUENCE:1\nDTSTART;VALUE=DATE:20251201", "SEQUENCE:2\nDTSTART;VALUE=DATE:20251202", false},
		{"STATUS:CANCELLED\n", "", true}, {"UID:camp", "UID:tents", false},
		{"20251101T100000Z\nSEQUENCE:1\n", "20251031T100000Z\nSEQUENCE:1\n", true},
	} {
		after := strings.Replace(good, c.old, c.new, 1)
		if found := icaltest.ChangeProblems(file(good), file(after)); len(found) > 0 != c.wrong {
			t.Errorf("from %q to %q: %q, want problems: %t", c.old, c.new, found, c.wrong)
		}
	}
}
