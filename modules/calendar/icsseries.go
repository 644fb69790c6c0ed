package main

import (
	"slices"
	"strings"
	"time"
)

// convert adds the entries of an event and of its dates that differ.
func (c *icsImport) convert(s *icsSeries) {
	if s.event == nil {
		c.alone(s)
		return
	}
	if s.event.isCancelled() {
		c.note(s.event, "CANCELLED", oneLine(unescaped(s.event.value("SUMMARY"))))
		return
	}
	d, ok := c.date(s.event)
	if !ok {
		c.alone(s)
		return
	}
	uid := s.uid
	if s.second {
		uid += " " + s.event.value("DTSTART")
	}
	v := s.event
	switch {
	case len(v.rules)+len(v.extra) == 0:
		c.entries = append(c.entries, c.at(d, uid))
		c.alone(s)
	case c.repeats(s, d, uid):
	default:
		c.writeOut(s, d, uid)
	}
}

// alone adds dates whose series is not in the file as events of their own.
func (c *icsImport) alone(s *icsSeries) {
	for _, v := range s.dates {
		if v.isCancelled() {
			c.note(v, "CANCELLED", oneLine(unescaped(v.value("SUMMARY"))))
			continue
		}
		if d, ok := c.date(v); ok {
			c.entries = append(c.entries, c.at(d, s.uid+" "+v.value("RECURRENCE-ID")))
			c.note(v, "DATE_ALONE", d.words.title)
		}
	}
}

// repeats adds a series that the calendar can repeat itself, with its exceptions. It reports false, and adds
// nothing, for any other one.
func (c *icsImport) repeats(s *icsSeries, d icsDate, uid string) bool {
	v := s.event
	if len(v.rules) != 1 || len(v.without) > 0 || slices.ContainsFunc(s.dates, isRange) ||
		!d.from.allDay && !sameClock(d.from.zone, c.house, d.from.zone.instant(d.from.clock)) {
		return false
	}
	e := c.at(d, uid)
	e.rule = untilOnClock(normalRule(v.rules[0]), c.house, d.from.allDay)
	start := d.from.local(c.house)
	rule, err := parseRule(e.rule, start)
	if err != nil {
		return false
	}
	for _, line := range v.except {
		for _, m := range c.moments(v, line) {
			e.dates = append(e.dates, entry{date: recurrenceOf(m, d, c.house), cancelled: true})
		}
	}
	// A series of another day begins with the first date of its rule; the day itself is a date all the same.
	first, found := rule.first()
	if !found {
		c.effort += effortOfNothing
		return false
	}
	extra := c.extra(v, d)
	if !first.Equal(start) && !slices.ContainsFunc(e.dates, func(x entry) bool { return x.date.Equal(start) }) {
		extra = append(extra, d.from)
	}
	here := c.datesWithin(rule, s, d)
	var singles []entry
	for _, other := range s.dates {
		date, ok := c.exception(other, d, here)
		if !ok {
			continue
		}
		if date.date.IsZero() {
			one := date
			one.id = icsID(uid + " " + other.value("RECURRENCE-ID"))
			singles = append(singles, one)
			c.note(other, "DATE_ALONE", one.title)
		} else {
			e.dates = append(e.dates, date)
		}
	}
	c.entries = append(append(c.entries, e), singles...)
	c.single(s, d, uid, extra)
	return true
}

// isRange reports whether an event of a file changes all later dates, too.
func isRange(v *icsEvent) bool {
	return strings.EqualFold(v.lines["RECURRENCE-ID"].parameters["RANGE"], "THISANDFUTURE")
}

// moments reads the values of a line of an event, and leaves a line out that cannot be read.
func (c *icsImport) moments(v *icsEvent, line icsLine) []icsMoment {
	all, code := c.zones.moments(line)
	if c.exceptions += len(all); code == "TOO_MANY" || c.exceptions > 2*maxImported {
		c.failed = "TOO_MANY"
	} else if code != "" {
		c.note(v, "DATE_UNREADABLE", line.value)
	}
	return all
}

// recurrenceOf returns the date of a series that a moment means, in the house's local time. Some programs
// write only the day, others the time of a whole day.
func recurrenceOf(m icsMoment, of icsDate, house zone) time.Time {
	date := m.local(house)
	switch {
	case of.from.allDay:
		return dayOf(date)
	case m.allDay:
		start := of.from.local(house)
		return date.Add(start.Sub(dayOf(start)))
	}
	return date
}

// extra returns the moments of RDATE. Of a period only the begin is taken.
func (c *icsImport) extra(v *icsEvent, d icsDate) (all []icsMoment) {
	for _, line := range v.extra {
		if strings.EqualFold(line.parameters["VALUE"], "PERIOD") {
			values := strings.Split(line.value, ",")
			for at, value := range values {
				values[at], _, _ = strings.Cut(value, "/")
			}
			line.value = strings.Join(values, ",")
		}
		for _, m := range c.moments(v, line) {
			if m.allDay != d.from.allDay {
				m.clock, m.allDay, m.zone = dayOf(m.clock), d.from.allDay, d.from.zone
				if !m.allDay {
					m.clock = m.clock.Add(d.from.clock.Sub(dayOf(d.from.clock)))
				}
			}
			all = append(all, m)
		}
	}
	return all
}

// single adds events for dates beside a series.
func (c *icsImport) single(s *icsSeries, d icsDate, uid string, dates []icsMoment) {
	for _, m := range dates {
		one := d
		one.from = m
		c.entries = append(c.entries, c.at(one, uid+" "+m.local(c.house).Format(clockForm)))
	}
	if len(dates) > 0 {
		c.note(s.event, "DATES_SINGLE", d.words.title)
	}
}

// datesWithin returns the dates of a rule among which the changed dates of a series should be; nil: too many
// to tell.
func (c *icsImport) datesWithin(rule rule, s *icsSeries, d icsDate) map[time.Time]bool {
	from, until := latest, earliest
	for _, v := range s.dates {
		line := v.lines["RECURRENCE-ID"]
		if m, code := c.zones.moment(line, line.value); code == "" {
			date := recurrenceOf(m, d, c.house)
			if date.Before(from) {
				from = date
			}
			if date.After(until) {
				until = date
			}
		}
	}
	here := make(map[time.Time]bool)
	if from.After(until) {
		return here
	}
	dates, err := rule.dates(from, until.Add(time.Minute))
	if err != nil {
		return nil
	}
	c.effort += len(dates)
	for _, date := range dates {
		here[date] = true
	}
	return here
}

// exception returns the entry of a changed date. Without a date it is an event of its own.
func (c *icsImport) exception(v *icsEvent, of icsDate, here map[time.Time]bool) (e entry, ok bool) {
	line := v.lines["RECURRENCE-ID"]
	m, code := c.zones.moment(line, line.value)
	if code != "" {
		c.skip(v, code, "RECURRENCE-ID", line.value)
		return e, false
	}
	date := recurrenceOf(m, of, c.house)
	if v.isCancelled() {
		return entry{date: date, cancelled: true}, true
	}
	d, ok := c.date(v)
	if !ok {
		return e, false
	}
	e = c.at(d, "")
	if here == nil || here[date] {
		e.date = date
	}
	if d.from.allDay != of.from.allDay {
		e.date = time.Time{}
	}
	return e, true
}
