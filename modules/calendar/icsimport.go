package main

import (
	"strings"
	"time"
)

// entriesOfICS reads a file of another program. LOCATION becomes rooms if it names rooms of this calendar;
// another place becomes a part of the text.
func (i *importing) entriesOfICS(content string, z zone, known []string) []entry {
	lines, err := icsLines(content)
	if err == nil {
		var events []icsEvent
		if events, err = icsEvents(lines); err == nil {
			return i.entriesOfEvents(events, z, known)
		}
	}
	if err == errTooManyImported {
		i.Problem(1, "TOO_MANY")
	} else {
		i.Problem(1, "FILE_INVALID")
	}
	return nil
}

func (i *importing) entriesOfEvents(events []icsEvent, z zone, known []string) (entries []entry) {
	at := make(map[string]int) // index of a repeating event, by its UID
	var dates []icsEvent
	for _, event := range events {
		if _, is := event.lines["RECURRENCE-ID"]; is {
			dates = append(dates, event)
			continue
		}
		one, code := event.entry(z, known)
		if code != "" {
			i.Problem(event.number, code)
		} else if event.lines["STATUS"].value != "CANCELLED" {
			at[one.id] = len(entries)
			entries = append(entries, one)
		}
	}
	for _, event := range dates {
		one, code := event.entry(z, known)
		recurrence := event.lines["RECURRENCE-ID"]
		date, _, _, err := icsMoment(recurrence, recurrence.value, z)
		if code == "" && err != nil {
			code = "EVENT_INVALID"
		}
		series, is := at[one.id]
		switch {
		case code != "":
			i.Problem(event.number, code)
		case is:
			one.date = date
			one.cancelled = event.lines["STATUS"].value == "CANCELLED"
			entries[series].dates = append(entries[series].dates, one)
		}
	}
	return entries
}

// entry converts a VEVENT for an import; code is the reason why that is impossible, or "".
func (v icsEvent) entry(z zone, known []string) (e entry, code string) {
	start := v.lines["DTSTART"]
	from, allDay, own, err := icsMoment(start, start.value, z)
	if err != nil {
		return e, "EVENT_INVALID"
	}
	until, ok := v.end(from, allDay, z)
	if !ok {
		return e, "EVENT_INVALID"
	}
	e = entry{line: v.number, title: strings.TrimSpace(icsText(v.lines["SUMMARY"].value)),
		text: icsText(v.lines["DESCRIPTION"].value), rule: v.lines["RRULE"].value}
	if uid := v.lines["UID"].value; uid != "" {
		e.id = icsID(uid)
	} else {
		e.id = icsID(start.value + " " + e.title)
	}
	form := clockForm
	if allDay {
		form, until = dayForm, until.Add(-day)
	}
	e.start, e.end = from.Format(form), until.Format(form)
	e.place(icsText(v.lines["LOCATION"].value), known)
	if v.rdates {
		return e, "RULE_INVALID"
	}
	if e.rule == "" {
		return e, ""
	}
	if !own {
		return e, "ZONE_OTHER"
	}
	e.rule = untilOnClock(e.rule, z, allDay)
	for _, line := range v.except {
		for value := range strings.SplitSeq(line.value, ",") {
			date, _, _, err := icsMoment(line, value, z)
			if err != nil {
				return e, "EVENT_INVALID"
			}
			e.dates = append(e.dates, entry{date: date, cancelled: true})
		}
	}
	return e, ""
}

// end returns the end of an event in the house's local time. An event without an end lasts a day or an hour.
func (v icsEvent) end(from time.Time, allDay bool, z zone) (time.Time, bool) {
	if end, is := v.lines["DTEND"]; is {
		until, days, _, err := icsMoment(end, end.value, z)
		return until, err == nil && days == allDay
	}
	lasts, ok := day, true
	if !allDay {
		lasts = time.Hour
	}
	if length, is := v.lines["DURATION"]; is {
		lasts, ok = icsDuration(length.value)
	}
	if allDay {
		return from.Add(lasts), ok && lasts%day == 0
	}
	return z.local(z.instant(from).Add(lasts)), ok
}

// untilOnClock converts the UNTIL of a rule from UTC to the house's local time.
func untilOnClock(rule string, z zone, allDay bool) string {
	until := untilOf(rule)
	at, err := time.Parse(icsUTC, until)
	if err != nil || allDay {
		return rule
	}
	return strings.Replace(rule, until, z.local(at).Format(icsUTC), 1)
}

// place stores a location as rooms if it names nothing else, otherwise as text.
func (e *entry) place(location string, known []string) {
	if location == "" {
		return
	}
	var rooms []string
	for name := range strings.SplitSeq(location, ",") {
		for _, room := range known {
			if strings.TrimSpace(name) == room {
				rooms = append(rooms, room)
			}
		}
	}
	if len(rooms) == strings.Count(location, ",")+1 {
		e.rooms = rooms
	} else {
		e.text = strings.TrimSpace(location + "\n" + e.text)
	}
}
