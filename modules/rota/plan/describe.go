package plan

// describe returns a solution with the reason of each choice, and of each place that stays empty.
func (n *network) describe(s *solution) Plan {
	n.seats, n.turns, n.spent, n.filled = s.seats, s.turns, s.spent, s.filled
	var found Plan
	for p, place := range n.places {
		day := n.days[place.service]
		for v := range n.in.People {
			if n.seats[v*n.dayCount+day] == p {
				found.Choices = append(found.Choices, n.choice(p, v))
			}
		}
		if n.filled[p] < place.room {
			found.Gaps = append(found.Gaps, n.gap(p))
		}
	}
	return found
}

func (n *network) choice(p, v int) Choice {
	place := n.places[p]
	c := Choice{Service: place.service, Role: place.role, Person: v, Turns: n.turns[v] - 1, With: none}
	fair := true
	for _, other := range place.candidates {
		if other != v && n.obstacle(other, p, v) == "" {
			c.Others++
			fair = fair && n.turns[other] >= c.Turns
		}
	}
	c.Last = n.last(v, n.in.Services[place.service].Day)
	c.With = n.serving(n.likes[v], place.service)
	switch {
	case c.Others == 0:
		c.Why = OnlyOne
	case !fair:
		c.Why = IsFree
	case n.wishes[v*n.dayCount+n.days[place.service]]:
		c.Why = Wished
	case c.With != none:
		c.Why = ServesWith
	default:
		c.Why = FewestTurns
	}
	return c
}

// last returns the day of a person's turn before a day.
func (n *network) last(v int, before string) (last string) {
	for _, t := range n.in.Turns {
		if t.Person == v && t.Day < before {
			last = max(last, t.Day)
		}
	}
	for at, s := range n.in.Services {
		if p := n.seats[v*n.dayCount+n.days[at]]; p != none && n.places[p].service == at && s.Day < before {
			last = max(last, s.Day)
		}
	}
	return last
}

// obstacle returns what keeps a person from a place in the plan as it is, if somebody else leaves it; "" for
// nothing.
func (n *network) obstacle(v, p, leaves int) string {
	place := n.places[p]
	day := n.days[place.service]
	if why := n.excluded(v, place.service, place.role); why != "" {
		return why
	}
	if n.seats[v*n.dayCount+day] != none {
		return "busy"
	}
	at := v*n.monthCount + n.months[day]
	if limit := n.in.People[v].PerMonth; limit > 0 && n.settled[at]+n.spent[at] >= limit {
		return "limit"
	}
	for _, other := range n.shuns[v] {
		if other != leaves && n.serving([]int{other}, place.service) != none {
			return "apart"
		}
	}
	return ""
}

func (n *network) gap(p int) Gap {
	place := n.places[p]
	g := Gap{Service: place.service, Role: place.role, Places: place.room - n.filled[p]}
	for v := range n.in.People {
		if !n.able[v][place.role] {
			continue
		}
		g.Able++
		switch n.obstacle(v, p, none) {
		case "away":
			g.Away++
		case "declined":
			g.Declined++
		case "busy":
			g.Busy++
		case "limit":
			g.Limit++
		case "apart":
			g.Apart++
		}
	}
	return g
}
