package sample

import (
	"fmt"
	"slices"
	"time"
)

// sundays is how many Sundays are planned, and for how many weeks people have duties.
const sundays = 6

// gathering is a service that is planned, with its order.
type gathering struct {
	title string
	at    time.Time
	order []planned
}

// gatherings returns the services after now on the house's clock, the next one first: the coming Sundays at
// ten, those of Advent, and what is between Christmas Eve and New Year.
func gatherings(now time.Time) []gathering {
	var all []gathering
	at := func(year int, month time.Month, day, hour, minute int) time.Time {
		return time.Date(year, month, day, hour, minute, 0, 0, now.Location())
	}
	add := func(title string, start time.Time, order []planned) {
		sameStart := func(other gathering) bool { return other.at.Equal(start) }
		if start.After(now) && !slices.ContainsFunc(all, sameStart) {
			all = append(all, gathering{title, start, order})
		}
	}
	year := seasonOf(now)
	add("Nativity service", at(year, time.December, 24, 16, 0), nativity)
	add("Candlelight service", at(year, time.December, 24, 22, 0), candlelight)
	add("Christmas Day", at(year, time.December, 25, 10, 0), christmasDay)
	add("New Year's Eve", at(year, time.December, 31, 17, 0), newYearsEve)
	add("New Year's Day", at(year+1, time.January, 1, 10, 0), nil)
	first := adventOf(year, now.Location())
	for week := range 4 {
		add(fmt.Sprintf("Advent %d: Sunday service", week+1),
			at(first.Year(), first.Month(), first.Day()+7*week, 10, 0), advent(week))
	}
	days := (7 - int(now.Weekday())) % 7
	if days == 0 && !at(now.Year(), now.Month(), now.Day(), 10, 0).After(now) {
		days = 7
	}
	for week := range sundays {
		var order []planned
		if week < len(ordinary) {
			order = ordinary[week]
		}
		add("Sunday service", at(now.Year(), now.Month(), now.Day()+days+7*week, 10, 0), order)
	}
	slices.SortFunc(all, func(a, b gathering) int { return a.at.Compare(b.at) })
	return all
}

// seasonOf returns the year of the Christmas that is next, or whose season has not ended.
func seasonOf(now time.Time) int {
	if now.Month() == time.January && now.Day() == 1 {
		return now.Year() - 1
	}
	return now.Year()
}

// adventOf returns the first of the four Sundays before Christmas Day.
func adventOf(year int, zone *time.Location) time.Time {
	eve := time.Date(year, time.December, 24, 0, 0, 0, 0, zone)
	return eve.AddDate(0, 0, -int(eve.Weekday())-21)
}
