package plan_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modules/rota/plan"
	"github.com/narthex-platform/narthex/services/randomtest"
)

// TestAgainstEveryPlan compares Fill with all plans there are, for 500 small parishes: no plan is better by
// the measure, and no rule is broken.
func TestAgainstEveryPlan(t *testing.T) {
	t.Parallel()
	parishes := 500
	if testing.Short() {
		parishes = 150 // of which each takes milliseconds
	}
	r := rand.New(rand.NewPCG(randomtest.Seed(t), 1))
	kept, reasons := 0, make(map[plan.Why]int)
	for number := range parishes {
		in := smallParish(r)
		got := plan.Fill(in)
		for _, c := range got.Choices {
			reasons[c.Why]++
		}
		kept += len(in.Apart)
		if broken := brokenRule(&in, got.Choices); broken != "" {
			t.Fatalf("parish %d: %s\n%+v\n%+v", number, broken, in, got)
		}
		if wrong := wrongGap(&in, got); wrong != "" {
			t.Fatalf("parish %d: %s\n%+v\n%+v", number, wrong, in, got)
		}
		if best, mine := bestOf(&in), measureOf(&in, got.Choices); slices.Compare(mine, best) != 0 {
			t.Fatalf("parish %d: the measure of the plan is %v, the best one has %v\n%+v\n%+v", number, mine, best,
				in, got)
		}
	}
	for _, why := range []plan.Why{plan.OnlyOne, plan.Wished, plan.ServesWith, plan.FewestTurns} {
		if reasons[why] == 0 {
			t.Errorf("no choice was made because of %q: %v", why, reasons)
		}
	}
	if reasons[plan.IsFree] > 0 || kept == 0 {
		t.Errorf("%d choices without a reason, want none; %d pairs, want some", reasons[plan.IsFree], kept)
	}
}

// smallParish has up to six places, so that all plans can be tried.
func smallParish(r *rand.Rand) plan.Input {
	days := []string{"2026-11-22", "2026-11-29", "2026-11-29", "2026-12-06", "2026-12-13", "2026-12-24"}
	in := plan.Input{Since: "2026-09-01"}
	roles := 1 + r.IntN(3)
	for range 2 + r.IntN(4) {
		p := plan.Person{PerMonth: max(0, r.IntN(4)-1)}
		for role := range roles {
			if r.IntN(3) > 0 {
				p.Roles = append(p.Roles, role)
			}
		}
		if r.IntN(4) == 0 {
			p.Away = append(p.Away, plan.Days{From: "2026-11-27", To: "2026-12-08"})
		}
		if r.IntN(3) == 0 {
			p.Wishes = append(p.Wishes, plan.Days{From: "2026-12-06", To: "2026-12-13"})
		}
		in.People = append(in.People, p)
		for range r.IntN(3) {
			past := []string{"2026-08-02", "2026-10-04", "2026-11-01", "2026-12-20"}
			in.Turns = append(in.Turns, plan.Turn{Person: len(in.People) - 1, Day: past[r.IntN(len(past))]})
		}
	}
	person := func() int { return r.IntN(len(in.People)) }
	places := 0
	for at := r.IntN(3); at < len(days) && places < 6; at += 1 + r.IntN(2) {
		s := plan.Service{Day: days[at], Needs: make([]int, roles)}
		for role := range s.Needs {
			s.Needs[role] = min(r.IntN(3), 6-places)
			places += s.Needs[role]
		}
		if r.IntN(3) == 0 {
			taken := plan.Seat{Role: r.IntN(roles), Person: person()}
			s.Taken = append(s.Taken, taken)
			in.Turns = append(in.Turns, plan.Turn{Person: taken.Person, Day: s.Day})
		}
		if r.IntN(4) == 0 {
			s.Declined = append(s.Declined, person())
		}
		in.Services = append(in.Services, s)
	}
	for _, pairs := range []*[][2]int{&in.Apart, &in.Apart, &in.Together} {
		if one, other := person(), person(); one != other && r.IntN(3) > 0 {
			*pairs = append(*pairs, [2]int{one, other})
		}
	}
	return in
}

