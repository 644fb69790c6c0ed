package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// The forms of RFC 5545 §3.3.4 and §3.3.5.
const (
	icsDay   = "20060102"
	icsLocal = "20060102T150405"
	icsUTC   = "20060102T150405Z"
)

// icsSuffix ends the UIDs of this module's own events.
const icsSuffix = "@narthex"

// zoneYears is for how many years ahead the changes of the clock are written.
const zoneYears = 10

// icsWriter writes content lines, which end with CRLF. Lines over 75 octets are folded (RFC 5545 §3.1).
type icsWriter struct {
	bytes.Buffer
	zone zone
}

func (w *icsWriter) line(text string) {
	const most = 75
	for room := most; len(text) > room; room = most - 1 {
		cut := room
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		w.WriteString(text[:cut] + "\r\n ")
		text = text[cut:]
	}
	w.WriteString(text + "\r\n")
}

// text escapes a value of the type TEXT.
func (w *icsWriter) text(name, value string) {
	if value == "" {
		return
	}
	escape := strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`)
	w.line(name + ":" + strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return -1 // TEXT must not contain control characters
		}
		return r
	}, escape.Replace(value)))
}

// moment writes a local time: as a day, in UTC if the house's zone is UTC, or with the zone.
func (w *icsWriter) moment(name string, local time.Time, allDay bool) {
	switch {
	case allDay:
		w.line(name + ";VALUE=DATE:" + local.Format(icsDay))
	case w.zone.place == time.UTC:
		w.line(name + ":" + local.Format(icsUTC))
	default:
		w.line(name + ";TZID=" + w.zone.place.String() + ":" + local.Format(icsLocal))
	}
}

// ics returns the calendar in the format of other programs.
func (all *everything) ics(now time.Time) []byte {
	w := &icsWriter{zone: all.zone}
	w.line("BEGIN:VCALENDAR")
	w.line("VERSION:2.0")
	w.line("PRODID:-//Narthex//Calendar//EN")
	w.line("CALSCALE:GREGORIAN")
	if w.zone.place != time.UTC {
		from := now
		if len(all.events) > 0 && all.events[0].start.Before(now) {
			from = all.events[0].start
		}
		w.timezone(dayOf(from).AddDate(-1, 0, 0), now.AddDate(zoneYears, 0, 0))
	}
	for _, e := range all.events {
		w.event(e, all.names(e.rooms), all.exceptions[e.id], now, all)
	}
	w.line("END:VCALENDAR")
	return w.Bytes()
}

func (w *icsWriter) event(e *event, rooms []string, exceptions []exception, now time.Time, all *everything) {
	begin := func() {
		w.line("BEGIN:VEVENT")
		w.line("UID:" + e.id + icsSuffix)
		w.line("DTSTAMP:" + now.UTC().Format(icsUTC))
		w.line(fmt.Sprintf("SEQUENCE:%d", e.rev))
	}
	begin()
	w.times(e.times)
	if e.rule != "" {
		w.rule(e)
	}
	for _, x := range exceptions {
		if x.cancelled {
			w.moment("EXDATE", x.recurrence, e.allDay)
		}
	}
	w.words(e.title, e.text, rooms)
	for _, x := range exceptions {
		if x.cancelled {
			continue
		}
		begin()
		w.moment("RECURRENCE-ID", x.recurrence, e.allDay)
		w.times(x.times)
		w.words(x.title, x.text, all.names(x.rooms))
	}
}

// times writes the duration instead of the end, because it is correct even if the clock changes in between.
func (w *icsWriter) times(t times) {
	w.moment("DTSTART", t.start, t.allDay)
	if t.allDay {
		w.line(fmt.Sprintf("DURATION:P%dD", t.minutes/(24*60)))
	} else {
		w.line(fmt.Sprintf("DURATION:PT%dM", t.minutes))
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
	w.line("RRULE:" + rule.written(until))
}

func (w *icsWriter) words(title, text string, rooms []string) {
	w.text("SUMMARY", title)
	w.text("DESCRIPTION", text)
	w.text("LOCATION", strings.Join(rooms, ", "))
	w.line("END:VEVENT")
}

// timezone writes every change of the clock in a period. Equal changes are combined.
func (w *icsWriter) timezone(from, until time.Time) {
	type observance struct {
		kind, before, after, name string
	}
	changes := make(map[observance][]string)
	var order []observance
	add := func(o observance, local time.Time) {
		if changes[o] == nil {
			order = append(order, o)
		}
		changes[o] = append(changes[o], local.Format(icsLocal))
	}
	at := from.In(w.zone.place)
	name, offset := at.Zone()
	add(observance{kindOf(at), icsOffset(offset), icsOffset(offset), name}, w.zone.local(at))
	for changed, found := nextChange(at, until); found; changed, found = nextChange(changed, until) {
		_, before := changed.Add(-time.Second).Zone()
		name, after := changed.Zone()
		local := changed.UTC().Add(time.Duration(before) * time.Second) // local time before the change
		add(observance{kindOf(changed), icsOffset(before), icsOffset(after), name}, local)
	}
	w.line("BEGIN:VTIMEZONE")
	w.line("TZID:" + w.zone.place.String())
	for _, o := range order {
		slices.Sort(changes[o])
		w.line("BEGIN:" + o.kind)
		w.line("DTSTART:" + changes[o][0])
		for _, local := range changes[o][1:] {
			w.line("RDATE:" + local)
		}
		w.line("TZOFFSETFROM:" + o.before)
		w.line("TZOFFSETTO:" + o.after)
		w.text("TZNAME", o.name)
		w.line("END:" + o.kind)
	}
	w.line("END:VTIMEZONE")
}

func kindOf(at time.Time) string {
	if at.IsDST() {
		return "DAYLIGHT"
	}
	return "STANDARD"
}

func icsOffset(seconds int) string {
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	text := fmt.Sprintf("%s%02d%02d", sign, seconds/3600, seconds/60%60)
	if seconds%60 != 0 {
		text += fmt.Sprintf("%02d", seconds%60)
	}
	return text
}
