package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestCalendarFile: the calendar of a house whose clock changes can be saved, by the module in its sandbox,
// where it has Go's own table of time zones.
func TestCalendarFile(t *testing.T) {
	t.Parallel()
	i := install(t, "calendar")
	i.db.Exec(t, `UPDATE core.house SET time_zone = 'Europe/Berlin', rev = rev + 1`)
	i.start(t)
	owner := i.visitor(t).signInAs(t, ownerAddress)
	made := owner.do("POST", "/api/v1/modules/calendar/events", map[string]any{
		"title": "Vigil", "text": "", "start": "2028-12-31T23:00", "end": "2029-01-01T01:00", "rule": "",
		"rooms": []int{},
	})
	if made.status != http.StatusCreated {
		t.Fatalf("POST /events: status %d, want 201; body %s", made.status, made.body)
	}
	got := owner.do("GET", "/api/v1/modules/calendar/calendar.ics", nil)
	if got.status != http.StatusOK || !strings.HasPrefix(got.body, "BEGIN:VCALENDAR\r\n") {
		t.Fatalf("GET /calendar.ics: status %d, want 200 and a calendar; body %.200s", got.status, got.body)
	}
	for _, want := range []string{"RDATE:20280326T020000\r\n", "RDATE:20281029T030000\r\n"} {
		if !strings.Contains(got.body, want) {
			t.Errorf("the file lacks a change of the clock, %q", want)
		}
	}
	for _, wrong := range []string{"1231T", "0101T00"} {
		for line := range strings.Lines(got.body) {
			if strings.HasPrefix(line, "RDATE:") && strings.Contains(line, wrong) {
				t.Errorf("the file has a change of the clock at a year's end: %s", line)
			}
		}
	}
	var process struct {
		Starts int `json:"starts"`
	}
	told := owner.do("GET", "/api/v1/module-lifecycle/calendar/process", nil)
	if err := json.Unmarshal([]byte(told.body), &process); err != nil || process.Starts != 1 {
		t.Errorf("the process after the file was saved: %s, want one start", told.body)
	}
}