// brokenRule returns a rule that proposals break, by what the package's comment says and nothing else.
func brokenRule(in *plan.Input, choices []plan.Choice) string {
	type personDay struct {
		person int
		day    string
	}
	days, months := make(map[personDay]int), make(map[personDay]int)
	for _, turn := range in.Turns {
		days[personDay{turn.Person, turn.Day}]++
		months[personDay{turn.Person, turn.Day[:7]}]++
	}
	there := make([][]int, len(in.Services))
	seats := make([]map[int]int, len(in.Services))
	for at, s := range in.Services {
		seats[at] = make(map[int]int)
		for _, seat := range s.Taken {
			there[at] = append(there[at], seat.Person)
			seats[at][seat.Role]++
		}
	}
	for _, c := range choices {
		s, p := in.Services[c.Service], in.People[c.Person]
		seats[c.Service][c.Role]++
		days[personDay{c.Person, s.Day}]++
		months[personDay{c.Person, s.Day[:7]}]++
		switch {
		case !slices.Contains(p.Roles, c.Role):
			return fmt.Sprintf("%+v cannot do it", c)
		case inside(s.Day, p.Away):
			return fmt.Sprintf("%+v is away", c)
		case slices.Contains(s.Declined, c.Person):
			return fmt.Sprintf("%+v has declined", c)
		case days[personDay{c.Person, s.Day}] > 1:
			return fmt.Sprintf("%+v serves twice on the day", c)
		case p.PerMonth > 0 && months[personDay{c.Person, s.Day[:7]}] > p.PerMonth:
			return fmt.Sprintf("%+v serves too often in the month", c)
		case seats[c.Service][c.Role] > s.Needs[c.Role]:
			return fmt.Sprintf("%+v is one too many", c)
		}
		for _, pair := range in.Apart {
			for n := range pair {
				if pair[n] == c.Person && slices.Contains(there[c.Service], pair[1-n]) {
					return fmt.Sprintf("%+v serves with %d", c, pair[1-n])
				}
			}
		}
		there[c.Service] = append(there[c.Service], c.Person)
	}
	return ""
}

func inside(day string, periods []plan.Days) bool {
	return slices.ContainsFunc(periods, func(d plan.Days) bool { return d.From <= day && day <= d.To })
}

// wrongGap returns a place that is neither filled nor named as empty, or whose reason does not count all who
// can do it.
func wrongGap(in *plan.Input, got plan.Plan) string {
	left := make(map[[2]int]int)
	for at, s := range in.Services {
		for role, needed := range s.Needs {
			for _, seat := range s.Taken {
				if seat.Role == role {
					needed--
				}
			}
			left[[2]int{at, role}] = max(needed, 0)
		}
	}
	for _, c := range got.Choices {
		left[[2]int{c.Service, c.Role}]--
	}
	for _, g := range got.Gaps {
		left[[2]int{g.Service, g.Role}] -= g.Places
		if g.Able != g.Away+g.Declined+g.Busy+g.Limit+g.Apart {
			return fmt.Sprintf("the reasons of %+v do not count everybody", g)
		}
	}
	for place, n := range left {
		if n != 0 {
			return fmt.Sprintf("%d places of %v are neither filled nor empty", n, place)
		}
	}
	return ""
}

// measureOf returns numbers that are smaller for a better plan: for each place, in the order in which they
// are to be filled, whether it is empty; then the squares of everybody's turns, less their wishes.
func measureOf(in *plan.Input, choices []plan.Choice) (measure []int) {
	turns := make([]int, len(in.People))
	for _, turn := range in.Turns {
		if turn.Day >= in.Since {
			turns[turn.Person]++
		}
	}
	filled, wishes := make(map[[2]int]int), 0
	for _, c := range choices {
		turns[c.Person]++
		filled[[2]int{c.Service, c.Role}]++
		if inside(in.Services[c.Service].Day, in.People[c.Person].Wishes) {
			wishes--
		}
	}
	for at, s := range in.Services {
		for nth := range 6 {
			for role, needed := range s.Needs {
				for _, seat := range s.Taken {
					if seat.Role == role {
						needed--
					}
				}
				taken := s.Needs[role] - max(needed, 0)
				if taken <= nth && nth < s.Needs[role] {
					empty := 1
					if filled[[2]int{at, role}] > nth-taken {
						empty = 0
					}
					measure = append(measure, empty)
				}
			}
		}
	}
	squares := 0
	for _, n := range turns {
		squares += n * n
	}
	return append(measure, squares, wishes)
}

// bestOf tries every plan that keeps the rules, and returns the measure of the best one.
func bestOf(in *plan.Input) (best []int) {
	var places []plan.Choice
	for at, s := range in.Services {
		for role, needed := range s.Needs {
			for range needed {
				places = append(places, plan.Choice{Service: at, Role: role})
			}
		}
	}
	var chosen []plan.Choice
	var try func(at int)
	try = func(at int) {
		if at == len(places) {
			if now := measureOf(in, chosen); best == nil || slices.Compare(now, best) < 0 {
				best = now
			}
			return
		}
		for person := range in.People {
			one := places[at]
			one.Person = person
			chosen = append(chosen, one)
			if brokenRule(in, chosen) == "" {
				try(at + 1)
			}
			chosen = chosen[:len(chosen)-1]
		}
		try(at + 1) // nobody
	}
	try(0)
	return best
}

