package plan

import (
	"cmp"
	"slices"
)

// These bound how many networks are solved to find the best plan that keeps people apart, by their number and
// by what they cost. Without people who must be apart, one is enough. When they are used up, the first choice
// of every branch is final.
const (
	maxSolutions = 1000
	maxWork      = 20_000_000
)

// solution is a flow and its measure.
type solution struct {
	seats, turns, spent []int
	filled              []int
	cost                int
}

// worse compares two solutions: first what is filled, in the order of the units, then the cost.
func (s *solution) worse(other *solution, units []int) bool {
	seen := make([]int, len(s.filled))
	for _, p := range units {
		seen[p]++
		mine, theirs := s.filled[p] >= seen[p], other.filled[p] >= seen[p]
		if mine != theirs {
			return theirs
		}
	}
	return s.cost >= other.cost
}

// search solves the network, and again without one or the other of two people who must not serve together
// and were seated in one service. A network with fewer choices costs no less, so a branch that is no better
// than the best plan is left.
func (n *network) search() *solution {
	work := 1
	for _, p := range n.places {
		work += len(p.candidates) * len(n.units)
	}
	left := min(maxSolutions, maxWork/work)
	var best *solution
	var branch func()
	branch = func() {
		left--
		n.solve()
		now := &solution{seats: n.seats, turns: n.turns, spent: n.spent, filled: n.filled, cost: n.cost()}
		if best != nil && now.worse(best, n.units) {
			return
		}
		service, pair := n.clash()
		if service == none {
			best = now
			return
		}
		for _, v := range pair {
			if best != nil && left <= 0 {
				return
			}
			at := v*len(n.in.Services) + service
			n.banned[at] = true
			branch()
			n.banned[at] = false
		}
	}
	branch()
	return best
}

func (n *network) cost() (cost int) {
	for _, turns := range n.turns {
		cost += n.unit * turns * turns
	}
	for at, p := range n.seats {
		if p != none {
			cost -= n.wish(at)
		}
	}
	return cost
}

// clash returns a service in which two people serve who must not.
func (n *network) clash() (service int, pair [2]int) {
	for _, pair := range n.in.Apart {
		for day := range n.dayCount {
			one, other := n.seats[pair[0]*n.dayCount+day], n.seats[pair[1]*n.dayCount+day]
			if one != none && other != none && n.places[one].service == n.places[other].service {
				return n.places[one].service, pair
			}
		}
	}
	return none, pair
}

// prefer orders the candidates of a place: who likes to serve with somebody who is there, who has rested
// longest. Who must not serve with somebody who is there comes last, which spares a search.
func (n *network) prefer(p int) {
	service := n.places[p].service
	type rank struct{ company, rest int }
	ranks := make(map[int]rank, len(n.places[p].candidates))
	for _, v := range n.places[p].candidates {
		company := 0
		if n.serving(n.shuns[v], service) != none {
			company = -1
		} else if n.serving(n.likes[v], service) != none {
			company = 1
		}
		ranks[v] = rank{company, n.rest(v, n.number[n.days[service]])}
	}
	slices.SortFunc(n.places[p].candidates, func(a, b int) int {
		return cmp.Or(cmp.Compare(ranks[b].company, ranks[a].company),
			cmp.Compare(ranks[b].rest, ranks[a].rest), cmp.Compare(a, b))
	})
}

// serving returns the first of some people who serves in a service.
func (n *network) serving(some []int, service int) int {
	for _, v := range some {
		p := n.seats[v*n.dayCount+n.days[service]]
		if p != none && n.places[p].service == service ||
			slices.ContainsFunc(n.in.Services[service].Taken, func(s Seat) bool { return s.Person == v }) {
			return v
		}
	}
	return none
}

// rest returns how many days lie between a day and the nearest turn of a person.
func (n *network) rest(v, day int) int {
	least := infinite
	near := func(other int) { least = min(least, max(other-day, day-other)) }
	for _, other := range n.turnDays[v] {
		near(other)
	}
	for at, other := range n.number {
		if n.seats[v*n.dayCount+at] != none {
			near(other)
		}
	}
	return least
}
