package main

import (
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
	effortOfNothing = 20000   // of a rule without any date, which is searched for through 372 years
	writtenOutDays  = 730     // for how long what the calendar cannot repeat comes in as single dates
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

// icsRule makes a rule of a file that begins at a time on its zone's clock. Its UNTIL is converted to that
// clock.
func icsRule(text string, from icsMoment) (*rrule.RRule, bool) {
	if len(text) > maxICSRule {
		return nil, false
	}
	option, err := rrule.StrToROption(untilOnClock(text, from.zone, from.allDay))
	if err != nil || option.Interval < 0 || option.Interval > maxICSInterval || option.Count < 0 ||
		!option.Dtstart.IsZero() || len(option.Byeaster) > 0 {
		return nil, false
	}
	if max(len(option.Byhour), 1)*max(len(option.Byminute), 1)*max(len(option.Bysecond), 1) > maxClockTimes {
		return nil, false
	}
	restricted := len(option.Bymonth) + len(option.Bymonthday) + len(option.Byyearday) + len(option.Byweekno) +
		len(option.Byweekday) + len(option.Bysetpos) + len(option.Byhour) + len(option.Byminute) +
		len(option.Bysecond)
	if option.Freq > rrule.HOURLY || option.Freq == rrule.HOURLY && restricted > 0 {
		return nil, false // its steps are too small for a search
	}
	if until := untilOf(text); !option.Until.IsZero() && (from.allDay || len(until) == len(icsDay)) {
		option.Until = dayOf(option.Until).Add(day - time.Second)
	}
	option.Dtstart = from.clock
	made, err := rrule.NewRRule(*option)
	return made, err == nil
}

// datesOf returns the dates of rules from a time to another, on the clock of the zone in which they repeat.
func (c *icsImport) datesOf(rules []string, from icsMoment, since, until time.Time) ([]time.Time, string) {
	var all []time.Time
	for _, text := range rules {
		made, ok := icsRule(normalRule(text), from)
		if c.effort > maxEffort {
			return nil, "TOO_MANY"
		}
		if !ok || !c.hasDate(made) {
			return nil, "RULE_INVALID"
		}
		next := made.Iterator()
		for at, more := next(); more && at.Before(until); at, more = next() {
			if c.effort++; c.effort > maxEffort {
				return nil, "TOO_MANY"
			}
			if at.Before(since) {
				continue
			}
			if all = append(all, at); len(all) > maxDates {
				return nil, "RULE_INVALID"
			}
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	return slices.Compact(all), ""
}

// hasDate reports whether a rule has any date. As in rule.first it is searched for near the end of the years
// that the library knows.
func (c *icsImport) hasDate(made *rrule.RRule) bool {
	option := made.OrigOptions
	years := (9999 - latest.Year()) / 400 * 400
	option.Dtstart = option.Dtstart.AddDate(years, 0, 0)
	if !option.Until.IsZero() {
		option.Until = option.Until.AddDate(years, 0, 0)
	}
	late, err := rrule.NewRRule(option)
	if err != nil {
		return false
	}
	if _, found := late.Iterator()(); found {
		return true
	}
	c.effort += effortOfNothing
	return false
}
