package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// present is what is here when an archive arrives.
type present struct {
	roles  map[string]role      // by id
	people map[string]volunteer // by id; without a label: erased or removed
	key    map[[2]string]string // of a name and an address, as the database compares them
	owners map[string]string    // the ids of people, by their keys
	erased map[string]string    // the days on which people were erased, by their ids; "": some day
}

// fit makes an archive fit what is here: a role with the name, and a volunteer with the name and the address,
// of one that is here is that one. What refers to nothing, or is too much, is left out and named.
func (a *arriving) fit(ctx context.Context, tx *sdk.Tx) (*present, error) {
	ofRoles, err := roles(ctx, tx)
	if err != nil {
		return nil, err
	}
	people, err := volunteers(ctx, tx, nil)
	if err != nil {
		return nil, err
	}
	here := &present{roles: make(map[string]role), people: make(map[string]volunteer),
		owners: make(map[string]string)}
	if here.erased, err = erasedVolunteers(ctx, tx); err != nil {
		return nil, err
	}
	for _, r := range ofRoles {
		here.roles[r.ID] = r
	}
	for _, v := range people {
		here.people[v.ID] = v
	}
	if err := a.findKeys(ctx, tx, here); err != nil {
		return nil, err
	}
	a.leaveErased(here)
	roleIDs := a.fitRoles(here)
	personIDs := a.fitVolunteers(here, roleIDs)
	a.fitPairs(here, personIDs)
	a.fitDuties(roleIDs, personIDs)
	return here, nil
}

func erasedVolunteers(ctx context.Context, tx *sdk.Tx) (map[string]string, error) {
	type one struct{ ID, Day string }
	all, err := sdk.Select[one](ctx, tx, `
		SELECT volunteer_id::text, coalesce(erased_on::text, '') FROM departed WHERE user_id IS NULL`)
	days := make(map[string]string, len(all))
	for _, v := range all {
		days[v.ID] = v.Day
	}
	return days, err
}

// leaveErased leaves out who was erased here, with their dates.
func (a *arriving) leaveErased(here *present) {
	a.volunteers = slices.DeleteFunc(a.volunteers, func(v listed[archivedPerson]) bool {
		day, erased := here.erased[v.of.ID]
		if erased {
			a.leaveOut("VOLUNTEER_ERASED", v.at, strings.TrimSuffix(v.of.Label+", "+day, ", "))
		}
		return erased
	})
	a.assignments = slices.DeleteFunc(a.assignments, func(d listed[archivedDuty]) bool {
		_, erased := here.erased[d.of.VolunteerID]
		return erased
	})
	for n := range a.volunteers {
		v := &a.volunteers[n].of
		v.Pairs = slices.DeleteFunc(v.Pairs, func(p pair) bool {
			_, erased := here.erased[p.ID]
			return erased
		})
	}
}

// findKeys asks the database which names and addresses are the same.
func (a *arriving) findKeys(ctx context.Context, tx *sdk.Tx, here *present) error {
	var labels, emails []string
	for _, v := range a.volunteers {
		labels, emails = append(labels, v.of.Label), append(emails, v.of.Email)
	}
	for _, v := range here.people {
		labels, emails = append(labels, v.Label), append(emails, v.Email)
	}
	keys, err := sdk.Select[string](ctx, tx, `
		SELECT lower(label COLLATE "und-x-icu") || chr(10) || lower(email COLLATE "und-x-icu")
		FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS given (label, email, n)
		ORDER BY n`, labels, emails)
	if err != nil {
		return err
	}
	here.key = make(map[[2]string]string, len(keys))
	for n, key := range keys {
		here.key[[2]string{labels[n], emails[n]}] = key
	}
	for id, v := range here.people {
		if v.Label != "" {
			here.owners[here.key[[2]string{v.Label, v.Email}]] = id
		}
	}
	return nil
}

// knownFirst sorts what is here already before what is new, so that new ones may have names that others give
// up.
func knownFirst[T, V any](all []listed[T], here map[string]V, id func(*T) string) {
	slices.SortStableFunc(all, func(one, other listed[T]) int {
		_, known := here[id(&one.of)]
		_, too := here[id(&other.of)]
		switch {
		case known == too:
			return 0
		case known:
			return -1
		}
		return 1
	})
}

// fitRoles returns the ids that roles have here, by those of the file.
func (a *arriving) fitRoles(here *present) map[string]string {
	knownFirst(a.roles, here.roles, func(r *archivedRole) string { return r.ID })
	ids, names := make(map[string]string), make(map[string]string)
	for id, r := range here.roles {
		ids[id], names[folded(r.Name)] = id, id
	}
	all := len(here.roles)
	taken, seen := make(map[string]bool), make(map[string]bool)
	kept := a.roles[:0]
	for _, r := range a.roles {
		fileID, owner := r.of.ID, names[folded(r.of.Name)]
		was, known := here.roles[fileID]
		switch {
		case seen[fileID], known && owner != "" && owner != fileID, !known && taken[owner]:
			a.leaveOut("ROLE_INVALID", r.at, r.of.Name)
			if ids[fileID] == "" {
				ids[fileID] = owner
			}
			continue
		case known:
			delete(names, folded(was.Name))
		case owner != "":
			r.of.ID = owner
		case all >= maxRoles:
			a.leaveOut("TOO_MANY_ROLES", r.at, r.of.Name)
			continue
		default:
			all++
		}
		ids[fileID], names[folded(r.of.Name)] = r.of.ID, r.of.ID
		taken[r.of.ID], seen[fileID] = true, true
		kept = append(kept, r)
	}
	a.roles = kept
	return ids
}

