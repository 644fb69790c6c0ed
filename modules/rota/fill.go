package main

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modules/rota/plan"
)

const (
	fillMost  = 13 * 7 // days that are filled at once
	fairSince = 13 * 7 // days for which turns before today count
)

// filled is a plan that is proposed. Nothing of it is stored: what a coordinator accepts is added as any
// other assignment, with the rev, so that nothing has changed meanwhile.
type filled struct {
	Rev       int64      `json:"rev"`
	Since     string     `json:"since"` // turns from this day on were counted
	Proposals []proposal `json:"proposals"`
	Gaps      []gap      `json:"gaps"`
	Conflicts []conflict `json:"conflicts"`
	Later     int        `json:"later"` // services that would be too many for one request that stores the plan
}

type proposal struct {
	ServiceID   string   `json:"serviceId"`
	RoleID      string   `json:"roleId"`
	VolunteerID string   `json:"volunteerId"`
	Why         plan.Why `json:"why"`
	Others      int      `json:"others"` // how many others are free
	Turns       int      `json:"turns"`  // besides this one
	Last        string   `json:"last"`   // the day of the one before; "" for none
	Other       string   `json:"other"`  // of plan.ServesWith: the other volunteer
}

// gap is places for which nobody was found. Able is how many can do it, and the others say what keeps them.
type gap struct {
	ServiceID string `json:"serviceId"`
	RoleID    string `json:"roleId"`
	Places    int    `json:"places"`
	Able      int    `json:"able"`
	Away      int    `json:"away"`
	Declined  int    `json:"declined"`
	Busy      int    `json:"busy"`
	Limit     int    `json:"limit"`
	Apart     int    `json:"apart"`
}

// fill proposes who could serve in the services of a period that are still to come.
func (m *rota) fill(ctx context.Context, r *http.Request) (any, error) {
	first, until, err := m.period(r)
	if err != nil {
		return nil, err
	}
	if now := m.clock(); first.Before(now) {
		first = now
	}
	services, err := m.services(ctx, first, until)
	if err != nil {
		return nil, err
	}
	f, err := m.gather(ctx, services)
	if err != nil {
		return nil, err
	}
	return f.answer(), nil
}

// period returns the beginning of the first and the end of the last day that a request names.
func (m *rota) period(r *http.Request) (first, until time.Time, err error) {
	sent, err := sdk.Query(r, "from", "to")
	if err != nil {
		return first, until, err
	}
	first, err = time.ParseInLocation(time.DateOnly, sent["from"], m.zone())
	if err != nil {
		return first, until, sdk.ErrRequestInvalid
	}
	last, err := time.ParseInLocation(time.DateOnly, sent["to"], m.zone())
	if err != nil || last.Before(first) || last.After(first.AddDate(0, 0, fillMost)) {
		return first, until, sdk.ErrRequestInvalid
	}
	return first, last.AddDate(0, 0, 1), nil
}

// filling is what a plan is made of.
type filling struct {
	rev        int64
	since      string
	roles      []role
	services   []service
	later      int
	volunteers []volunteer
	assigned   []assignment // in the services
	turns      []turn       // that are known, also those in the services
	needs      map[string][]need
	days       map[string]string // by service
	at         map[string]int    // of volunteers, by id
}

// turn is a day on which a volunteer serves, or served.
type turn struct {
	volunteerID string
	day         string
}

func (m *rota) gather(ctx context.Context, services []service) (*filling, error) {
	f := &filling{services: services, since: m.dayOf(m.clock()).AddDate(0, 0, -fairSince).Format(time.DateOnly),
		days: make(map[string]string), at: make(map[string]int)}
	ids := make([]string, len(services))
	for n, s := range services {
		ids[n] = s.ID
		f.days[s.ID] = m.dayOf(s.Start).Format(time.DateOnly)
	}
	var needs []serviceNeed
	// The rev is read first: what is newer than it makes storing the plan a conflict.
	err := sdk.Read(ctx, m.db,
		sdk.RowInto([]any{&f.rev, &f.roles, &needs}, `
			SELECT rev, `+rolesJSON+`, `+needsJSON+` FROM board`, ids),
		selectVolunteers(&f.volunteers, `v.label <> ''`),
		selectAssignments(&f.assigned, `service_ref = ANY($1)`, ids),
		sdk.SelectIntoBy(&f.turns, func(row sdk.Scanner, t *turn) error {
			var start time.Time
			err := row.Scan(&t.volunteerID, &start)
			t.day = m.dayOf(start).Format(time.DateOnly)
			return err
		}, `
			SELECT a.volunteer_id::text, k.starts_at
			FROM assignments AS a JOIN known_services AS k USING (service_ref)
			WHERE a.status <> 'no' AND NOT k.cancelled AND k.starts_at > $1 AND NOT k.service_ref = ANY($2)`,
			m.clock().AddDate(0, 0, -2*fairSince), ids))
	if err != nil {
		return nil, err
	}
	f.needs = needsOf(needs)
	for n, v := range f.volunteers {
		f.at[v.ID] = n
	}
	for _, a := range f.assigned {
		if a.Status != statusNo {
			f.turns = append(f.turns, turn{a.VolunteerID, f.days[a.ServiceID]})
		}
	}
	slices.SortFunc(f.turns, func(a, b turn) int {
		return cmp.Or(cmp.Compare(a.volunteerID, b.volunteerID), cmp.Compare(a.day, b.day))
	})
	f.turns = slices.Compact(f.turns) // two roles on one day are one turn
	f.shorten()
	return f, nil
}

