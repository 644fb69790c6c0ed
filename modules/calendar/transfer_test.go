package main

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-ical"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/files/filestest"
	"github.com/narthex-platform/narthex/modulehost/sdk/ical/icaltest"
)

// filled returns a calendar with an example of everything.
func filled(t *testing.T) *started {
	t.Helper()
	s := start(t, "Europe/Berlin")
	s.write(t, "POST", "/events", event1("=Choir, \"loud\"; \\ "+strings.Repeat("ü", 60), soon(7)+"T19:00",
		soon(7)+"T20:30", "FREQ=WEEKLY;UNTIL="+strings.ReplaceAll(soon(70), "-", ""), 1, 2), 201)
	prayer := event1("Prayer", soon(1)+"T08:00", soon(1)+"T08:20", "FREQ=DAILY;COUNT=20", 1)
	e := s.write(t, "POST", "/events", prayer, 201)
	root := "/events/" + e.ID + "/dates/"
	s.write(t, "POST", root+soon(3)+"T08:00/cancel", `{"rev":1}`, 200)
	outside := with(event1("Prayer outside", soon(4)+"T09:00", soon(4)+"T09:30", ""), 2)
	s.write(t, "PUT", root+soon(4)+"T08:00", outside, 200)
	s.write(t, "POST", "/events", event1("Camp", soon(10), soon(12), ""), 201)
	return s
}

// send uploads a file.
func (s *started) send(t *testing.T, query, content string) (o outcome, status int) {
	t.Helper()
	request := s.office.Request("POST", "/import?"+query, strings.NewReader(content))
	request.Header.Set("Content-Type", "application/octet-stream")
	got := s.office.Send(request)
	got.JSON(&o)
	return o, got.Status
}

func (s *started) get(t *testing.T, path string) string {
	t.Helper()
	got := s.office.Do("GET", path, nil)
	if got.Status != http.StatusOK {
		t.Fatalf("GET %s: %s, want 200", path, got)
	}
	return got.Body
}

// TestRoundTrip: importing an export into an empty installation creates the same calendar. Importing it where
// it was exported changes nothing.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	from := filled(t)
	want := from.seen(t, soon(0), soon(90)).days()
	files := map[string]string{"json": "/export", "csv": "/export.csv", "ics": "/calendar.ics"}
	for format, path := range files {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			content := from.get(t, path)
			to := start(t, "Europe/Berlin")
			preview, status := to.send(t, "preview=1&format="+format, content)
			if status != 200 || preview.Events != 3 || preview.ProblemCount != 0 {
				t.Fatalf("preview: %d %+v, want 3 events", status, preview)
			}
			if got := to.seen(t, soon(0), soon(90)); len(got.Occurrences) > 0 {
				t.Fatalf("a preview has written %v", got.days())
			}
			if done, status := to.send(t, "format="+format, content); status != 200 || done.Events != 3 {
				t.Fatalf("import: %d %+v, want 3 events", status, done)
			}
			got := to.seen(t, soon(0), soon(90)).days()
			if format == "csv" { // CSV does not contain exceptional dates
				got, want := len(got), len(want)+1
				if got != want {
					t.Errorf("%d dates, want %d", got, want)
				}
			} else if !slices.Equal(got, want) {
				t.Errorf("imported %v, want %v", got, want)
			}
			rev := to.seen(t, soon(0), soon(90)).Rev
			if again, _ := to.send(t, "format="+format, content); again.Known != 3 || again.Events != 0 {
				t.Errorf("the second import: %+v, want three that are known", again)
			}
			if now := to.seen(t, soon(0), soon(90)).Rev; now != rev {
				t.Errorf("the rev was %d before the second import, and is %d; want no change", rev, now)
			}
			out, want := to.get(t, path), content
			if format == "ics" {
				out, want = withoutStamps(out), withoutStamps(want)
			}
			if format != "csv" && out != want {
				t.Errorf("exported again:\n%s, want\n%s", out, want)
			}
		})
	}
}

