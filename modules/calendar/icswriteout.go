package main

import (
	"maps"
	"slices"
	"strconv"
	"time"
)

// writeOut adds the dates of a series that the calendar cannot repeat, as events of their own: those of its
// past that the calendar keeps, and two years from now or from its begin on. If its rules have more than
// maxDates, the first of these from today on come in.
func (c *icsImport) writeOut(s *icsSeries, d icsDate, uid string) {
	v := s.event
	d.from.clock = kept(d.from.clock, d.from.allDay)
	since, until := kept(c.now.Add(-keptPast), d.from.allDay), c.now
	if d.from.clock.After(since) {
		since = d.from.clock
	}
	if d.from.clock.After(until) {
		until = d.from.clock
	}
	until = until.AddDate(0, 0, writtenOutDays)
	found := c.ruleDates(v, d, since, until)
	more := len(found.dates) > maxDates
	if today := dayOf(c.now); more && since.Before(today) {
		since = today
		found = c.ruleDates(v, d, since, until)
	}
	if len(found.dates) > maxDates {
		until = found.dates[maxDates]
		found.dates = found.dates[:maxDates]
	}
	code := found.code
	if !d.from.clock.Before(since) {
		found.dates = append(found.dates, d.from.clock)
	}
	dates := make(map[time.Time]bool, len(found.dates))
	for _, date := range found.dates {
		dates[date] = true
	}
	for _, m := range c.extra(v, d) {
		dates[clockIn(m, d.from)] = true
	}
	if code == "" {
		code = c.leaveDatesOut(v, d, dates, since, until)
	}
	if code == "TOO_MANY" {
		c.failed = code
		return
	} else if code != "" {
		c.skip(v, code, "RRULE", v.rules[0])
		c.alone(s)
		return
	}
	if found.sameMinute {
		c.note(v, "SAME_MINUTE", d.words.title)
	}
	c.writeDates(s, d, uid, slices.SortedFunc(maps.Keys(dates), time.Time.Compare), more)
}

// ruleDates are the dates that the rules of an event give.
type ruleDates struct {
	dates      []time.Time // if there are more than maxDates, at least one more
	sameMinute bool        // several dates were in the same minute
	code       string      // why a rule cannot be read, or ""
}

func (c *icsImport) ruleDates(v *icsEvent, d icsDate, since, until time.Time) (found ruleDates) {
	for _, text := range v.rules {
		most := len(found.dates) + maxDates
		same, code := c.eachDate(text, d.from, since, until, func(at time.Time) bool {
			found.dates = append(found.dates, at)
			return len(found.dates) <= most
		})
		if code != "" {
			return ruleDates{code: code}
		}
		found.sameMinute = found.sameMinute || same
	}
	slices.SortFunc(found.dates, time.Time.Compare)
	found.dates = slices.Compact(found.dates)
	return found
}

// leaveDatesOut removes the dates that EXRULE and EXDATE except.
func (c *icsImport) leaveDatesOut(
	v *icsEvent, d icsDate, dates map[time.Time]bool, since, until time.Time,
) (code string) {
	for _, text := range v.without {
		_, code := c.eachDate(text, d.from, since, until, func(at time.Time) bool {
			delete(dates, at)
			return true
		})
		if code != "" {
			return code
		}
	}
	for _, line := range v.except {
		for _, m := range c.moments(v, line) {
			delete(dates, clockOf(m, d))
		}
	}
	return ""
}

// clockIn returns a moment on the clock of another moment's zone.
func clockIn(m, other icsMoment) time.Time {
	if m.allDay || other.allDay || m.zone == other.zone {
		return kept(m.clock, false)
	}
	return kept(other.zone.local(m.zone.instant(m.clock)), false)
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

func (c *icsImport) writeDates(s *icsSeries, d icsDate, uid string, dates []time.Time, more bool) {
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
	code, told := "WRITTEN_OUT", d.words.title+": "+strconv.Itoa(count)
	if more {
		code = "WRITTEN_OUT_PARTLY"
		if len(dates) > 0 {
			first, last := d.from, d.from
			first.clock, last.clock = dates[0], dates[len(dates)-1]
			const form = "2006-01-02 15:04"
			told += ", " + first.local(c.house).Format(form) + " – " + last.local(c.house).Format(form)
		}
	}
	c.note(s.event, code, told)
}
