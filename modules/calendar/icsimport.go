package main

import (
	"slices"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// icsImport converts a file of another program to entries. Events that the calendar cannot store are left
// out, and what it stores otherwise than the file has it is reported.
type icsImport struct {
	*importing
	zones   *icsZones
	house   zone
	known   []string // names of rooms
	unnamed string   // the title of an event without one
	now     time.Time
	effort  int
	// exceptions counts the values of EXDATE and RDATE.
	exceptions int
	entries    []entry
	failed     string // why nothing can be imported, or ""
}

// entriesOfICS reads a file of another program. LOCATION becomes rooms if it names rooms of this calendar;
// another place becomes a part of the text.
func (i *importing) entriesOfICS(content []byte, known []string, unnamed string) []entry {
	house := i.calendar.zone()
	file := newICSFile(content)
	read := file.read(house)
	if read.code != "" {
		i.Problem(0, read.code)
		return nil
	}
	if file.guessed {
		i.Note(sdk.Problem{Code: "ENCODING_GUESSED", Detail: "Windows-1252"})
	}
	c := &icsImport{importing: i, zones: read.zones, house: house, known: known, unnamed: unnamed,
		now: time.Now().UTC()}
	for _, s := range c.series(read.events) {
		if c.convert(s); c.failed != "" || len(c.entries) > maxImported {
			i.Problem(s.number(), "TOO_MANY")
			return nil
		}
	}
	return c.entries
}

// icsSeries is an event of a file with those of its dates that differ.
type icsSeries struct {
	uid    string
	event  *icsEvent // nil: only dates are in the file
	dates  []*icsEvent
	second bool // another event of the file has the same UID
}

func (s *icsSeries) number() int {
	if s.event != nil {
		return s.event.number
	}
	return s.dates[0].number
}

// series groups the events by their UID. Of several versions of an event the latest counts.
func (c *icsImport) series(events []*icsEvent) (all []*icsSeries) {
	byUID := make(map[string]*icsSeries)
	for _, v := range events {
		switch {
		case !v.finished:
			c.skip(v, "FILE_ENDS_EARLY", "", "")
			continue
		case v.broken:
			c.note(v, "LINE_UNREADABLE", "")
		}
		uid := v.value("UID")
		if uid == "" {
			uid = v.value("DTSTART") + " " + v.value("SUMMARY")
		}
		s, is := byUID[uid]
		if !is {
			s = &icsSeries{uid: uid}
			byUID[uid] = s
			all = append(all, s)
		}
		_, isDate := v.lines["RECURRENCE-ID"]
		switch {
		case isDate:
			s.dates = append(s.dates, v)
		case s.event == nil:
			s.event = v
		case s.event.value("DTSTART") != v.value("DTSTART"):
			all = append(all, &icsSeries{uid: uid, event: v, second: true})
		default:
			older := v
			if v.sequence() >= s.event.sequence() {
				older, s.event = s.event, v
			}
			c.skip(older, "TWICE", "UID", uid)
		}
	}
	return all
}

func (c *icsImport) skip(v *icsEvent, code, field, found string) {
	c.Skip(sdk.Problem{Line: v.number, Code: code, Field: field, Detail: found,
		Row: []string{v.value("DTSTART"), unescaped(v.value("SUMMARY"))}})
}

func (c *icsImport) note(v *icsEvent, code, found string) {
	c.Note(sdk.Problem{Line: v.number, Code: code, Detail: found})
}

// icsDate is what an event of a file says of its date, or of each of its dates.
type icsDate struct {
	from  icsMoment
	lasts time.Duration
	words entry // title, text and rooms
}

// date reads an event of a file. It leaves out one that cannot be stored.
func (c *icsImport) date(v *icsEvent) (d icsDate, ok bool) {
	start, is := v.lines["DTSTART"]
	if !is {
		c.skip(v, "NO_START", "DTSTART", "")
		return d, false
	}
	code := ""
	if d.from, code = c.zones.moment(start, start.value); code == "" &&
		(d.from.clock.Before(earliest) || d.from.clock.After(latest)) {
		code = "TIME_INVALID"
	}
	if code != "" {
		found := start.value
		if code == "ZONE_UNKNOWN" {
			found = start.parameters["TZID"]
		}
		c.skip(v, code, "DTSTART", found)
		return d, false
	}
	if strings.EqualFold(v.value("X-MICROSOFT-CDO-ALLDAYEVENT"), "TRUE") &&
		d.from.clock.Equal(dayOf(d.from.clock)) {
		d.from.allDay = true
	}
	note := ""
	if d.lasts, note, code = v.lasting(d.from, c.zones); code != "" {
		c.skip(v, code, "DTEND", v.lines["DTEND"].value)
		return d, false
	}
	if note != "" {
		c.note(v, note, "")
	}
	d.words = c.words(v)
	return d, true
}

// words reads title, text and place, as long as they may be.
func (c *icsImport) words(v *icsEvent) (e entry) {
	e.line = v.number
	e.title = oneLine(unescaped(v.lines["SUMMARY"].value))
	e.text = printable(unescaped(v.lines["DESCRIPTION"].value))
	e.place(oneLine(unescaped(v.lines["LOCATION"].value)), c.known)
	if e.title == "" {
		first, _, _ := strings.Cut(e.text, "\n")
		if e.title = oneLine(first); e.title == "" {
			e.title = c.unnamed
		}
		c.note(v, "TITLE_MISSING", e.title)
	}
	e.fit(func(code, found string) { c.note(v, code, found) })
	return e
}

// fit shortens title and text to what the calendar keeps.
func (e *entry) fit(note func(code, found string)) {
	for _, one := range []struct {
		text *string
		most int
		code string
	}{{&e.title, maxTitle, "TITLE_SHORTENED"}, {&e.text, maxText, "TEXT_SHORTENED"}} {
		if runes := []rune(*one.text); len(runes) > one.most {
			*one.text = strings.TrimSpace(string(runes[:one.most-1])) + "…"
			note(one.code, e.title)
		}
	}
}

// oneLine returns a text with single spaces instead of line breaks and tabs.
func oneLine(text string) string { return strings.Join(strings.Fields(printable(text)), " ") }

// printable returns a text without control characters other than line breaks.
func printable(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, text))
}

// at returns the entry of a date that begins at a moment.
func (c *icsImport) at(d icsDate, uid string) entry {
	e := d.words
	e.id = icsID(uid)
	from := d.from.local(c.house)
	if d.from.allDay {
		e.start, e.end = from.Format(dayForm), from.Add(d.lasts-day).Format(dayForm)
		return e
	}
	until := c.house.local(d.from.zone.instant(d.from.clock).Add(d.lasts))
	e.start, e.end = from.Format(clockForm), until.Format(clockForm)
	return e
}

// place stores a location as rooms if it names nothing else, otherwise as text.
func (e *entry) place(location string, known []string) {
	if location == "" || len(e.rooms) > 0 {
		return
	}
	var rooms []string
	for name := range strings.SplitSeq(location, ",") {
		if name = strings.TrimSpace(name); slices.Contains(known, name) {
			rooms = append(rooms, name)
		}
	}
	if len(rooms) == strings.Count(location, ",")+1 {
		e.rooms = rooms
	} else {
		e.text = strings.TrimSpace(location + "\n" + e.text)
	}
}