// TestICS: another library reads the same events from the file, which follows the rules of RFC 5545.
func TestICS(t *testing.T) {
	t.Parallel()
	s := filled(t)
	const title = `Tea; cake, \o/`
	s.write(t, "POST", "/events", event1(title, soon(3)+"T15:00", soon(3)+"T16:00", ""), 201)
	content := s.get(t, "/calendar.ics")
	if want := `SUMMARY:Tea\; cake\, \\o/` + "\r\n"; !strings.Contains(content, want) {
		t.Errorf("the file has not %q for the title %s:\n%s", want, title, content)
	}
	icaltest.Check(t, content)
	parsed, err := ical.NewDecoder(strings.NewReader(content)).Decode()
	if err != nil {
		t.Fatalf("%v in\n%s", err, content)
	}
	var again bytes.Buffer
	if err := ical.NewEncoder(&again).Encode(parsed); err != nil {
		t.Errorf("the other library finds it invalid: %v", err)
	}
	berlin, _ := time.LoadLocation("Europe/Berlin")
	from := time.Now().AddDate(0, 0, -1)
	gone := make(map[string]bool) // cancelled dates, by UID and start
	for _, event := range parsed.Events() {
		if status, _ := event.Props.Text(ical.PropStatus); status == "CANCELLED" {
			at, err := event.Props.DateTime(ical.PropRecurrenceID, berlin)
			if err != nil {
				t.Fatal(err)
			}
			gone[event.Props.Get(ical.PropUID).Value+at.UTC().String()] = true
		}
	}
	if len(gone) == 0 {
		t.Error("no date of a series is told as cancelled")
	}
	for _, event := range parsed.Events() {
		title, _ := event.Props.Text(ical.PropSummary)
		if event.Props.Get(ical.PropRecurrenceID) != nil {
			continue
		}
		set, err := event.RecurrenceSet(berlin)
		if err != nil {
			t.Errorf("%s: %v", title, err)
			continue
		}
		if set == nil {
			continue
		}
		var want []string
		for _, o := range s.seen(t, soon(0), soon(90)).Occurrences {
			if o.Event+icsSuffix == event.Props.Get(ical.PropUID).Value {
				want = append(want, o.Date)
			}
		}
		var got []string
		for _, date := range set.Between(from, from.AddDate(0, 0, 88), true) {
			if !gone[event.Props.Get(ical.PropUID).Value+date.UTC().String()] {
				got = append(got, date.In(berlin).Format(clockForm))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the other library finds %v, want %v", title, got, want)
		}
	}
	if zone := parsed.Children[0]; zone.Name != "VTIMEZONE" || len(zone.Children) != 3 {
		t.Errorf("the first component is %s with %d observances, want VTIMEZONE with 3", zone.Name,
			len(zone.Children))
	}
}

const icsFrame = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n%sEND:VCALENDAR\r\n"

func icsOf(lines string) string {
	return fmt.Sprintf(icsFrame,
		"BEGIN:VEVENT\r\nSUMMARY:Choir\r\n"+strings.ReplaceAll(lines, " ", "\r\n")+"\r\nEND:VEVENT\r\n")
}

// TestOtherPrograms: files of other programs are imported, or refused with the line of the problem.
func TestOtherPrograms(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	for name, c := range map[string]struct{ ics, want string }{
		"UTC, once":          {icsOf("UID:1 DTSTART:20270601T080000Z DTEND:20270601T090000Z"), "2027-06-01T10:00"},
		"another zone, once": {icsOf("UID:2 DTSTART;TZID=America/New_York:20270602T100000"), "2027-06-02T16:00"},
		"floating":           {icsOf("UID:3 DTSTART:20270603T100000 DURATION:PT2H"), "2027-06-03T10:00"},
		"a day":              {icsOf("UID:4 DTSTART;VALUE=DATE:20270604"), "2027-06-04"},
		"a quoted zone": {icsOf(`UID:5 DTSTART;TZID="Europe/Paris":20270605T100000 RRULE:FREQ=DAILY;COUNT=1`),
			"2027-06-05T10:00"},
		"until in UTC": {icsOf("UID:6 DTSTART;TZID=Europe/Berlin:20270606T100000" +
			" RRULE:FREQ=DAILY;UNTIL=20270606T080000Z"),
			"2027-06-06T10:00"},
		"an alarm within": {icsOf("UID:7 DTSTART:20270607T100000 BEGIN:VALARM TRIGGER:-PT5M END:VALARM"),
			"2027-06-07T10:00"},
		"cancelled": {icsOf("UID:8 DTSTART:20270608T100000 STATUS:CANCELLED"), ""},
		"repeats elsewhere": {icsOf("UID:9 DTSTART;TZID=America/New_York:20270609T100000 RRULE:FREQ=DAILY"),
			"2027-06-09T16:00"},
		"an unknown zone": {icsOf("UID:10 DTSTART;TZID=Mars:20270610T100000"), "3 ZONE_UNKNOWN"},
		"more dates":      {icsOf("UID:11 DTSTART:20270611T100000 RDATE:20270612T100000"), "2027-06-11T10:00"},
		"each second": {icsOf("UID:12 DTSTART:20270612T100000 RRULE:FREQ=SECONDLY;UNTIL=20270612T100059"),
			"2027-06-12T10:00"},
		"a million times": {icsOf("UID:13 DTSTART:20270613T100000 RRULE:FREQ=DAILY;COUNT=1000000"),
			"2027-06-13T10:00"},
		"a weekday again and again": {icsOf("UID:14 DTSTART:20270614T100000" +
			" RRULE:FREQ=YEARLY;BYDAY=" + strings.Repeat("MO,", 9999) + "MO"),
			"2027-06-14T10:00"},
		"a day that never comes": {icsOf("UID:16 DTSTART:20270614T100000" +
			" RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"),
			"3 RULE_INVALID"},
		"no calendar": {"BEGIN:VCARD\nEND:VCARD\n", "0 FILE_INVALID"},
		"not ended":   {"BEGIN:VCALENDAR\n", "0 FILE_INVALID"},
		"deeply nested": {fmt.Sprintf(icsFrame,
			strings.Repeat("BEGIN:X\n", 1000)+strings.Repeat("END:X\n", 1000)),
			"0 FILE_INVALID"},
		"a line without end": {fmt.Sprintf(icsFrame,
			"X:"+strings.Repeat("x\r\n ", 80000)+"\r\n"),
			"0 FILE_INVALID"},
		"no events": {fmt.Sprintf(icsFrame, "X:\xff\r\n"), "0 FILE_INVALID"},
		"too many exceptions": {icsOf("UID:15 DTSTART:20270614T100000" +
			" RRULE:FREQ=DAILY " + strings.Repeat("EXDATE:20270614T100000 ", maxDates+1) + "SEQUENCE:1"),
			"0 TOO_MANY"},
	} {
		preview, _ := s.send(t, "format=ics&preview=1", c.ics)
		got := ""
		if told := slices.Concat(preview.Problems, preview.Skipped); len(told) > 0 {
			got = fmt.Sprintf("%d %s", told[0].Line, told[0].Code)
		} else if done, _ := s.send(t, "format=ics", c.ics); done.Events > 0 {
			day := c.want[:len(dayForm)]
			at, _ := time.Parse(dayForm, day)
			for _, o := range s.seen(t, day, at.AddDate(0, 0, 1).Format(dayForm)).Occurrences {
				got += o.Start
			}
		}
		if _, err := s.module.db.Exec(t.Context(), `DELETE FROM events`); err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestGoodRowsOfAnImport: a row that cannot be imported is told, and the others are imported; a second import
// changes nothing. A file that is no table changes nothing at all.
func TestGoodRowsOfAnImport(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line, code string
	}{
		"a room is taken":   {"Band," + soon(14) + "T10:30," + soon(14) + "T11:00,Church\n", "ROOM_TAKEN"},
		"itself in the way": {"Fete," + soon(13) + "T10:30," + soon(13) + "T11:00,Garden\n", "ROOM_TAKEN"},
		"no title":          {"," + soon(14) + "T08:30,,Church\n", "EVENT_INVALID"},
		"a room's name": {"Band," + soon(14) + "T10:30," + soon(14) + "T11:00," +
			strings.Repeat("x", maxRoomName+1) + "\n", "ROOM_INVALID"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, "Europe/Berlin")
			s.write(t, "POST", "/events", event1("Choir", soon(7)+"T10:00", soon(7)+"T11:00", "FREQ=WEEKLY", 1), 201)
			file := "title,start,end,rooms\nFete," + soon(13) + "T10:00," + soon(13) + "T11:00,Garden\n" + c.line
			for _, query := range []string{"preview=1&format=csv", "format=csv"} {
				got, status := s.send(t, query, file)
				if status != 200 || got.Events != 1 || len(got.Skipped) != 1 || got.Skipped[0].Code != c.code ||
					got.Skipped[0].Line != 3 || got.NoteCount != len(got.Notes) ||
					slices.ContainsFunc(got.Notes, func(n sdk.Problem) bool { return n.Line == 3 }) {
					t.Errorf("%s: %d %+v, want one event and %s at line 3 alone", query, status, got, c.code)
				}
			}
			if got := s.seen(t, soon(13), soon(14)); len(got.Occurrences) != 1 || len(got.Occurrences[0].Waiting) > 0 {
				t.Errorf("afterwards: %+v, want the good event with its room", got.Occurrences)
			}
			if got, _ := s.send(t, "format=csv", file); got.Events != 0 || got.Known != 1 {
				t.Errorf("the second import: %+v, want nothing changed", got)
			}
		})
	}
	s := start(t, "Europe/Berlin")
	if got, status := s.send(t, "format=csv", "town,street\nA,B\n"); status != 400 ||
		got.Code != "IMPORT_INVALID" {
		t.Errorf("a broken table: %d %+v, want 400", status, got)
	}
}

