package main

import (
	"iter"
	"slices"
	"time"

	"github.com/teambition/rrule-go"
)

// Bounds of a rule that steps by hours, minutes or seconds.
const (
	maxIdleSteps   = 1 << 18 // without a date in between
	stepsOfEffort  = 4       // as costly as one date
	yearsOfPattern = 400     // after which days and weekdays are the same again
)

// icsSteps are the dates of a rule that steps by hours, minutes or seconds. rrule-go searches without end for
// those that its steps never meet, such as BYMINUTE=30 every sixty minutes from ten o'clock on.
type icsSteps struct {
	rrule.ROption
	zone   zone
	unit   time.Duration
	effort *int
}

// newICSSteps returns the dates of a rule; false: RFC 5545 has no such rule.
func newICSSteps(option rrule.ROption, z zone, effort *int) (icsSteps, bool) {
	unit := map[rrule.Frequency]time.Duration{rrule.HOURLY: time.Hour, rrule.MINUTELY: time.Minute,
		rrule.SECONDLY: time.Second}[option.Freq]
	option.Interval = max(option.Interval, 1)
	ok := len(option.Byweekno) == 0 && option.Interval <= int(maxICSInterval*day/unit)
	return icsSteps{ROption: option, zone: z, unit: unit, effort: effort}, ok
}

// dates returns the dates before until. Those before since are left out unless they have to be counted. An
// hour that the clock skips has no date (RFC 5545 §3.3.10).
func (s icsSteps) dates(since, until time.Time) iter.Seq[time.Time] {
	if !s.Until.IsZero() && s.Until.Before(until) {
		until = s.Until.Add(time.Second)
	}
	return func(yield func(time.Time) bool) {
		at := s.Dtstart.Truncate(s.unit)
		if s.Count == 0 && since.After(at) {
			at = s.after(at, since.Truncate(s.unit))
		}
		var today stepsDay
		var set []time.Time
		for count, steps, idle := 0, 0, 0; at.Before(until) && idle < maxIdleSteps; {
			idle++
			if steps++; steps%stepsOfEffort == 0 {
				*s.effort++
			}
			if day := dayOf(at); !day.Equal(today.day) {
				today = s.dayOf(day)
			}
			next, meets := s.meets(at, today)
			if !meets {
				at = s.after(at, next)
				continue
			}
			set = s.within(at, set[:0])
			for _, date := range set {
				if date.Before(s.Dtstart) || !date.Before(until) ||
					today.skips && !s.zone.local(s.zone.instant(date)).Equal(date) {
					continue
				}
				idle = 0
				if count++; !yield(date) || count == s.Count {
					return
				}
			}
			at = s.after(at, at.Add(s.unit))
		}
	}
}

// hasDate reports whether there is any date at all.
func (s icsSteps) hasDate() bool {
	for range s.dates(s.Dtstart, s.Dtstart.AddDate(yearsOfPattern, 0, 0)) {
		return true
	}
	return false
}

// after returns the first step from next on.
func (s icsSteps) after(at, next time.Time) time.Time {
	step := time.Duration(s.Interval) * s.unit
	return at.Add((next.Sub(at) + step - 1) / step * step)
}

// stepsDay is what all steps of a day have in common.
type stepsDay struct {
	day   time.Time
	meets bool // the rule has this day
	skips bool // the clock may skip an hour
}

func (s icsSteps) dayOf(at time.Time) stepsDay {
	year, month, date := at.Date()
	days := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
	yearDays := time.Date(year, time.December, 31, 0, 0, 0, 0, time.UTC).YearDay()
	today := stepsDay{day: at,
		meets: hasValue(s.Bymonth, int(month), 0) && hasValue(s.Bymonthday, date, days) &&
			hasValue(s.Byyearday, at.YearDay(), yearDays) &&
			(len(s.Byweekday) == 0 || slices.ContainsFunc(s.Byweekday, func(w rrule.Weekday) bool {
				return (w.Day()+1)%7 == int(at.Weekday())
			}))}
	if today.meets {
		today.skips = s.zone.instant(at.Add(day)).Sub(s.zone.instant(at)) != day
	}
	return today
}

// hasValue reports whether a part of a rule is absent or has a value. Of last values, -1 is the last one.
func hasValue(by []int, value, last int) bool {
	return len(by) == 0 || slices.Contains(by, value) || last > 0 && slices.Contains(by, value-last-1)
}

// meets reports whether the rule has the day, the hour and the minute of a step, and if not, when the next
// ones begin.
func (s icsSteps) meets(at time.Time, today stepsDay) (next time.Time, meets bool) {
	switch {
	case !today.meets:
		return today.day.Add(day), false
	case !hasValue(s.Byhour, at.Hour(), 0):
		return at.Truncate(time.Hour).Add(time.Hour), false
	case s.unit < time.Hour && !hasValue(s.Byminute, at.Minute(), 0):
		return at.Truncate(time.Minute).Add(time.Minute), false
	case s.unit == time.Second && !hasValue(s.Bysecond, at.Second(), 0):
		return at.Add(time.Second), false
	}
	return at, true
}

// within appends the dates of one step: of an hour those at BYMINUTE and BYSECOND, of a minute at BYSECOND.
func (s icsSteps) within(at time.Time, set []time.Time) []time.Time {
	minutes, seconds := []int{0}, []int{0} // of the step itself
	if s.unit == time.Hour {
		if minutes = s.Byminute; len(minutes) == 0 {
			minutes = []int{s.Dtstart.Minute()}
		}
	}
	if s.unit > time.Second {
		if seconds = s.Bysecond; len(seconds) == 0 {
			seconds = []int{s.Dtstart.Second()}
		}
	}
	for _, minute := range minutes {
		for _, second := range seconds {
			set = append(set, at.Add(time.Duration(minute)*time.Minute+time.Duration(second)*time.Second))
		}
	}
	if len(set) > 1 {
		slices.SortFunc(set, time.Time.Compare)
		set = slices.Compact(set)
	}
	if len(s.Bysetpos) == 0 {
		return set
	}
	last, position := len(set), 0
	return slices.DeleteFunc(set, func(time.Time) bool {
		position++
		return !slices.Contains(s.Bysetpos, position) && !slices.Contains(s.Bysetpos, position-last-1)
	})
}
