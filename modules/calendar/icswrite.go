package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/ical"
)

// The forms of RFC 5545, for the reader.
const (
	icsDay   = ical.Day
	icsLocal = ical.Local
	icsUTC   = ical.UTC
)

// icsSuffix ends the UIDs of this module's own events.
const icsSuffix = "@narthex"

// icsWriter writes a calendar in the format of other programs.
type icsWriter struct {
	*ical.Calendar
	zone zone
}

// ics returns the calendar in the format of other programs. With a room it has the events in that room alone.
func (all *everything) ics(name string, room int64, now time.Time) []byte {
	w := &icsWriter{Calendar: ical.Begin(all.zone.place, "Calendar", name), zone: all.zone}
	since := now
	if len(all.events) > 0 {
		since = all.events[0].start
	}
	w.Zone(since, now)
	for _, e := range all.events {
		if room == 0 || slices.Contains(e.rooms, room) {
			w.event(e, all.exceptions[e.id], all)
		}
	}
	return w.End()
}

func (w *icsWriter) event(e *event, exceptions []exception, all *everything) {
	w.Event(e.id+icsSuffix, e.rev, e.changed)
	w.times(e.times)
	if e.rule != "" {
		w.rule(e)
	}
	w.words(e.title, e.text, all.names(e.rooms))
	for _, x := range exceptions {
		w.Event(e.id+icsSuffix, e.rev, e.changed)
		w.Time("RECURRENCE-ID", x.recurrence, e.allDay)
		if x.cancelled {
			// programs show it as cancelled, or take it out
			w.times(times{start: x.recurrence, minutes: e.minutes, allDay: e.allDay})
			w.Line("STATUS:CANCELLED")
			w.words(e.title, "", nil)
			continue
		}
		w.times(x.times)
		w.words(x.title, x.text, all.names(x.rooms))
	}
}

// times writes the duration instead of the end, because it is correct even if the clock changes in between.
func (w *icsWriter) times(t times) {
	w.Time("DTSTART", t.start, t.allDay)
	if t.allDay {
		w.Line(fmt.Sprintf("DURATION:P%dD", t.minutes/(24*60)))
	} else {
		w.Line(fmt.Sprintf("DURATION:PT%dM", t.minutes))
	}
}

// rule writes the last day as an instant in UTC, as RFC 5545 §3.3.10 requires if DTSTART has a zone.
func (w *icsWriter) rule(e *event) {
	rule, err := parseRule(e.rule, e.start)
	if err != nil {
		return // impossible: it was checked when it was stored
	}
	until := ""
	if last := rule.option.Until; !last.IsZero() {
		until = last.Format(icsDay)
		if !e.allDay {
			until = w.zone.instant(last.Add(e.start.Sub(dayOf(e.start)))).UTC().Format(icsUTC)
		}
	}
	w.Line("RRULE:" + rule.written(until))
}

func (w *icsWriter) words(title, text string, rooms []string) {
	w.Text("SUMMARY", title)
	w.Text("DESCRIPTION", text)
	w.Text("LOCATION", strings.Join(rooms, ", "))
	w.Line("END:VEVENT")
}
