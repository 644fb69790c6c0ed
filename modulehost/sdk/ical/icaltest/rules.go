package icaltest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// checker collects problems.
type checker struct {
	found []string
	zones map[string]bool
}

func (c *checker) note(format string, arguments ...any) {
	c.found = append(c.found, fmt.Sprintf(format, arguments...))
}

// Problems returns what is wrong with a calendar.
func Problems(file string) []string {
	c := &checker{zones: map[string]bool{}}
	root := c.read(file)
	if root == nil {
		return c.found
	}
	c.calendar(root)
	for _, part := range root.parts {
		if part.kind == "VTIMEZONE" {
			c.zone(part)
		}
	}
	series := map[string]*component{}
	for _, part := range root.parts {
		if part.kind == "VEVENT" && part.one("RECURRENCE-ID") == "" {
			series[part.one("UID")] = part
		}
	}
	seen := map[string]bool{}
	for _, part := range root.parts {
		switch part.kind {
		case "VEVENT":
			key := part.one("UID") + " " + part.one("RECURRENCE-ID")
			if seen[key] {
				c.note("two events are %s", key)
			}
			seen[key] = true
			c.event(part, series[part.one("UID")])
		case "VTIMEZONE":
		default:
			c.note("a component is %s", part.kind)
		}
	}
	return c.found
}

