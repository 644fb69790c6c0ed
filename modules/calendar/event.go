package main

import (
	"slices"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// Limits of one event.
const (
	maxTitle      = 120 // characters
	maxText       = 1000
	maxEventRooms = 20
	maxLength     = 366 * day
)

// The range of an event's times. Later ones would only cost time and memory.
var (
	earliest = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// times are the times of one date. start is the house's local time.
type times struct {
	start   time.Time
	minutes int64
	allDay  bool
}

// ends returns the end in the house's local time, and both instants. A day's length depends on changes of the
// clock; an hour always has the same length (RFC 5545 §3.8.5.3).
func (t times) ends(z zone) (end, from, until time.Time) {
	from = z.instant(t.start)
	if t.allDay {
		end = t.start.Add(time.Duration(t.minutes) * time.Minute)
		return end, from, z.instant(end)
	}
	until = from.Add(time.Duration(t.minutes) * time.Minute)
	return z.local(until), from, until
}

// event is a row of the table events.
type event struct {
	times
	id, title, text string
	rule            string
	rooms           []int64
	rev             int64
	changed         time.Time
	service         bool   // of the module that plans services
	off             bool   // deleted, or a date that does not take place
	exceptions      string // what becomes of those without a date; not stored
}

// shownEvent is an event in the form that callers get.
type shownEvent struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Text      string   `json:"text"`
	Start     string   `json:"start"`
	End       string   `json:"end"`
	AllDay    bool     `json:"allDay"`
	Rule      string   `json:"rule"`
	Rooms     []int64  `json:"rooms"`
	Rev       int64    `json:"rev"`
	Service   bool     `json:"service"`
	Cancelled []string `json:"cancelled"` // cancelled dates of a repeating event
	Moved     []string `json:"moved"`
}

func (e *event) shown(z zone) shownEvent {
	shown := shownEvent{ID: e.id, Title: e.title, Text: e.text, AllDay: e.allDay, Rule: e.rule, Rooms: e.rooms,
		Rev: e.rev, Service: e.service}
	shown.Start, shown.End = e.times.text(z)
	return shown
}

// text returns start and end: days, with the last one included, or times.
func (t times) text(z zone) (start, end string) {
	last, _, _ := t.ends(z)
	if t.allDay {
		return t.start.Format(dayForm), last.Add(-day).Format(dayForm)
	}
	return t.start.Format(clockForm), last.Format(clockForm)
}

// draft is an event in the form that callers send. Start and end are both days, or both local times of the
// house.
type draft struct {
	Title string  `json:"title"`
	Text  string  `json:"text,omitempty"`
	Start string  `json:"start"`
	End   string  `json:"end"`
	Rule  string  `json:"rule,omitempty"`
	Rooms []int64 `json:"rooms,omitempty"`
	Rev   *int64  `json:"rev"` // only of an edit: the rev that the writer saw
	// Exceptions says what becomes of those for which the series has no date any more.
	Exceptions string `json:"exceptions,omitempty"`
}

// typed is event for a draft that a person has typed, whose times must exist.
func (d *draft) typed(z zone) (*event, error) {
	if err := d.exists(z); err != nil {
		return nil, err
	}
	return d.event(z)
}

// event checks a draft. If the start is not a date of its rule, the event begins with the first date that is.
func (d *draft) event(z zone) (*event, error) {
	title := strings.TrimSpace(d.Title)
	if !sdk.IsText(title, 1, maxTitle) || !sdk.IsText(d.Text, 0, maxText) || len(d.Rooms) > maxEventRooms ||
		repeated(d.Rooms) ||
		!slices.Contains([]string{exceptionsAsk, exceptionsMove, exceptionsDrop}, d.Exceptions) {
		return nil, sdk.ErrRequestInvalid
	}
	t, err := readTimes(d.Start, d.End, z)
	if err != nil {
		return nil, err
	}
	rule, err := parseRule(d.Rule, t.start)
	if err != nil {
		return nil, err
	}
	if rule.repeats() {
		first, ok := rule.first()
		if !ok {
			return nil, errRule
		}
		t.start = first
	}
	return &event{times: t, title: title, text: d.Text, rule: rule.text(), rooms: d.Rooms,
		exceptions: d.Exceptions}, nil
}

// readTimes parses two days or two times.
func readTimes(start, end string, z zone) (t times, err error) {
	form := clockForm
	if t.allDay = len(start) == len(dayForm); t.allDay {
		form = dayForm
	}
	from, err := time.Parse(form, start)
	until, endErr := time.Parse(form, end)
	if err != nil || endErr != nil || from.Before(earliest) || until.After(latest) {
		return t, sdk.ErrRequestInvalid
	}
	lasts := until.Add(day).Sub(from)
	if !t.allDay {
		lasts = z.instant(until).Sub(z.instant(from))
	}
	if lasts < time.Minute || lasts > maxLength {
		return t, sdk.ErrRequestInvalid
	}
	t.start, t.minutes = from, int64(lasts/time.Minute)
	return t, nil
}

// readDate parses the date of a repeating event in a path.
func readDate(text string) (time.Time, error) {
	date, err := time.Parse(clockForm, text)
	if err != nil {
		return date, errNoDate
	}
	return date, nil
}

func repeated(ids []int64) bool {
	seen := make(map[int64]bool, len(ids))
	for _, id := range ids {
		if seen[id] {
			return true
		}
		seen[id] = true
	}
	return false
}
