package main

import (
	"slices"
	"strconv"
	"time"
)

// writeOut adds the dates of a series that the calendar cannot repeat, as events of their own: from now on
// or from its begin, for two years.
func (c *icsImport) writeOut(s *icsSeries, d icsDate, uid string) {
	v := s.event
	since, until := c.now.Add(-keptPast), c.now
	if d.from.clock.After(since) {
		since = d.from.clock
	}
	if d.from.clock.After(until) {
		until = d.from.clock
	}
	until = until.AddDate(0, 0, writtenOutDays)
	dates, code := c.datesOf(v.rules, d.from, since, until)
	without, codeWithout := c.datesOf(v.without, d.from, since, until)
	switch {
	case code == "TOO_MANY" || codeWithout == "TOO_MANY":
		c.failed = "TOO_MANY"
		return
	case code != "" || codeWithout != "":
		c.skip(v, "RULE_INVALID", "RRULE", v.rules[0])
		c.alone(s)
		return
	}
	if !d.from.clock.Before(since) {
		dates = append(dates, d.from.clock)
	}
	for _, m := range c.extra(v, d) {
		dates = append(dates, clockIn(m, d.from))
	}
	for _, line := range v.except {
		for _, m := range c.moments(v, line) {
			without = append(without, clockOf(m, d))
		}
	}
	slices.SortFunc(dates, time.Time.Compare)
	dates = slices.Compact(dates)
	gone := make(map[time.Time]bool, len(without))
	for _, date := range without {
		gone[date] = true
	}
	dates = slices.DeleteFunc(dates, func(date time.Time) bool { return gone[date] })
	c.writeDates(s, d, uid, dates)
}

// clockIn returns a moment on the clock of another moment's zone.
func clockIn(m, other icsMoment) time.Time {
	if m.allDay || other.allDay || m.zone == other.zone {
		return m.clock
	}
	return other.zone.local(m.zone.instant(m.clock))
}

// clockOf returns the date of a series that a moment means, on the clock of the series.
func clockOf(m icsMoment, of icsDate) time.Time {
	switch {
	case of.from.allDay:
		return dayOf(m.clock)
	case m.allDay:
		return m.clock.Add(of.from.clock.Sub(dayOf(of.from.clock)))
	}
	return clockIn(m, of.from)
}

// changed is a changed date of a series that is written out.
type changed struct {
	event *icsEvent
	date  time.Time // on the clock of the series
	as    icsDate
}

func (c *icsImport) writeDates(s *icsSeries, d icsDate, uid string, dates []time.Time) {
	here := make(map[time.Time]bool, len(dates))
	for _, date := range dates {
		here[date] = true
	}
	others := make(map[time.Time]changed)
	var ranges []changed
	for _, v := range s.dates {
		line := v.lines["RECURRENCE-ID"]
		m, code := c.zones.moment(line, line.value)
		if code != "" {
			c.skip(v, code, "RECURRENCE-ID", line.value)
			continue
		}
		other := changed{event: v, date: clockOf(m, d)}
		if !v.isCancelled() {
			var ok bool
			if other.as, ok = c.date(v); !ok {
				continue
			}
		}
		if isRange(v) {
			ranges = append(ranges, other)
		}
		others[other.date] = other
	}
	slices.SortFunc(ranges, func(a, b changed) int { return a.date.Compare(b.date) })
	count := 0
	add := func(one icsDate, date time.Time) {
		count++
		c.entries = append(c.entries, c.at(one, uid+" "+date.Format(clockForm)))
	}
	for _, date := range dates {
		one, gone := d, false
		one.from.clock = date
		for _, r := range ranges {
			if !date.Before(r.date) {
				one, gone = r.as, r.event.isCancelled()
				one.from.clock = one.from.clock.Add(date.Sub(r.date))
			}
		}
		other, differs := others[date]
		switch {
		case gone && !differs, differs && other.event.isCancelled():
			continue
		case differs:
			one = other.as
		}
		add(one, date)
	}
	for date, other := range others {
		if !here[date] && !other.event.isCancelled() {
			add(other.as, date)
		}
	}
	c.note(s.event, "WRITTEN_OUT", d.words.title+": "+strconv.Itoa(count))
}
