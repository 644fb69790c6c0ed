package main

import (
	"slices"
	"strings"
)

// conflict is an assignment that breaks a rule that proposals keep. A coordinator may have wanted it so.
type conflict struct {
	AssignmentID string `json:"assignmentId"`
	Kind         string `json:"kind"`
	Other        string `json:"other"` // of conflictApart: the other volunteer
}

// The kinds of conflicts.
const (
	conflictAway   = "away"
	conflictUnable = "unable" // the role is not one of theirs
	conflictTwice  = "twice"  // another role, or another service, on that day
	conflictLimit  = "limit"  // more turns in the month than they allow
	conflictApart  = "apart"  // with somebody with whom they must not serve
)

// conflicts returns those of the services to fill.
func (f *filling) conflicts() []conflict {
	found := []conflict{}
	for _, s := range f.services {
		for _, a := range f.assigned {
			at, there := f.at[a.VolunteerID]
			if a.ServiceID == s.ID && a.Status != statusNo && there {
				found = append(found, f.conflictsOf(a, &f.volunteers[at], f.days[s.ID])...)
			}
		}
	}
	return found
}

func (f *filling) conflictsOf(a assignment, v *volunteer, day string) (found []conflict) {
	add := func(kind, other string, is bool) {
		if is {
			found = append(found, conflict{a.ID, kind, other})
		}
	}
	add(conflictAway, "", within(day, v.Away))
	add(conflictUnable, "", !slices.Contains(v.RoleIDs, a.RoleID))
	add(conflictTwice, "", slices.ContainsFunc(f.assigned, func(o assignment) bool {
		return o.ID != a.ID && o.VolunteerID == v.ID && o.Status != statusNo && f.days[o.ServiceID] == day
	}))
	month := 0
	for _, t := range f.turns {
		if t.volunteerID == v.ID && strings.HasPrefix(t.day, day[:len("2026-12")]) {
			month++
		}
	}
	add(conflictLimit, "", v.PerMonth > 0 && month > v.PerMonth)
	for _, p := range v.Pairs {
		add(conflictApart, p.ID, p.Apart && slices.ContainsFunc(f.assigned, func(o assignment) bool {
			return o.VolunteerID == p.ID && o.ServiceID == a.ServiceID && o.Status != statusNo
		}))
	}
	return found
}
