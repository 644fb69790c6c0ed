package main

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// icsMoment is a day, or a time on the clock of a zone.
type icsMoment struct {
	clock  time.Time // in the zone's local time; of a day its beginning
	allDay bool
	zone   zone
}

// local returns the house's local time of a moment. A day is the same day everywhere.
func (m icsMoment) local(house zone) time.Time {
	if m.allDay || m.zone == house {
		return m.clock
	}
	return house.local(m.zone.instant(m.clock))
}

// icsClocks are the forms in which programs write a time, without marks of a zone.
var icsClocks = []string{icsLocal, "20060102T1504", "2006-01-02T15:04:05", "2006-01-02T15:04"}

// moment reads the value of a line. code is why that is impossible, or "".
func (z *icsZones) moment(line icsLine, value string) (m icsMoment, code string) {
	m.zone = z.house
	value = strings.ToUpper(strings.TrimSpace(value))
	if date, clock, timed := strings.Cut(value, "T"); !timed || line.parameters["VALUE"] == "DATE" {
		m.allDay = true
		var err error
		if m.clock, err = time.Parse(icsDay, strings.ReplaceAll(date, "-", "")); err != nil {
			return m, "TIME_INVALID"
		}
		return m, ""
	} else if strings.HasPrefix(clock, "24") { // the end of the day, as ISO 8601 allows
		value = date + "T00" + clock[2:]
		defer func() { m.clock = m.clock.Add(day) }()
	}
	if clock, is := strings.CutSuffix(value, "Z"); is {
		m.zone, value = zone{time.UTC}, clock
	} else if at := strings.LastIndexAny(value, "+-"); at > len("2006-01-02T") || at > len("20060102T1") &&
		value[4] != '-' {
		offset, is := offsetZone(value[at:])
		if !is {
			return m, "TIME_INVALID"
		}
		m.zone, value = offset, value[:at]
	} else if name := line.parameters["TZID"]; name != "" {
		named, is := z.named(name)
		if !is {
			return m, "ZONE_UNKNOWN"
		}
		m.zone = named
	}
	for _, form := range icsClocks {
		if clock, err := time.Parse(form, value); err == nil {
			m.clock = clock
			return m, ""
		}
	}
	return m, "TIME_INVALID"
}

// moments reads a line with several values.
func (z *icsZones) moments(line icsLine) (all []icsMoment, code string) {
	for value := range strings.SplitSeq(line.value, ",") {
		if value = strings.TrimSpace(value); value == "" {
			continue
		}
		one, code := z.moment(line, value)
		if code != "" {
			return nil, code
		}
		if all = append(all, one); len(all) > maxDates {
			return nil, "TOO_MANY"
		}
	}
	return all, ""
}

// sameClock reports whether two zones have the same offsets in the year around a time.
func sameClock(a, b zone, at time.Time) bool {
	if a == b {
		return true
	}
	for days := 0; days < 366; days += 5 {
		moment := at.Add(time.Duration(days) * day)
		if !a.local(moment).Equal(b.local(moment)) {
			return false
		}
	}
	return true
}

var durations = regexp.MustCompile(
	`^\+?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$`)

func icsDuration(text string) (time.Duration, bool) {
	parts := durations.FindStringSubmatch(strings.ToUpper(text))
	if parts == nil {
		return 0, false
	}
	var total time.Duration
	for i, unit := range []time.Duration{7 * day, day, time.Hour, time.Minute, time.Second} {
		if n, err := strconv.Atoi(parts[i+1]); err == nil {
			total += time.Duration(n) * unit
		}
	}
	return total, true
}

// lasting is how long an event of a file lasts. note says that it is another time than the file has, or "".
func (v *icsEvent) lasting(from icsMoment, z *icsZones) (lasts time.Duration, note, code string) {
	usual := time.Hour
	if from.allDay {
		usual = day
	}
	if end, is := v.lines["DTEND"]; is {
		until, code := z.moment(end, end.value)
		if code != "" {
			return 0, "", code
		}
		if lasts = until.zone.instant(until.clock).Sub(from.zone.instant(from.clock)); from.allDay {
			lasts = dayOf(until.local(z.house).Add(day - 1)).Sub(from.clock)
		}
	} else if length, is := v.lines["DURATION"]; is {
		if lasts, is = icsDuration(strings.TrimSpace(length.value)); !is {
			return usual, "LENGTH_ASSUMED", ""
		}
		if from.allDay { // a part of a day is a day
			lasts = (lasts + day - 1).Truncate(day)
		}
	} else {
		return usual, "", ""
	}
	switch {
	case lasts < 0, lasts == 0 && !from.allDay:
		return usual, "LENGTH_ASSUMED", ""
	case lasts == 0:
		return usual, "", ""
	case lasts > maxLength:
		return maxLength, "LENGTH_SHORTENED", ""
	}
	return max(lasts, time.Minute), "", ""
}
