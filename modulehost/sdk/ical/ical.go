// Package ical writes calendars that other programs read: iCalendar (RFC 5545), with the properties of RFC
// 7986 that the large programs know. Times are those on the clock of one zone, which is defined in the file.
//
// A file that is offered to programs (sdk.Registry.Feed) is fetched again and again. A program recognises an
// event by its UID and a changed one by SEQUENCE and DTSTAMP: give each event the same UID for ever, a
// SEQUENCE that grows, and the time of its last change.
package ical

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// The forms of RFC 5545 §3.3.4 and §3.3.5.
const (
	Day   = "20060102"
	Local = "20060102T150405"
	UTC   = "20060102T150405Z"
)

// Calendar is a calendar that is being written. Its lines end with CRLF, and those over 75 octets are folded
// (RFC 5545 §3.1).
type Calendar struct {
	bytes.Buffer
	zone *time.Location
}

// Begin begins a calendar whose times are those of a zone. product names the program that writes it, as in
// "Calendar". name is what people see; without one the program that reads it chooses.
func Begin(zone *time.Location, product, name string) *Calendar {
	c := &Calendar{zone: zone}
	c.Line("BEGIN:VCALENDAR")
	c.Line("VERSION:2.0")
	c.Line("PRODID:-//Narthex//" + product + "//EN")
	c.Line("CALSCALE:GREGORIAN")
	c.Text("NAME", name)
	c.Text("X-WR-CALNAME", name) // for programs that do not know RFC 7986
	c.Line("REFRESH-INTERVAL;VALUE=DURATION:PT1H")
	c.Line("X-PUBLISHED-TTL:PT1H")
	return c
}

// End ends the calendar and returns it. One without events has at least a zone, because RFC 5545 §3.6 wants
// a component.
func (c *Calendar) End() []byte {
	if !bytes.Contains(c.Bytes(), []byte("\r\nBEGIN:")) {
		for _, line := range []string{"BEGIN:VTIMEZONE", "TZID:UTC", "BEGIN:STANDARD", "DTSTART:19700101T000000",
			"TZOFFSETFROM:+0000", "TZOFFSETTO:+0000", "END:STANDARD", "END:VTIMEZONE"} {
			c.Line(line)
		}
	}
	c.Line("END:VCALENDAR")
	return c.Bytes()
}

// Line writes a content line.
func (c *Calendar) Line(text string) {
	const most = 75
	for room := most; len(text) > room; room = most - 1 {
		cut := room
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		c.WriteString(text[:cut] + "\r\n ")
		text = text[cut:]
	}
	c.WriteString(text + "\r\n")
}

var escape = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`)

// Text writes a property of the type TEXT, and nothing for an empty value.
func (c *Calendar) Text(name, value string) {
	if value == "" {
		return
	}
	c.Line(name + ":" + strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return -1 // TEXT must not contain control characters
		}
		return r
	}, escape.Replace(value)))
}

// Event begins an event, or one date of it: its identity, how often it has changed, and when it did last.
func (c *Calendar) Event(uid string, sequence int64, changed time.Time) {
	c.Line("BEGIN:VEVENT")
	c.Line("UID:" + uid)
	c.Line("DTSTAMP:" + changed.UTC().Format(UTC))
	c.Line(fmt.Sprintf("SEQUENCE:%d", sequence))
}

// Time writes what a clock in the calendar's zone shows: as a day, in UTC if that is the zone, or with the
// zone. The zone of clock itself does not matter.
func (c *Calendar) Time(name string, clock time.Time, allDay bool) {
	switch {
	case allDay:
		c.Line(name + ";VALUE=DATE:" + clock.Format(Day))
	case c.zone == time.UTC:
		c.Line(name + ":" + clock.Format(UTC))
	default:
		c.Line(name + ";TZID=" + c.zone.String() + ":" + clock.Format(Local))
	}
}
