package main

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// Bounds of the rules of other programs.
const (
	maxICSRules     = 10      // RRULE and EXRULE of one event
	maxICSRule      = 4 << 10 // bytes
	maxClockTimes   = 48      // of one day, by BYHOUR, BYMINUTE and BYSECOND
	maxICSInterval  = 1000
	maxEffort       = 1 << 20 // dates that are tried for all events of a file together
	maxEffortOfRule = maxEffort / 2
	effortOfNothing = 20000 // of a rule without any date, which is searched for through 372 years
	writtenOutDays  = 730   // for how long what the calendar cannot repeat comes in as single dates
)

// normalRule writes a rule of another program as RFC 5545 has it: upper case, without spaces, empty parts,
// parts of the program's own and repeated values.
func normalRule(text string) string {
	text = strings.TrimPrefix(strings.ToUpper(text), "RRULE:")
	var parts []string
	for part := range strings.SplitSeq(text, ";") {
		name, value, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(part), " ", ""), "=")
		if name == "" || value == "" || strings.HasPrefix(name, "X-") {
			continue
		}
		values := strings.Split(value, ",")
		if len(values) > 1 {
			slices.Sort(values)
			values = slices.DeleteFunc(slices.Compact(values), func(one string) bool { return one == "" })
		}
		parts = append(parts, name+"="+strings.Join(values, ","))
	}
	return strings.Join(parts, ";")
}

// untilOnClock converts the UNTIL of a rule to the house's local time: a day for an event of whole days,
// otherwise a time.
func untilOnClock(rule string, house zone, allDay bool) string {
	until := untilOf(rule)
	if len(until) <= len(icsDay) {
		return rule
	}
	form, layout := icsUTC, icsUTC
	inUTC := strings.HasSuffix(until, "Z")
	if !inUTC {
		layout = icsLocal
	}
	local, err := time.Parse(layout, until)
	if err != nil {
		return rule
	}
	if inUTC {
		local = house.local(local)
	}
	if allDay {
		// It may be the midnight in the zone of whoever wrote it: east of the house it is still the evening of
		// the day before here.
		if inUTC && local.Hour() >= 12 && local.Truncate(time.Hour).Equal(local) {
			local = local.Add(12 * time.Hour)
		}
		form = icsDay
	}
	return strings.Replace(rule, until, local.Format(form), 1)
}

// icsRule are the dates of a rule of a file, on the clock of the zone in which it repeats.
type icsRule interface {
	dates(since, until time.Time) iter.Seq[time.Time]
	hasDate() bool
}

// rule reads a rule that begins at a time on its zone's clock. Its UNTIL is converted to that clock.
func (c *icsImport) rule(text string, from icsMoment) (icsRule, bool) {
	if len(text) > maxICSRule {
		return nil, false
	}
	option, err := rrule.StrToROption(untilOnClock(text, from.zone, from.allDay))
	if err != nil || option.Interval < 0 || option.Count < 0 || !option.Dtstart.IsZero() ||
		len(option.Byeaster) > 0 {
		return nil, false
	}
	if until := untilOf(text); !option.Until.IsZero() && (from.allDay || len(until) == len(icsDay)) {
		option.Until = dayOf(option.Until).Add(day - time.Second)
	}
	option.Dtstart = from.clock
	made, err := rrule.NewRRule(*option)
	switch {
	case err != nil:
		return nil, false
	case option.Freq >= rrule.HOURLY:
		return newICSSteps(*option, from.zone, &c.effort)
	case option.Interval > maxICSInterval,
		max(len(option.Byhour), 1)*max(len(option.Byminute), 1)*max(len(option.Bysecond), 1) > maxClockTimes:
		return nil, false
	}
	return icsDays{made}, true
}

// icsDays are the dates of a rule that steps by days, weeks, months or years.
type icsDays struct{ rule *rrule.RRule }

func (d icsDays) dates(_, until time.Time) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		next := d.rule.Iterator()
		for at, more := next(); more && at.Before(until) && yield(at); at, more = next() {
		}
	}
}

// hasDate searches as rule.first does: near the end of the years that the library knows.
func (d icsDays) hasDate() bool {
	option := d.rule.OrigOptions
	years := (9999 - latest.Year()) / 400 * 400
	option.Dtstart = option.Dtstart.AddDate(years, 0, 0)
	if !option.Until.IsZero() {
		option.Until = option.Until.AddDate(years, 0, 0)
	}
	late, err := rrule.NewRRule(option)
	if err != nil {
		return false
	}
	_, found := late.Iterator()()
	return found
}

// eachDate gives the dates of a rule from a time to another to take, on the clock of the zone in which it
// repeats, until take wants no more. Of several dates in a minute it gives one, and reports that.
func (c *icsImport) eachDate(
	text string, from icsMoment, since, until time.Time, take func(time.Time) bool,
) (sameMinute bool, code string) {
	rule, ok := c.rule(normalRule(text), from)
	if c.effort > maxEffort {
		return false, "TOO_MANY"
	}
	if !ok {
		return false, "RULE_INVALID"
	}
	if !rule.hasDate() {
		c.effort += effortOfNothing
		return false, "RULE_INVALID"
	}
	most := c.effort + maxEffortOfRule
	var last time.Time
	for at := range rule.dates(since, until) {
		if c.effort++; c.effort > maxEffort {
			return false, "TOO_MANY"
		} else if c.effort > most {
			return false, "RULE_INVALID"
		}
		if at = kept(at, from.allDay); at.Before(since) {
			continue
		}
		if at.Equal(last) {
			sameMinute = sameMinute || !from.allDay
			continue
		}
		if last = at; !take(at) {
			break
		}
	}
	return sameMinute, ""
}

// kept returns what the calendar keeps of a time: its minute, or its day.
func kept(clock time.Time, allDay bool) time.Time {
	if allDay {
		return dayOf(clock)
	}
	return clock.Truncate(time.Minute)
}