// TestOrderOfDates: a table whose dates can be read in two ways is imported after it was said which.
func TestOrderOfDates(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	const table = "Title,Start\nChoir,3/4/2027 19:30\n"
	if got, status := s.send(t, "format=csv&preview=1", table); status != 200 || got.ProblemCount != 1 ||
		got.Problems[0].Code != "DATES_AMBIGUOUS" || got.Problems[0].Detail != "3/4/2027 19:30" {
		t.Errorf("without an order: %d %+v, want the question", status, got)
	}
	for order, want := range map[string]string{"dmy": "2027-04-03T19:30", "mdy": "2027-03-04T19:30"} {
		if got, _ := s.send(t, "format=csv&preview=1&dates="+order, table); len(got.Examples) != 1 ||
			got.Examples[0].Start != want {
			t.Errorf("%s: %+v, want %s", order, got, want)
		}
	}
}

// FuzzICS: every upload is imported or refused, within the limits.
func FuzzICS(f *testing.F) {
	f.Add(icsOf(`UID:5 DTSTART;TZID="Europe/Paris":20270605T100000 RRULE:FREQ=DAILY;COUNT=1 ` +
		`EXDATE:20270605T100000`))
	f.Add(icsOf("UID:4 DTSTART;VALUE=DATE:20270604 DURATION:P1D LOCATION:Hall\\, Church"))
	f.Add("BEGIN:VCALENDAR\n x\nEND:VCALENDAR")
	z := inZone(f, "Europe/Berlin")
	f.Fuzz(func(t *testing.T, content string) {
		i := importing{Exchange: &sdk.Exchange{}, calendar: &calendar{}, ids: map[string]int64{"Hall": 1}}
		i.calendar.clock.zone.Store(&z)
		filestest.Bounded(t, []byte(content), func() {
			if err := i.check(t.Context(), i.entriesOfICS([]byte(content), []string{"Hall"}, "Event")); err != nil {
				t.Fatal(err)
			}
		})
		for _, e := range i.events {
			if _, err := e.occurrences(e.start, e.start.AddDate(2, 0, 0), nil); err != nil {
				t.Fatalf("%q has a rule %q that is not bounded: %v", content, e.rule, err)
			}
		}
	})
}

// FuzzTables: every table and every archive is imported or refused, within the limits.
func FuzzTables(f *testing.F) {
	f.Add([]byte("title,start,end,rooms\nFete,2027-06-06T10:00,,\"Hall, Garden\"\n"), "")
	f.Add([]byte("3/4/2027;19:00;Choir\n"), "above:0,start:0,starttime:1,title:2")
	f.Add([]byte(`{"format":"narthex-calendar-1","zone":"UTC","rooms":["Hall"],"events":[{"id":"x"}]}`), "json")
	z := inZone(f, "Europe/Berlin")
	f.Fuzz(func(t *testing.T, content []byte, choice string) {
		i := importing{Exchange: &sdk.Exchange{Preview: true, Choice: choice, Dates: "dmy"}, calendar: &calendar{},
			ids: map[string]int64{"Hall": 1}}
		i.calendar.clock.zone.Store(&z)
		read := func() []entry { return i.entriesOfTable(content, []string{"Hall"}) }
		if choice == "json" {
			read = func() []entry { return i.entriesOfJSON(content) }
		}
		filestest.Bounded(t, content, func() {
			if err := i.check(t.Context(), read()); err != nil {
				t.Fatal(err)
			}
		})
	})
}
