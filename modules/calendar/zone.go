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

// dayOf returns the beginning of a local day.
func dayOf(local time.Time) time.Time { return local.Truncate(day) }

// loadZone refuses a name that is no zone, and "Local", which would be the machine's zone.
func loadZone(name string) (zone, bool) {
	place, err := time.LoadLocation(name)
	return zone{place}, err == nil && name != "" && name != "Local"
}
