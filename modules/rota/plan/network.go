package plan

import (
	"slices"
	"time"
)

// network is the plan as a flow of least cost. A unit goes from an empty place of a role over a person's day
// and month to the person, where the nth turn costs 2n-1, so that all together cost the square. A path from
// an empty place may lead over people who then change their place, so an early choice is never final.
type network struct {
	in     *Input
	places []place
	units  []int // places in the order in which they are filled, as often as they have room
	days   []int // the day of each service, among the different ones
	months []int // the month of each day
	banned []bool
	unit   int // cost of a turn, larger than that of all wishes

	persons, dayCount, monthCount int
	able                          [][]bool // by person and role
	wishes                        []bool   // by person and day
	busy                          []bool   // by person and day: a turn that is known
	settled                       []int    // by person and month: turns that are known
	recent                        []int    // by person: turns that are known since Input.Since
	number                        []int    // by day: its number, for distances
	turnDays                      [][]int  // by person: the numbers of the days of their turns
	likes, shuns                  [][]int  // by person: with whom they like to serve, and must not

	// The flow.
	seats  []int // by person and day: the place where they serve, or none
	spent  []int // by person and month: proposed turns
	turns  []int // by person: recent and proposed ones
	filled []int // by place
	dist   []int
	from   []int
	queued []bool
	queue  []int
}

// place is a role of a service that needs more people than it has.
type place struct {
	service, role, room int
	candidates          []int // people whom no rule excludes for itself
}

const (
	none     = -1
	infinite = int(^uint(0) >> 1)
)

func newNetwork(in *Input) *network {
	n := &network{in: in, persons: len(in.People)}
	n.readDays()
	n.readPeople()
	n.readPlaces()
	n.banned = make([]bool, n.persons*len(in.Services))
	n.unit = len(n.units) + 1
	return n
}

func (n *network) readDays() {
	known, months := make(map[string]int), make(map[string]int)
	for _, s := range n.in.Services {
		day, there := known[s.Day]
		if !there {
			day = len(known)
			known[s.Day] = day
			month, there := months[monthOf(s.Day)]
			if !there {
				month = len(months)
				months[monthOf(s.Day)] = month
			}
			n.months = append(n.months, month)
			n.number = append(n.number, dayNumber(s.Day))
		}
		n.days = append(n.days, day)
	}
	n.dayCount, n.monthCount = len(known), len(months)
	n.busy, n.wishes = make([]bool, n.persons*len(known)), make([]bool, n.persons*len(known))
	n.settled, n.recent = make([]int, n.persons*len(months)), make([]int, n.persons)
	n.turnDays = make([][]int, n.persons)
	for _, t := range n.in.Turns {
		if day, there := known[t.Day]; there {
			n.busy[t.Person*n.dayCount+day] = true
		}
		if month, there := months[monthOf(t.Day)]; there {
			n.settled[t.Person*n.monthCount+month]++
		}
		if t.Day >= n.in.Since {
			n.recent[t.Person]++
		}
		n.turnDays[t.Person] = append(n.turnDays[t.Person], dayNumber(t.Day))
	}
	for v, person := range n.in.People {
		for day, at := range known {
			n.wishes[v*n.dayCount+at] = within(day, person.Wishes)
		}
	}
}

// dayNumber counts days, so that their distance is a difference.
func dayNumber(day string) int {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return 0
	}
	return int(at.Unix() / (24 * 60 * 60))
}

func (n *network) readPeople() {
	roles := 0
	for _, s := range n.in.Services {
		roles = max(roles, len(s.Needs))
	}
	n.able, n.likes, n.shuns = make([][]bool, n.persons), make([][]int, n.persons), make([][]int, n.persons)
	for v, person := range n.in.People {
		n.able[v] = make([]bool, roles)
		for _, role := range person.Roles {
			if role < roles {
				n.able[v][role] = true
			}
		}
	}
	for _, pair := range n.in.Apart {
		n.shuns[pair[0]] = append(n.shuns[pair[0]], pair[1])
		n.shuns[pair[1]] = append(n.shuns[pair[1]], pair[0])
	}
	for _, pair := range n.in.Together {
		n.likes[pair[0]] = append(n.likes[pair[0]], pair[1])
		n.likes[pair[1]] = append(n.likes[pair[1]], pair[0])
	}
}

// readPlaces orders the places: the first person of each role of a service, then the second one of each.
func (n *network) readPlaces() {
	for at, s := range n.in.Services {
		taken := make([]int, len(s.Needs))
		for _, seat := range s.Taken {
			if seat.Role < len(taken) {
				taken[seat.Role]++
			}
		}
		of, most := make([]int, len(s.Needs)), 0
		for role, needed := range s.Needs {
			most = max(most, needed)
			if of[role] = none; needed > taken[role] {
				of[role] = len(n.places)
				p := place{service: at, role: role, room: needed - taken[role]}
				for v := range n.in.People {
					if n.excluded(v, at, role) == "" {
						p.candidates = append(p.candidates, v)
					}
				}
				n.places = append(n.places, p)
			}
		}
		for person := range most {
			for role, needed := range s.Needs {
				if taken[role] <= person && person < needed {
					n.units = append(n.units, of[role])
				}
			}
		}
	}
}

