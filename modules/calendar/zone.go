package main

import "time"

// A local time of the house is a time.Time in UTC. It has no zone until zone.instant converts it.
const (
	clockForm = "2006-01-02T15:04"
	dayForm   = "2006-01-02"
	day       = 24 * time.Hour
)

// zone is the time zone of the house.
type zone struct{ place *time.Location }

// instant returns the instant of a local time. A time that exists twice in autumn is the first one; a time
// that does not exist in spring uses the offset before the change (RFC 5545 §3.3.5).
func (z zone) instant(local time.Time) time.Time {
	before := z.shifted(local, local.Add(-day))
	if z.local(before).Equal(local) {
		return before
	}
	if after := z.shifted(local, local.Add(day)); z.local(after).Equal(local) {
		return after
	}
	return before
}

// shifted converts local with the offset that the zone has at about.
func (z zone) shifted(local, about time.Time) time.Time {
	_, offset := about.In(z.place).Zone()
	return local.Add(-time.Duration(offset) * time.Second)
}

// local returns the local time at an instant.
func (z zone) local(at time.Time) time.Time {
	there := at.In(z.place)
	year, month, date := there.Date()
	return time.Date(year, month, date, there.Hour(), there.Minute(), there.Second(), 0, time.UTC)
}

// nextChange returns the first moment after at, and not after until, at which the clock of at's zone
// changes. It compares the clock every half day and then halves the half day with the change.
// Time.ZoneBounds is of no use: it returns ends of years, too, and in the last day of a leap year one that
// is not after its argument (golang/go#81583).
func nextChange(at, until time.Time) (changed time.Time, found bool) {
	for before := at; before.Before(until); {
		after := before.Add(day / 2)
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

// dayOf returns the beginning of a local day.
func dayOf(local time.Time) time.Time { return local.Truncate(day) }

// loadZone refuses a name that is no zone, and "Local", which would be the machine's zone.
func loadZone(name string) (zone, bool) {
	place, err := time.LoadLocation(name)
	return zone{place}, err == nil && name != "" && name != "Local"
}
