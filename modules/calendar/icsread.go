package main

import (
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// Limits of a file of another program.
const (
	maxICSDepth    = 16
	maxICSZones    = 100
	maxObservances = 200
	maxICSLines    = maxDates // of one name in one event or zone
)

// icsEvent is a VEVENT: the last line of each name, and all lines of names that may occur more than once.
type icsEvent struct {
	number   int
	lines    map[string]icsLine
	except   []icsLine // EXDATE
	extra    []icsLine // RDATE
	rules    []string  // RRULE
	without  []string  // EXRULE
	broken   bool      // has a line that cannot be read
	finished bool
}

// value returns the value of a line, without spaces around it.
func (v *icsEvent) value(name string) string { return strings.TrimSpace(v.lines[name].value) }

func (v *icsEvent) isCancelled() bool { return strings.EqualFold(v.value("STATUS"), "CANCELLED") }

func (v *icsEvent) sequence() int {
	n, _ := strconv.Atoi(v.value("SEQUENCE")) // without a number it is the first version
	return n
}

// icsCalendar is what the file holds.
type icsCalendar struct {
	events []*icsEvent
	zones  *icsZones
	code   string // why nothing can be imported, or ""
}

// read reads the components of a file. Components inside an event, such as alarms, are passed over. A file
// that ends early keeps the events that are whole.
func (f *icsFile) read(z zone) (c icsCalendar) {
	c.zones = newICSZones(z)
	reader := icsReader{calendar: &c}
	for line := range f.lines() {
		if reader.take(line); c.code != "" {
			return c
		}
	}
	if !reader.begun || len(c.events) == 0 {
		c.code = "FILE_INVALID"
	}
	return c
}

// icsReader knows where in the components a line is.
type icsReader struct {
	calendar  *icsCalendar
	open      []string
	begun     bool
	cancelled bool // METHOD:CANCEL: every event of the calendar is
	event     *icsEvent
	zone      *icsZone
}

func (r *icsReader) take(line icsLine) {
	switch line.name {
	case "BEGIN":
		r.begin(line)
	case "END":
		r.end(strings.ToUpper(strings.TrimSpace(line.value)))
	case "METHOD":
		r.cancelled = r.cancelled || strings.EqualFold(strings.TrimSpace(line.value), "CANCEL")
	default:
		switch {
		case r.event != nil && len(r.open) == 2:
			r.calendar.code = r.event.take(line)
		case r.zone != nil:
			r.zone.take(line, len(r.open) > 2)
		}
	}
}

func (r *icsReader) begin(line icsLine) {
	name := strings.ToUpper(strings.TrimSpace(line.value))
	if len(r.open) == 0 && name != "VCALENDAR" || len(r.open) >= maxICSDepth {
		r.calendar.code = "FILE_INVALID"
		return
	}
	if name == "VCALENDAR" {
		r.open, r.event, r.zone, r.cancelled = nil, nil, nil, false // the one before has no end
	} else if name == "VEVENT" {
		r.open, r.zone = r.open[:1], nil // so has an event before
	}
	r.open = append(r.open, name)
	r.begun = true
	switch {
	case len(r.open) == 2 && name == "VEVENT":
		if len(r.calendar.events) >= maxImported {
			r.calendar.code = "TOO_MANY"
			return
		}
		r.event = &icsEvent{number: line.number, lines: make(map[string]icsLine)}
		if r.cancelled {
			r.event.lines["STATUS"] = icsLine{value: "CANCELLED"}
		}
		r.calendar.events = append(r.calendar.events, r.event)
	case len(r.open) == 2 && name == "VTIMEZONE":
		r.zone = &icsZone{}
	case len(r.open) == 3 && r.zone != nil:
		r.zone.observe(name == "DAYLIGHT")
	}
}

// end closes a component and those within it that have no end of their own.
func (r *icsReader) end(name string) {
	for at := len(r.open) - 1; at >= 0; at-- {
		if r.open[at] != name {
			continue
		}
		if at < 2 {
			if r.event != nil && name == "VEVENT" {
				r.event.finished = true
			}
			if r.zone != nil {
				r.calendar.zones.add(r.zone)
			}
			r.event, r.zone = nil, nil
		}
		r.open = r.open[:at]
		return
	}
}

// take adds a line of the event.
func (v *icsEvent) take(line icsLine) (code string) {
	switch line.name {
	case "":
		v.broken = true
	case "EXDATE":
		v.except = append(v.except, line)
	case "RDATE":
		v.extra = append(v.extra, line)
	case "RRULE":
		v.rules = append(v.rules, line.value)
	case "EXRULE":
		v.without = append(v.without, line.value)
	case "STATUS":
		if !v.isCancelled() { // by the METHOD of the calendar
			v.lines[line.name] = line
		}
	default:
		v.lines[line.name] = line
	}
	if len(v.except)+len(v.extra) > maxICSLines || len(v.rules)+len(v.without) > maxICSRules {
		return "TOO_MANY"
	}
	return ""
}

// icsID returns the same id for the same UID at every import. An event of this module keeps its own id.
func icsID(uid string) string {
	if own, is := strings.CutSuffix(uid, icsSuffix); is && sdk.IsID(own) {
		return own
	}
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("icalendar:"+uid)).String()
}