// excluded returns which rule keeps a person from a role, whatever else is proposed; "" for none.
func (n *network) excluded(v, service, role int) string {
	s := &n.in.Services[service]
	switch {
	case !n.able[v][role]:
		return "unable"
	case within(s.Day, n.in.People[v].Away):
		return "away"
	case slices.Contains(s.Declined, v):
		return "declined"
	case n.busy[v*n.dayCount+n.days[service]]:
		return "busy"
	case slices.ContainsFunc(s.Taken, func(seat Seat) bool { return slices.Contains(n.shuns[v], seat.Person) }):
		return "apart"
	}
	return ""
}

// The nodes of the network, in this order: places, persons' days, persons' months, persons.
func (n *network) dayNode(v, day int) int { return len(n.places) + v*n.dayCount + day }
func (n *network) monthNode(v, month int) int {
	return len(n.places) + n.persons*n.dayCount + v*n.monthCount + month
}
func (n *network) personNode(v int) int {
	return len(n.places) + n.persons*(n.dayCount+n.monthCount) + v
}

// solve fills all places at least cost, without regard to people who must not serve together.
func (n *network) solve() {
	n.seats = make([]int, n.persons*n.dayCount)
	for at := range n.seats {
		n.seats[at] = none
	}
	n.spent = make([]int, n.persons*n.monthCount)
	n.turns = slices.Clone(n.recent)
	n.filled = make([]int, len(n.places))
	if n.dist == nil {
		nodes := n.personNode(n.persons)
		n.dist, n.from, n.queued = make([]int, nodes), make([]int, nodes), make([]bool, nodes)
	}
	for _, p := range n.units {
		n.fillOne(p)
	}
}

// fillOne finds the cheapest path from a place to a person and moves people along it. Costs may be negative,
// but never those of a cycle, because what is already filled costs the least.
func (n *network) fillOne(p int) {
	for at := range n.dist {
		n.dist[at] = infinite
	}
	n.queue = append(n.queue[:0], p)
	n.dist[p], n.from[p] = 0, none
	best, end := infinite, none
	for head := 0; head < len(n.queue); head++ {
		node := n.queue[head]
		n.queued[node] = false
		cost := n.dist[node]
		v := node - len(n.places)
		switch {
		case v < 0:
			n.leavePlace(node, p)
		case v < n.persons*n.dayCount:
			if sits := n.seats[v]; sits != none {
				n.reach(node, sits, cost+n.wish(v))
			} else {
				person := v / n.dayCount
				n.reach(node, n.monthNode(person, n.months[v%n.dayCount]), cost)
			}
		case v < n.persons*(n.dayCount+n.monthCount):
			v -= n.persons * n.dayCount
			n.leaveMonth(node, v/n.monthCount, v%n.monthCount)
		default:
			v -= n.persons * (n.dayCount + n.monthCount)
			if total := cost + n.unit*(2*n.turns[v]+1); total < best {
				best, end = total, node
			}
			for month := range n.monthCount {
				if n.spent[v*n.monthCount+month] > 0 {
					n.reach(node, n.monthNode(v, month), cost)
				}
			}
		}
	}
	if end != none {
		n.filled[p]++
		n.move(end)
	}
}

func (n *network) reach(from, to, cost int) {
	if cost < n.dist[to] {
		n.dist[to], n.from[to] = cost, from
		if !n.queued[to] {
			n.queued[to] = true
			n.queue = append(n.queue, to)
		}
	}
}

// wish is what a person's day costs less if they would like to serve on it.
func (n *network) wish(personDay int) int {
	if n.wishes[personDay] {
		return 1
	}
	return 0
}

// leavePlace reaches the days of all candidates. At the place that is being filled their order decides
// between equals.
func (n *network) leavePlace(p, filling int) {
	candidates, day := n.places[p].candidates, n.days[n.places[p].service]
	if p == filling {
		n.prefer(p)
	}
	for _, v := range candidates {
		at := v*n.dayCount + day
		if n.seats[at] != p && !n.banned[v*len(n.in.Services)+n.places[p].service] {
			n.reach(p, n.dayNode(v, day), n.dist[p]-n.wish(at))
		}
	}
}

// leaveMonth reaches the person if they may serve once more in the month, and the days on which they do.
func (n *network) leaveMonth(node, v, month int) {
	at, limit := v*n.monthCount+month, n.in.People[v].PerMonth
	if limit == 0 || n.settled[at]+n.spent[at] < limit {
		n.reach(node, n.personNode(v), n.dist[node])
	}
	if n.spent[at] == 0 {
		return
	}
	for day, of := range n.months {
		if of == month && n.seats[v*n.dayCount+day] != none {
			n.reach(node, n.dayNode(v, day), n.dist[node])
		}
	}
}

// move changes the flow along the path that was found.
func (n *network) move(end int) {
	days, months := n.persons*n.dayCount, n.persons*n.monthCount
	for node := end; n.from[node] != none; node = n.from[node] {
		to, from := node-len(n.places), n.from[node]-len(n.places)
		switch {
		case to < 0: // somebody leaves this place; the next step says where they go
		case to < days && from < 0:
			n.seats[to] = from + len(n.places)
		case to < days: // from a month
			n.seats[to] = none
			n.spent[from-days]--
		case to < days+months && from < days:
			n.spent[to-days]++
		case to < days+months: // from a person
			n.turns[from-days-months]--
		default:
			n.turns[to-days-months]++
		}
	}
}