// fitVolunteers returns the ids that volunteers have here, by those of the file.
func (a *arriving) fitVolunteers(here *present, roleIDs map[string]string) map[string]string {
	knownFirst(a.volunteers, here.people, func(p *archivedPerson) string { return p.ID })
	ids := make(map[string]string)
	for id, v := range here.people {
		if v.Label != "" {
			ids[id] = id
		}
	}
	all := len(here.people)
	taken, seen := make(map[string]bool), make(map[string]bool)
	kept := a.volunteers[:0]
	for _, v := range a.volunteers {
		fileID, key := v.of.ID, here.key[[2]string{v.of.Label, v.of.Email}]
		owner := here.owners[key]
		was, known := here.people[fileID]
		switch {
		case seen[fileID], known && owner != "" && owner != fileID, !known && taken[owner]:
			a.leaveOut("VOLUNTEER_INVALID", v.at, v.of.Label)
			if ids[fileID] == "" {
				ids[fileID] = owner
			}
			continue
		case known:
			delete(here.owners, here.key[[2]string{was.Label, was.Email}])
		case owner != "":
			v.of.ID = owner
		case all >= maxVolunteers:
			a.leaveOut("TOO_MANY", v.at, v.of.Label)
			continue
		default:
			all++
		}
		ids[fileID], here.owners[key] = v.of.ID, v.of.ID
		taken[v.of.ID], seen[fileID] = true, true
		v.of.RoleIDs = a.rolesOf(v, roleIDs)
		kept = append(kept, v)
	}
	a.volunteers = kept
	a.fitDigests(here, taken)
	return ids
}

// rolesOf returns the ids here of a volunteer's roles.
func (a *arriving) rolesOf(v listed[archivedPerson], ids map[string]string) []string {
	found := make([]string, 0, len(v.of.RoleIDs))
	for _, id := range v.of.RoleIDs {
		if ids[id] == "" {
			a.Note(sdk.Problem{Line: v.at, Code: "ROLE_MISSING", Detail: v.of.Label})
		} else if !slices.Contains(found, ids[id]) {
			found = append(found, ids[id])
		}
	}
	return found
}

// fitDigests lets no more people get the weekly overview than may.
func (a *arriving) fitDigests(here *present, taken map[string]bool) {
	readers := 0
	for id, v := range here.people {
		if v.Digest && !taken[id] {
			readers++
		}
	}
	for n := range a.volunteers {
		v := &a.volunteers[n]
		if v.of.Digest && readers >= maxDigest {
			v.of.Digest = false
			a.Note(sdk.Problem{Line: v.at, Code: "DIGEST_FULL", Detail: v.of.Label})
		}
		if v.of.Digest {
			readers++
		}
	}
}

// fitPairs makes both of a pair know it, and leaves out those that would be too many, or with nobody.
func (a *arriving) fitPairs(here *present, ids map[string]string) {
	arriving := make(map[string]bool, len(a.volunteers))
	for _, v := range a.volunteers {
		arriving[v.of.ID] = true
	}
	pairs := make(map[string]map[string]bool) // apart, by both
	for id, v := range here.people {
		if arriving[id] {
			continue
		}
		for _, p := range v.Pairs {
			if !arriving[p.ID] {
				paired(pairs, id, p.ID, p.Apart)
			}
		}
	}
	for _, v := range a.volunteers {
		for _, p := range v.of.Pairs {
			other := ids[p.ID]
			if _, there := pairs[v.of.ID][other]; there {
				continue
			}
			if other == "" || other == v.of.ID || len(pairs[v.of.ID]) >= maxPairs || len(pairs[other]) >= maxPairs {
				a.Note(sdk.Problem{Line: v.at, Code: "PAIR_MISSING", Detail: v.of.Label})
				continue
			}
			paired(pairs, v.of.ID, other, p.Apart)
		}
	}
	for n := range a.volunteers {
		v := &a.volunteers[n].of
		v.Pairs = []pair{}
		for _, other := range slices.Sorted(maps.Keys(pairs[v.ID])) {
			v.Pairs = append(v.Pairs, pair{ID: other, Apart: pairs[v.ID][other]})
		}
	}
}

func paired(pairs map[string]map[string]bool, one, other string, apart bool) {
	for _, p := range [][2]string{{one, other}, {other, one}} {
		if pairs[p[0]] == nil {
			pairs[p[0]] = make(map[string]bool)
		}
		pairs[p[0]][p[1]] = apart
	}
}

// fitDuties gives needs and assignments the ids here, and leaves out those that refer to nothing or are there
// twice.
func (a *arriving) fitDuties(roleIDs, personIDs map[string]string) {
	seen := make(map[[3]string]bool)
	fresh := func(service, role, person string) bool {
		key := [3]string{service, role, person}
		was := seen[key]
		seen[key] = true
		return !was
	}
	needs := a.needs[:0]
	for _, n := range a.needs {
		n.of.RoleID = roleIDs[n.of.RoleID]
		if n.of.RoleID == "" || !fresh(n.of.ServiceID, n.of.RoleID, "") {
			a.leaveOut("NEED_INVALID", n.at, "")
			continue
		}
		needs = append(needs, n)
	}
	names := make(map[string]string, len(a.volunteers))
	for _, v := range a.volunteers {
		names[v.of.ID] = v.of.Label
	}
	duties := a.assignments[:0]
	for _, d := range a.assignments {
		person := personIDs[d.of.VolunteerID]
		d.of.RoleID, d.of.VolunteerID = roleIDs[d.of.RoleID], person
		if d.of.RoleID == "" || person == "" || !fresh(d.of.ServiceID, d.of.RoleID, person) {
			a.leaveOut("ASSIGNMENT_INVALID", d.at, cmp.Or(names[person], d.of.ServiceID))
			continue
		}
		duties = append(duties, d)
	}
	a.needs, a.assignments = needs, duties
}
