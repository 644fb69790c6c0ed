package main

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

func TestMain(m *testing.M) { sdktest.Main(m) }

// started is a calendar of a house in Berlin with two rooms, and a person who writes events.
type started struct {
	*sdktest.Module
	module *calendar
	office *sdktest.Caller
}

func start(t *testing.T, zone string) *started {
	t.Helper()
	s := &started{module: &calendar{}}
	s.Module = sdktest.Start(t, s.module, sdktest.Options{TimeZone: zone})
	s.office = s.Person(manageEvents)
	for _, name := range []string{"Church", "Hall"} {
		if got := s.office.Do("POST", "/rooms", map[string]string{"name": name}); got.Status != 201 {
			t.Fatalf("POST /rooms %s: %s, want 201", name, got)
		}
	}
	return s
}

// write sends a draft and decodes the event in the response.
func (s *started) write(t *testing.T, method, path string, body string, status int) (e shownEvent) {
	t.Helper()
	got := s.office.Do(method, path, body)
	if got.Status != status {
		t.Fatalf("%s %s %s: %s, want %d", method, path, body, got, status)
	}
	if status < 300 && got.Body != "" {
		got.JSON(&e)
	}
	return e
}

// seen reads a window of the calendar.
func (s *started) seen(t *testing.T, from, to string) (w shownWindow) {
	t.Helper()
	s.Person().Do("GET", "/occurrences?from="+from+"&to="+to, nil).JSON(&w)
	return w
}

// starts returns the starts of all occurrences in a window, as "2026-03-01T10:00 = instant".
func (w shownWindow) starts() (all []string) {
	for _, o := range w.Occurrences {
		all = append(all, o.Start+" = "+o.StartsAt.UTC().Format("02T15:04Z"))
	}
	return all
}

func event1(title, start, end, rule string, rooms ...int) string {
	if rooms == nil {
		rooms = []int{}
	}
	text, _ := json.Marshal(map[string]any{"title": title, "start": start, "end": end, "rule": rule,
		"rooms": rooms})
	return string(text)
}

// with adds the rev that the writer saw to a body.
func with(body string, rev int64) string { return body[:len(body)-1] + fmt.Sprintf(`,"rev":%d}`, rev) }

// soon returns a day in the near future, in the house's local time.
func soon(days int) string { return time.Now().AddDate(0, 0, days).Format(dayForm) }
