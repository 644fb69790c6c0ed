package main

import (
	"net/http"
	"strings"
	"testing"
)

// TestFeedOfARoom: the feed of a room has the events in that room alone, and a program that has it gets 304.
func TestFeedOfARoom(t *testing.T) {
	t.Parallel()
	s := filled(t)
	hall := s.office.Do("GET", "/calendar.ics?room=2", nil)
	text := string(hall.Body)
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
