package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk/ical/icaltest"
)

// TestFeedOfARoom: the feed of a room has the events in that room alone, and a program that has it gets 304.
func TestFeedOfARoom(t *testing.T) {
	t.Parallel()
	s := filled(t)
	hall := s.office.Do("GET", "/calendar.ics?room=2", nil)
	text := string(hall.Body)
	icaltest.Check(t, text)
	if !strings.Contains(text, "Choir") || strings.Contains(text, "Camp") ||
		!strings.Contains(text, "\r\nNAME:Hall") {
		t.Errorf("the feed of the hall is:\n%s\nwant its name, the choir and no camp", text)
	}
	for query, want := range map[string]int{"?room=99": 404, "?room=x": 404, "?other=1": 400} {
		if got := s.office.Do("GET", "/calendar.ics"+query, nil).Status; got != want {
			t.Errorf("GET /calendar.ics%s: status %d, want %d", query, got, want)
		}
	}
	request := s.office.Request("GET", "/calendar.ics?room=2", nil)
	request.Header.Set("If-None-Match", `"other", W/`+hall.Header.Get("Etag"))
	if got := s.office.Send(request); got.Status != http.StatusNotModified {
		t.Errorf("a known feed: status %d, want 304", got.Status)
	}
}

// TestChangesInTheFeed: whatever is changed, the feed stays a calendar by the rules, and shows a program what
// has changed: the event has a larger sequence, all others are what they were. A cancelled date is there as
// such.
func TestChangesInTheFeed(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Europe/Berlin", "UTC"} {
		s := start(t, zone)
		before := s.get(t, "/calendar.ics")
		icaltest.Check(t, before)
		choir := s.write(t, "POST", "/events", event1("Choir", soon(2)+"T19:00", soon(2)+"T20:00",
			"FREQ=WEEKLY;COUNT=3", 1), 201)
		camp := s.write(t, "POST", "/events", event1("Camp", soon(3), soon(5), ""), 201)
		dates := "/events/" + choir.ID + "/dates/"
		for _, step := range []struct {
			what, method, path, body string
			status                   int
			now                      string // a line of the feed
		}{
			{"renamed", "PUT", "/events/" + camp.ID, with(event1("Tents", soon(3), soon(5), ""), 1), 200,
				"SUMMARY:Tents"},
			{"moved", "PUT", "/events/" + camp.ID, with(event1("Tents", soon(4), soon(5), ""), 2), 200,
				"DTSTART;VALUE=DATE:" + strings.ReplaceAll(soon(4), "-", "")},
			{"a date cancelled", "POST", dates + soon(9) + "T19:00/cancel", `{"rev":1}`, 200, "STATUS:CANCELLED"},
			{"a date moved", "PUT", dates + soon(16) + "T19:00",
				with(event1("Choir outside", soon(17)+"T20:00", soon(17)+"T21:00", ""), 2), 200,
				"SUMMARY:Choir outside"},
			{"a date is back", "POST", dates + soon(9) + "T19:00/restore", `{"rev":3}`, 200, "SUMMARY:Choir"},
			{"deleted", "DELETE", "/events/" + camp.ID, "", 204, "SUMMARY:Choir outside"},
			{"restored", "POST", "/events/" + camp.ID + "/restore", `{}`, 200, "SUMMARY:Tents"},
		} {
			s.write(t, step.method, step.path, step.body, step.status)
			after := s.get(t, "/calendar.ics")
			if !strings.Contains(after, "\r\n"+step.now+"\r\n") {
				t.Errorf("%s, %s: the feed has no line %s:\n%s", zone, step.what, step.now, after)
			}
			icaltest.Check(t, after)
			icaltest.CheckChange(t, before, after)
			before = after
		}
	}
}
