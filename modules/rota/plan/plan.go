// Package plan proposes who serves where. It is pure: the same input gives the same plan, and nothing is read
// or stored.
//
// Every proposal keeps the rules: somebody serves only in roles that they can do, not on days away, at most
// once a day, in a month no more often than they allow, never with whom they are kept apart, and not in a
// service that they declined.
//
// Of all plans that keep the rules, Fill chooses by this measure: as many places as possible are filled, the
// earlier ones first; then turns are shared fairly, which is the least sum of the squares of everybody's
// turns; then as many wishes as possible are met. Between equals it prefers people who like to serve with
// somebody in the service, and who have rested longest.
package plan

// Input is everything that a plan depends on. People and roles are numbered from 0.
type Input struct {
	People   []Person
	Services []Service // those to fill, in their order
	Turns    []Turn    // all that are known, also those in the services to fill
	Since    string    // turns from this day on count for fairness
	Apart    [][2]int  // never in the same service
	Together [][2]int  // gladly in the same service
}

// Person is somebody who serves.
type Person struct {
	Roles    []int
	PerMonth int // most turns in a calendar month; 0: no limit
	Away     []Days
	Wishes   []Days // when they would like to serve
}

// Days is a period, both days included: "2026-12-24".
type Days struct{ From, To string }

// Service is a service to fill.
type Service struct {
	Day      string
	Needs    []int  // how many people each role needs, by role
	Taken    []Seat // who serves already
	Declined []int  // who said no to it
}

// Seat is a person in a role.
type Seat struct{ Role, Person int }

// Turn is a day on which somebody served, or is to serve.
type Turn struct {
	Person int
	Day    string
}

// Plan is what Fill proposes.
type Plan struct {
	Choices []Choice // in the order of services and roles
	Gaps    []Gap
}

// Choice is a proposal, and why it was made.
type Choice struct {
	Service, Role, Person int
	Why                   Why
	Others                int    // who are free and could do it, too
	Turns                 int    // that the person has besides this one
	Last                  string // the day of the turn before this one; "" for none that is known
	With                  int    // of ServesWith: the other person
}

// Why is the reason of a choice.
type Why string

// The reasons, the strongest one first. None of the people who are free has fewer turns, except with
// IsFree, which happens only if the search for the best plan was cut short.
const (
	OnlyOne     Why = "only"   // nobody else who can do it is free
	Wished      Why = "wished" // they would like to serve on that day
	ServesWith  Why = "gladly" // somebody serves there with whom they like to serve
	FewestTurns Why = "fewest"
	IsFree      Why = "free"
)

// Gap is a place that stays empty, and what keeps those who can do it from it.
type Gap struct {
	Service, Role, Places int
	Able                  int // how many can do it; each of them is counted below once
	Away, Declined, Busy  int // Busy: serves on that day already
	Limit                 int // has as many turns in the month as they allow
	Apart                 int // must not serve with somebody who is there
}

// Fill returns a plan for all places that are empty.
func Fill(in Input) Plan {
	n := newNetwork(&in)
	best := n.search()
	return n.describe(best)
}

func within(day string, periods []Days) bool {
	for _, p := range periods {
		if p.From <= day && day <= p.To {
			return true
		}
	}
	return false
}

// monthOf returns the month of a day: "2026-12".
func monthOf(day string) string { return day[:min(len(day), len("2026-12"))] }