var (
	offsetForm = regexp.MustCompile(`^[+-]([01]\d|2[0-3])[0-5]\d([0-5]\d)?$`)
	localForm  = regexp.MustCompile(`^\d{8}T([01]\d|2[0-3])[0-5]\d[0-5]\d$`)
	utcForm    = regexp.MustCompile(`^\d{8}T([01]\d|2[0-3])[0-5]\d[0-5]\dZ$`)
	dayForm    = regexp.MustCompile(`^\d{8}$`)
	lastsForm  = regexp.MustCompile(`^P(\d+W|\d+D(T(\d+H)?(\d+M)?(\d+S)?)?|T(\d+H)?(\d+M)?(\d+S)?)$`)
	untilForm  = regexp.MustCompile(`(?:^|;)UNTIL=([^;]*)`)
	uriForm    = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:[!-~]+$`)
)

// counts notes names that are missing, or there more than once.
func (c *checker) counts(in *component, required, atMostOnce []string) {
	what := in.kind + " " + in.one("UID")
	for _, name := range required {
		if n := len(in.all(name)); n != 1 {
			c.note("%s has %d %s, want one", what, n, name)
		}
	}
	for _, name := range atMostOnce {
		if n := len(in.all(name)); n > 1 {
			c.note("%s has %d %s, want one at most", what, n, name)
		}
	}
}

func (c *checker) calendar(root *component) {
	c.counts(root, []string{"VERSION", "PRODID", "REFRESH-INTERVAL"},
		[]string{"CALSCALE", "NAME", "X-WR-CALNAME", "UID", "LAST-MODIFIED", "URL", "COLOR", "SOURCE"})
	if root.one("VERSION") != "2.0" {
		c.note("VERSION is %q", root.one("VERSION"))
	}
	if len(root.all("METHOD")) > 0 {
		c.note("it has a METHOD, which makes an invitation of it")
	}
	for _, l := range root.all("REFRESH-INTERVAL") { // RFC 7986 §5.7: the type has to be named
		if l.parameters["VALUE"] != "DURATION" || !lastsForm.MatchString(l.value) {
			c.note("REFRESH-INTERVAL is %q with %v", l.value, l.parameters)
		}
	}
	if len(root.parts) == 0 {
		c.note("it has no component")
	}
	c.texts(root, "NAME")
}

func (c *checker) zone(zone *component) {
	c.counts(zone, []string{"TZID"}, []string{"LAST-MODIFIED", "TZURL"})
	id := zone.one("TZID")
	if c.zones[id] {
		c.note("the zone %s is defined twice", id)
	}
	c.zones[id] = true
	if len(zone.parts) == 0 {
		c.note("the zone %s has no observance", id)
	}
	for _, part := range zone.parts {
		if part.kind != "STANDARD" && part.kind != "DAYLIGHT" {
			c.note("the zone %s has %s", id, part.kind)
		}
		c.counts(part, []string{"DTSTART", "TZOFFSETFROM", "TZOFFSETTO"}, []string{"RRULE"})
		for _, l := range slices.Concat(part.all("DTSTART"), part.all("RDATE")) {
			if !localForm.MatchString(l.value) || len(l.parameters) > 0 {
				c.note("the zone %s has the moment %q, want one on its clock", id, l.value)
			}
		}
		for _, name := range []string{"TZOFFSETFROM", "TZOFFSETTO"} {
			if value := part.one(name); !offsetForm.MatchString(value) || strings.Trim(value, "-0") == "" {
				c.note("the zone %s has %s %q", id, name, value)
			}
		}
	}
}

// event checks an event, or one date of the series.
func (c *checker) event(e, series *component) {
	what := "the event " + e.one("UID")
	c.counts(e, []string{"UID", "DTSTAMP", "DTSTART", "SEQUENCE"}, []string{"CLASS", "CREATED", "DESCRIPTION",
		"DTEND", "DURATION", "GEO", "LAST-MODIFIED", "LOCATION", "ORGANIZER", "PRIORITY", "RECURRENCE-ID", "RRULE",
		"STATUS", "SUMMARY", "TRANSP", "URL"})
	if !utcForm.MatchString(e.one("DTSTAMP")) {
		c.note("%s has DTSTAMP %q, want one in UTC", what, e.one("DTSTAMP"))
	}
	if n, err := strconv.Atoi(e.one("SEQUENCE")); err != nil || n < 0 {
		c.note("%s has SEQUENCE %q", what, e.one("SEQUENCE"))
	}
	if status := e.all("STATUS"); len(status) > 0 &&
		!slices.Contains([]string{"TENTATIVE", "CONFIRMED", "CANCELLED"}, status[0].value) {
		c.note("%s has STATUS %q", what, status[0].value)
	}
	if len(e.all("DTEND")) > 0 && len(e.all("DURATION")) > 0 {
		c.note("%s has DTEND and DURATION", what)
	}
	kind := c.moment(what, e, "DTSTART")
	if len(e.all("DTEND")) > 0 && c.moment(what, e, "DTEND") != kind {
		c.note("%s ends as another kind of moment than it starts", what)
	}
	if lasts := e.all("DURATION"); len(lasts) > 0 && (!lastsForm.MatchString(lasts[0].value) ||
		strings.HasSuffix(lasts[0].value, "T") || kind == "a day" && strings.Contains(lasts[0].value, "T")) {
		c.note("%s lasts %q", what, lasts[0].value)
	}
	if len(e.all("RECURRENCE-ID")) > 0 {
		c.date(what, e, series)
	}
	for _, rule := range e.all("RRULE") {
		c.rule(what, rule.value, kind)
	}
	c.texts(e, "SUMMARY", "DESCRIPTION", "LOCATION")
	for _, l := range e.all("URL") {
		if !uriForm.MatchString(l.value) {
			c.note("%s has the URL %q", what, l.value)
		}
	}
}

// date checks one date of a series.
func (c *checker) date(what string, e, series *component) {
	if series == nil || len(series.all("RRULE")) == 0 {
		c.note("%s has a date of no series", what)
		return
	}
	if c.moment(what, e, "RECURRENCE-ID") != c.moment(what, series, "DTSTART") {
		c.note("%s has a RECURRENCE-ID of another kind than its series", what)
	}
	if len(e.all("RRULE")) > 0 {
		c.note("a date of %s repeats", what)
	}
}

// rule checks the end of a rule, which has to be of the kind of the start (RFC 5545 §3.3.10).
func (c *checker) rule(what, rule, kind string) {
	if !strings.HasPrefix(rule, "FREQ=") {
		c.note("%s has the rule %q", what, rule)
	}
	until := untilForm.FindStringSubmatch(rule)
	switch {
	case until == nil:
	case kind == "a day" && !dayForm.MatchString(until[1]), kind != "a day" && !utcForm.MatchString(until[1]):
		c.note("%s is %s and ends %s", what, kind, until[1])
	}
	if until != nil && strings.Contains(rule, "COUNT=") {
		c.note("%s has COUNT and UNTIL", what)
	}
}

// moment returns the kind of a moment: a day, UTC, or its zone, which has to be defined.
func (c *checker) moment(what string, in *component, name string) (kind string) {
	found := in.all(name)
	if len(found) == 0 {
		return ""
	}
	l := found[0]
	zone, zoned := l.parameters["TZID"]
	switch {
	case l.parameters["VALUE"] == "DATE" && dayForm.MatchString(l.value) && !zoned:
		return "a day"
	case l.parameters["VALUE"] == "" && utcForm.MatchString(l.value) && !zoned:
		return "UTC"
	case l.parameters["VALUE"] == "" && localForm.MatchString(l.value) && zoned:
		if !c.zones[zone] {
			c.note("%s has %s in %s, which is not defined", what, name, zone)
		}
		return zone
	}
	c.note("%s has %s %q with %v", what, name, l.value, l.parameters)
	return ""
}

// texts checks the escapes of values of the type TEXT.
func (c *checker) texts(in *component, names ...string) {
	for _, name := range names {
		for _, l := range in.all(name) {
			rest := strings.NewReplacer(`\\`, "", `\;`, "", `\,`, "", `\n`, "", `\N`, "").Replace(l.value)
			if strings.ContainsAny(rest, `\;,`) {
				c.note("%s has characters that are not escaped: %q", name, l.value)
			}
		}
	}
}
