package ical

import (
	"fmt"
	"slices"
	"time"
)

// ZoneYears is for how many years ahead the changes of the clock are written.
const ZoneYears = 10

// Zone defines the zone with every change of its clock from the year before since to ZoneYears after now;
// both are counted in whole years, so that a calendar is the same all year. It writes nothing for UTC. Equal
// changes are combined.
func (c *Calendar) Zone(since, now time.Time) {
	if c.zone == time.UTC {
		return
	}
	from := time.Date(min(since.Year(), now.Year())-1, 1, 1, 0, 0, 0, 0, time.UTC)
	until := time.Date(now.Year()+ZoneYears+1, 1, 1, 0, 0, 0, 0, time.UTC)
	type observance struct {
		kind, before, after, name string
	}
	changes := make(map[observance][]string)
	var order []observance
	add := func(o observance, clock time.Time) {
		if changes[o] == nil {
			order = append(order, o)
		}
		changes[o] = append(changes[o], clock.Format(Local))
	}
	at := from.In(c.zone)
	name, offset := at.Zone()
	add(observance{kindOf(at), offsetOf(offset), offsetOf(offset), name}, at)
	for changed, found := NextChange(at, until); found; changed, found = NextChange(changed, until) {
		_, before := changed.Add(-time.Second).Zone()
		name, after := changed.Zone()
		clock := changed.UTC().Add(time.Duration(before) * time.Second) // what it shows before the change
		add(observance{kindOf(changed), offsetOf(before), offsetOf(after), name}, clock)
	}
	c.Line("BEGIN:VTIMEZONE")
	c.Line("TZID:" + c.zone.String())
	for _, o := range order {
		slices.Sort(changes[o])
		c.Line("BEGIN:" + o.kind)
		c.Line("DTSTART:" + changes[o][0])
		for _, clock := range changes[o][1:] {
			c.Line("RDATE:" + clock)
		}
		c.Line("TZOFFSETFROM:" + o.before)
		c.Line("TZOFFSETTO:" + o.after)
		c.Text("TZNAME", o.name)
		c.Line("END:" + o.kind)
	}
	c.Line("END:VTIMEZONE")
}

func kindOf(at time.Time) string {
	if at.IsDST() {
		return "DAYLIGHT"
	}
	return "STANDARD"
}

func offsetOf(seconds int) string {
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	text := fmt.Sprintf("%s%02d%02d", sign, seconds/3600, seconds/60%60)
	if seconds%60 != 0 {
		text += fmt.Sprintf("%02d", seconds%60)
	}
	return text
}

// halfDay is shorter than the time between two changes of a clock.
const halfDay = 12 * time.Hour

// NextChange returns the first moment after at, and not after until, at which the clock of at's zone
// changes. It compares the clock every half day and then halves the half day with the change.
// Time.ZoneBounds is of no use: it returns ends of years, too, and in the last day of a leap year one that
// is not after its argument (golang/go#81583).
func NextChange(at, until time.Time) (changed time.Time, found bool) {
	for before := at; before.Before(until); {
		after := before.Add(halfDay)
		if after.After(until) {
			after = until.In(at.Location())
		}
		if clockKept(before, after) {
			before = after
			continue
		}
		for step := after.Unix() - before.Unix(); step > 1; step = after.Unix() - before.Unix() {
			middle := time.Unix(before.Unix()+step/2, 0).In(at.Location())
			if clockKept(before, middle) {
				before = middle
			} else {
				after = middle
			}
		}
		return after, true
	}
	return time.Time{}, false
}

// clockKept reports whether a zone has the same offset, name and kind of time at two moments.
func clockKept(one, other time.Time) bool {
	name, offset := one.Zone()
	otherName, otherOffset := other.Zone()
	return name == otherName && offset == otherOffset && one.IsDST() == other.IsDST()
}