// TestTurnsRotate: of four people for one role who have had equally many turns, everybody serves every fourth
// week, and who has rested longest begins.
func TestTurnsRotate(t *testing.T) {
	t.Parallel()
	in := plan.Input{People: make([]plan.Person, 4)}
	first := time.Date(2026, 12, 6, 0, 0, 0, 0, time.UTC)
	for n := range in.People {
		in.People[n].Roles = []int{0}
		day := first.AddDate(0, 0, -7*(n+1)).Format(time.DateOnly)
		in.Turns = append(in.Turns, plan.Turn{Person: n, Day: day})
	}
	for n := range 13 {
		in.Services = append(in.Services, plan.Service{Day: first.AddDate(0, 0, 7*n).Format(time.DateOnly),
			Needs: []int{1}})
	}
	got := plan.Fill(in)
	for n, c := range got.Choices {
		if want := 3 - n%4; c.Person != want || n >= 4 && c.Last != in.Services[n-4].Day {
			t.Errorf("week %d: %+v, want person %d again after four weeks", n, c, want)
		}
	}
	if len(got.Choices) != 13 || len(got.Gaps) != 0 {
		t.Errorf("%d choices and the gaps %+v, want 13 and none", len(got.Choices), got.Gaps)
	}
}

// TestEarlyChoicesMove: who is chosen first makes room for the only other place that they can fill.
func TestEarlyChoicesMove(t *testing.T) {
	t.Parallel()
	got := plan.Fill(plan.Input{
		People: []plan.Person{{Roles: []int{0, 1}, PerMonth: 1}, {Roles: []int{0}}},
		Turns:  []plan.Turn{{Person: 1, Day: "2026-11-29"}},
		Services: []plan.Service{{Day: "2026-12-06", Needs: []int{1, 0}},
			{Day: "2026-12-13", Needs: []int{0, 1}}},
	})
	if len(got.Choices) != 2 || got.Choices[0].Person != 1 || got.Choices[1].Person != 0 {
		t.Errorf("the choices are %+v, want person 1 on the first day, so that person 0 may serve on the second",
			got.Choices)
	}
}

// bigParish has 300 people and 13 weeks with 12 roles.
func bigParish(r *rand.Rand) plan.Input {
	in := plan.Input{Since: "2026-09-06"}
	first := time.Date(2026, 12, 6, 0, 0, 0, 0, time.UTC)
	day := func(week int) string { return first.AddDate(0, 0, 7*week).Format(time.DateOnly) }
	for v := range 300 {
		p := plan.Person{Roles: []int{r.IntN(12), r.IntN(12)}, PerMonth: r.IntN(4)}
		if week := r.IntN(20); week < 13 {
			p.Away = []plan.Days{{From: day(week), To: day(week + 2)}}
		}
		if week := r.IntN(40); week < 13 {
			p.Wishes = []plan.Days{{From: day(week), To: day(week + 1)}}
		}
		in.People = append(in.People, p)
		for range r.IntN(4) {
			in.Turns = append(in.Turns, plan.Turn{Person: v, Day: day(-1 - r.IntN(20))})
		}
	}
	for week := range 13 {
		s := plan.Service{Day: day(week)}
		for role := range 12 {
			s.Needs = append(s.Needs, 1+role%3)
		}
		in.Services = append(in.Services, s)
	}
	for range 20 {
		if one, other := r.IntN(300), r.IntN(300); one != other {
			in.Apart = append(in.Apart, [2]int{one, other})
			in.Together = append(in.Together, [2]int{one, (other + 1) % 300})
		}
	}
	return in
}

// TestBigParish: every place is filled, and no rule is broken.
func TestBigParish(t *testing.T) {
	t.Parallel()
	in := bigParish(rand.New(rand.NewPCG(randomtest.Seed(t), 2)))
	got := plan.Fill(in)
	if broken := brokenRule(&in, got.Choices); broken != "" || len(got.Gaps) != 0 {
		t.Errorf("the gaps are %+v, the broken rule %q; want none", got.Gaps, broken)
	}
}

// BenchmarkFill is for 300 people, 13 weeks and 12 roles, with 312 places.
func BenchmarkFill(b *testing.B) {
	in := bigParish(rand.New(rand.NewPCG(7, 2)))
	for b.Loop() {
		plan.Fill(in)
	}
}