// needed returns how many people a role needs in a service.
func (f *filling) needed(s service, r role) int {
	for _, n := range f.needs[s.ID] {
		if n.RoleID == r.ID {
			return n.Needed
		}
	}
	return r.Needed
}

// shorten leaves out the last services of a plan that could not be stored by one request.
func (f *filling) shorten() {
	places := 0
	for n, s := range f.services {
		for _, r := range f.roles {
			places += f.needed(s, r)
		}
		if places > maxChanges && n > 0 {
			f.services, f.later = f.services[:n], len(f.services)-n
			return
		}
	}
}

// input returns the same in the form of the package plan.
func (f *filling) input() plan.Input {
	in := plan.Input{Since: f.since}
	ofRole := make(map[string]int)
	for n, r := range f.roles {
		ofRole[r.ID] = n
	}
	for n, v := range f.volunteers {
		p := plan.Person{PerMonth: v.PerMonth, Away: planDays(v.Away), Wishes: planDays(v.Wishes)}
		for _, id := range v.RoleIDs {
			p.Roles = append(p.Roles, ofRole[id])
		}
		in.People = append(in.People, p)
		for _, other := range v.Pairs {
			if at, there := f.at[other.ID]; there && at > n { // each pair is with both
				if other.Apart {
					in.Apart = append(in.Apart, [2]int{n, at})
				} else {
					in.Together = append(in.Together, [2]int{n, at})
				}
			}
		}
	}
	for _, t := range f.turns {
		if at, there := f.at[t.volunteerID]; there {
			in.Turns = append(in.Turns, plan.Turn{Person: at, Day: t.day})
		}
	}
	for _, s := range f.services {
		one := plan.Service{Day: f.days[s.ID]}
		for _, r := range f.roles {
			one.Needs = append(one.Needs, f.needed(s, r))
		}
		for _, a := range f.assigned {
			at, there := f.at[a.VolunteerID]
			switch {
			case a.ServiceID != s.ID || !there:
			case a.Status == statusNo:
				one.Declined = append(one.Declined, at)
			default:
				one.Taken = append(one.Taken, plan.Seat{Role: ofRole[a.RoleID], Person: at})
			}
		}
		in.Services = append(in.Services, one)
	}
	return in
}

func planDays(all []days) (same []plan.Days) {
	for _, d := range all {
		same = append(same, plan.Days(d))
	}
	return same
}

func (f *filling) answer() *filled {
	found := plan.Fill(f.input())
	all := &filled{Rev: f.rev, Since: f.since, Later: f.later, Proposals: []proposal{}, Gaps: []gap{},
		Conflicts: f.conflicts()}
	for _, c := range found.Choices {
		p := proposal{ServiceID: f.services[c.Service].ID, RoleID: f.roles[c.Role].ID,
			VolunteerID: f.volunteers[c.Person].ID, Why: c.Why, Others: c.Others, Turns: c.Turns, Last: c.Last}
		if c.Why == plan.ServesWith {
			p.Other = f.volunteers[c.With].ID
		}
		all.Proposals = append(all.Proposals, p)
	}
	for _, g := range found.Gaps {
		all.Gaps = append(all.Gaps, gap{f.services[g.Service].ID, f.roles[g.Role].ID, g.Places, g.Able, g.Away,
			g.Declined, g.Busy, g.Limit, g.Apart})
	}
	return all
}
