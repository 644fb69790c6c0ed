package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// Bounds of a repetition. The dates of a rule that never matches are searched for centuries (rule.first).
// Therefore a rule that steps by days must not be restricted to months: that would be a great many steps.
const (
	maxRule     = 200
	maxInterval = 100
	maxCount    = 1000
	maxDates    = 1500 // of one event, from keptPast to the horizon
)

// rule is how an event repeats: a subset of RFC 5545's rules, in the house's local time. The zero rule means
// once.
type rule struct{ option rrule.ROption }

// parseRule parses the value of an RRULE for an event with this start. "" means once.
func parseRule(text string, start time.Time) (rule, error) {
	if text == "" {
		return rule{}, nil
	}
	if len(text) > maxRule || strings.ContainsAny(text, "\r\n") || !strings.HasPrefix(text, "FREQ=") &&
		!strings.Contains(text, ";FREQ=") {
		return rule{}, errRule
	}
	option, err := rrule.StrToROption(text)
	if err != nil || !isBounded(option) {
		return rule{}, errRule
	}
	if !option.Until.IsZero() {
		option.Until = lastDay(option.Until, start, len(untilOf(text)) == len("20060102"))
	}
	option.Dtstart = start
	if _, err := rrule.NewRRule(*option); err != nil {
		return rule{}, errRule
	}
	return rule{*option}, nil
}

func untilOf(text string) string {
	_, after, _ := strings.Cut(text, "UNTIL=")
	value, _, _ := strings.Cut(after, ";")
	return value
}

// lastDay returns the last day on which an event may begin, if it must begin by until.
func lastDay(until, start time.Time, wholeDay bool) time.Time {
	last := dayOf(until)
	if !wholeDay && until.Sub(last) < start.Sub(dayOf(start)) {
		return last.Add(-day)
	}
	return last
}

func isBounded(o *rrule.ROption) bool {
	byDay := o.Freq == rrule.DAILY || o.Freq == rrule.WEEKLY
	numbered := false
	for _, weekday := range o.Byweekday {
		n := weekday.N()
		if n < -5 || n > 5 {
			return false
		}
		numbered = numbered || n != 0
	}
	switch {
	case o.Freq > rrule.DAILY, !o.Dtstart.IsZero(), o.Interval < 0, o.Interval > maxInterval,
		o.Count < 0, o.Count > maxCount, o.Count > 0 && !o.Until.IsZero(),
		len(o.Byhour)+len(o.Byminute)+len(o.Bysecond)+len(o.Byyearday)+len(o.Byweekno)+len(o.Byeaster) > 0,
		len(o.Bymonth) > 12, len(o.Bymonthday) > 31, len(o.Bysetpos) > 5, len(o.Byweekday) > 14,
		byDay && len(o.Bymonth)+len(o.Bymonthday)+len(o.Bysetpos) > 0,
		numbered && (byDay || o.Freq == rrule.YEARLY && len(o.Bymonth) == 0):
		return false
	}
	return true
}

// repeats reports whether the event repeats.
func (r rule) repeats() bool { return !r.option.Dtstart.IsZero() }

// dates returns the starts in [from, until), at most maxDates of them.
func (r rule) dates(from, until time.Time) ([]time.Time, error) {
	option := r.option
	if end := option.Until.Add(day - time.Second); option.Until.IsZero() || end.After(until) {
		option.Until = until.Add(-time.Second)
	} else {
		option.Until = end
	}
	made, err := rrule.NewRRule(option)
	if err != nil {
		return nil, err
	}
	var dates []time.Time
	next := made.Iterator()
	for at, more := next(); more; at, more = next() {
		if at.Before(from) {
			continue
		}
		if dates = append(dates, at); len(dates) > maxDates {
			return nil, errRule
		}
	}
	return dates, nil
}

// first returns the first date up to latest. It differs from the event's own start if that is not a date of
// the rule. rrule-go looks for the date of a rule that never matches up to the year 9999, which took 1.2 s,
// so the rule begins as late as possible: the calendar repeats itself every 400 years.
func (r rule) first() (time.Time, bool) {
	option := r.option
	years := (9999 - latest.Year()) / 400 * 400
	option.Dtstart = option.Dtstart.AddDate(years, 0, 0)
	if !option.Until.IsZero() {
		option.Until = option.Until.Add(day-time.Second).AddDate(years, 0, 0)
	}
	made, err := rrule.NewRRule(option)
	if err != nil {
		return time.Time{}, false
	}
	date, found := made.Iterator()()
	date = date.AddDate(-years, 0, 0)
	return date, found && date.Before(latest)
}

// counted returns how many dates of a rule with a count are before a time.
func (r rule) counted(before time.Time) (int, error) {
	dates, err := r.dates(r.option.Dtstart, before)
	return len(dates), err
}

// text returns the rule as RFC 5545 writes it, with the last day as a date; "" for once.
func (r rule) text() string {
	last := ""
	if !r.option.Until.IsZero() {
		last = r.option.Until.Format("20060102")
	}
	return r.written(last)
}

// written returns the rule with another UNTIL.
func (r rule) written(until string) string {
	if !r.repeats() {
		return ""
	}
	o := r.option
	parts := []string{"FREQ=" + o.Freq.String()}
	add := func(name string, values ...string) {
		if len(values) > 0 {
			parts = append(parts, name+"="+strings.Join(values, ","))
		}
	}
	if o.Interval > 1 {
		add("INTERVAL", strconv.Itoa(o.Interval))
	}
	add("BYMONTH", numbers(o.Bymonth)...)
	add("BYMONTHDAY", numbers(o.Bymonthday)...)
	var weekdays []string
	for _, weekday := range o.Byweekday {
		weekdays = append(weekdays, strings.TrimPrefix(weekday.String(), "+"))
	}
	add("BYDAY", weekdays...)
	add("BYSETPOS", numbers(o.Bysetpos)...)
	if o.Wkst.Day() != 0 {
		add("WKST", o.Wkst.String())
	}
	if o.Count > 0 {
		add("COUNT", strconv.Itoa(o.Count))
	}
	if until != "" {
		add("UNTIL", until)
	}
	return strings.Join(parts, ";")
}

func numbers(values []int) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = strconv.Itoa(value)
	}
	return texts
}
