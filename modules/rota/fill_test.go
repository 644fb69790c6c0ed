package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modules/rota/plan"
)

// filling puts three services into one calendar month, the month after next, and returns the path of a plan
// for it.
func (f *fixture) monthToFill() string {
	year, month, _ := time.Now().UTC().Date()
	first := time.Date(year, month+2, 1, 10, 0, 0, 0, time.UTC)
	for n := range f.services {
		f.services[n].Start = first.AddDate(0, 0, 7*n)
	}
	return "/fill?from=" + first.Format(time.DateOnly) + "&to=" + first.AddDate(0, 0, 27).Format(time.DateOnly)
}

func (f *fixture) edit(v volunteer, more string) (now volunteer) {
	f.t.Helper()
	ids := ""
	for n, id := range v.RoleIDs {
		if ids += fmt.Sprintf("%q", id); n+1 < len(v.RoleIDs) {
			ids += ","
		}
	}
	body := fmt.Sprintf(`{"label":%q,"email":%q,"language":"","digest":false,"roleIds":[%s],"rev":%d,%s}`,
		v.Label, v.Email, ids, v.Rev, more)
	f.do(f.office, "PUT", "/volunteers/"+v.ID, body, 200).JSON(&now)
	return now
}

func (f *fixture) plan(path string) (all filled) {
	f.t.Helper()
	f.do(f.office, "GET", path, nil, 200).JSON(&all)
	return all
}

// applying is the body that stores a plan.
func applying(all filled) string {
	add := ""
	for n, p := range all.Proposals {
		if n > 0 {
			add += ","
		}
		add += fmt.Sprintf(`{"serviceId":%q,"roleId":%q,"volunteerId":%q}`, p.ServiceID, p.RoleID, p.VolunteerID)
	}
	return fmt.Sprintf(`{"rev":%d,"add":[%s]}`, all.Rev, add)
}

// TestFill: a plan keeps headcounts, limits, days away, pairs and what people said; it is stored as other
// assignments are, and only if nothing has changed since.
func TestFill(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	path := f.monthToFill()
	welcome, reader := f.roles["Welcome"], f.roles["Reader"]
	f.do(f.office, "PUT", "/roles", fmt.Sprintf(`{"rev":2,"roles":[{"id":%q,"name":"Welcome","needed":2},`+
		`{"id":%q,"name":"Reader"}]}`, welcome, reader), 200)
	f.do(f.office, "PUT", "/services/service-3/needs",
		fmt.Sprintf(`{"needs":[{"roleId":%q,"needed":0,"rev":0}]}`, reader), 204)
	anna, ben := f.volunteer("Anna", "Welcome", "Reader"), f.volunteer("Ben", "Welcome")
	carl, dora := f.volunteer("Carl", "Welcome"), f.volunteer("Dora", "Reader")
	f.edit(anna, `"perMonth":2`)
	ben = f.edit(ben, fmt.Sprintf(`"pairs":[{"id":%q,"apart":true}]`, carl.ID))
	day := f.services[0].Start.Format(time.DateOnly)
	f.do(f.office, "PUT", "/volunteers/"+dora.ID+"/away",
		fmt.Sprintf(`{"rev":1,"away":[{"from":%q,"to":%q}]}`, day, day), 200)
	no := f.assign("service-2", "Welcome", carl)
	f.set(no.ID, statusNo, 1)

	all := f.plan(path)
	if len(f.assigned()) != 1 {
		t.Errorf("a plan was stored: %+v", f.assigned())
	}
	if len(all.Proposals)+places(all.Gaps) != 8 {
		t.Errorf("%d proposals and the gaps %+v, want eight places in all", len(all.Proposals), all.Gaps)
	}
	of := make(map[string][]string)
	for _, p := range all.Proposals {
		of[p.ServiceID] = append(of[p.ServiceID], p.VolunteerID)
		if p.ServiceID == "service-1" && p.VolunteerID == dora.ID {
			t.Errorf("Dora is away: %+v", p)
		}
		if p.ServiceID == "service-2" && p.VolunteerID == carl.ID {
			t.Errorf("Carl has declined: %+v", p)
		}
		if p.ServiceID == "service-3" && p.RoleID == reader {
			t.Errorf("service-3 needs no reader: %+v", p)
		}
	}
	annas := 0
	for id, people := range of {
		if slices.Contains(people, ben.ID) && slices.Contains(people, carl.ID) {
			t.Errorf("%s has both Ben and Carl", id)
		}
		if slices.Contains(people, anna.ID) {
			annas++
		}
	}
	if annas != 2 {
		t.Errorf("Anna serves %d times, want two: %+v", annas, all)
	}

	f.volunteer("Emil", "Welcome")
	before := len(f.assigned())
	f.refused(f.office, "PUT", "/assignments", applying(all), 409, "CONFLICT")
	if len(f.assigned()) != before {
		t.Errorf("a plan for another board was stored: %+v", f.assigned())
	}
	all = f.plan(path)
	f.do(f.office, "PUT", "/assignments", applying(all), 200)
	for _, a := range f.assigned() {
		if a.ID != no.ID && (a.Status != statusPlanned || a.Mail != nil) {
			t.Errorf("%+v is stored, want it planned, and nobody asked", a)
		}
	}
	again := f.plan(path)
	if len(again.Proposals) != 0 || !slices.Equal(again.Gaps, all.Gaps) || len(again.Conflicts) != 0 {
		t.Errorf("a plan for a filled month is %+v, want nothing but the gaps of before: %+v", again, all.Gaps)
	}
}

func places(all []gap) (n int) {
	for _, g := range all {
		n += g.Places
	}
	return n
}

// TestFillShares: turns of the last weeks count, also those of services that the board no longer has.
func TestFillShares(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	path := f.monthToFill()
	anna, ben := f.volunteer("Anna", "Reader"), f.volunteer("Ben", "Reader")
	f.assign("service-1", "Reader", anna)
	for _, sql := range []string{
		`UPDATE known_services SET service_ref = 'long ago', starts_at = now() - interval '70 days'`,
		`UPDATE assignments SET service_ref = 'long ago', status = 'yes'`,
	} {
		if _, err := f.rota.db.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	alone := fmt.Sprintf(`{"rev":2,"roles":[{"id":%q,"name":"Reader"}]}`, f.roles["Reader"])
	f.do(f.office, "PUT", "/roles", alone, 200)
	all := f.plan(path)
	turns := make(map[string]int)
	for _, p := range all.Proposals {
		turns[p.VolunteerID]++
	}
	if turns[anna.ID] != 1 || turns[ben.ID] != 2 || all.Proposals[0].VolunteerID != ben.ID ||
		all.Proposals[0].Why != plan.FewestTurns {
		t.Errorf("the plan is %+v, want Ben first and twice, because Anna has served ten weeks ago", all)
	}
}

// TestConflicts: a plan names the assignments that break what it keeps.
func TestConflicts(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	path := f.monthToFill()
	anna := f.volunteer("Anna", "Reader")
	ben := f.edit(f.volunteer("Ben", "Reader"), fmt.Sprintf(`"pairs":[{"id":%q,"apart":true}]`, anna.ID))
	for _, id := range []string{"service-1", "service-2"} {
		f.assign(id, "Reader", anna)
	}
	welcome, bens := f.assign("service-1", "Welcome", anna), f.assign("service-1", "Reader", ben)
	day := f.services[1].Start.Format(time.DateOnly)
	f.do(f.office, "PUT", "/volunteers/"+anna.ID+"/away",
		fmt.Sprintf(`{"rev":2,"away":[{"from":%q,"to":%q}]}`, day, day), 200)
	f.do(f.office, "PUT", "/volunteers/"+anna.ID+"/wishes", `{"rev":3,"wishes":[],"perMonth":1}`, 200)
	counted, with := make(map[string]int), make(map[conflict]bool)
	for _, c := range f.plan(path).Conflicts {
		counted[c.Kind]++
		with[c] = true
	}
	want := map[string]int{conflictAway: 1, conflictUnable: 1, conflictTwice: 2, conflictLimit: 3,
		conflictApart: 3}
	if fmt.Sprint(counted) != fmt.Sprint(want) || !with[conflict{welcome.ID, conflictUnable, ""}] ||
		!with[conflict{bens.ID, conflictApart, anna.ID}] {
		t.Errorf("the conflicts are %v, %+v; want %v", counted, with, want)
	}
}

// TestFillRefused: only coordinators get plans, for periods that can be filled.
func TestFillRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.refused(f.Person(), "GET", f.monthToFill(), nil, 403, "PERMISSION_DENIED")
	for _, query := range []string{"", "?from=2027-01-01", "?from=2027-01-01&to=2026-12-31",
		"?from=x&to=2027-01-01", "?from=2027-01-01&to=2027-04-03"} {
		f.refused(f.office, "GET", "/fill"+query, nil, 400, "REQUEST_INVALID")
	}
	f.do(f.office, "GET", "/fill?from=2027-01-01&to=2027-04-02", nil, 200)
}

// TestNeeds: who changes a number that somebody else has changed meanwhile is refused.
func TestNeeds(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	reader := f.roles["Reader"]
	put := func(needed string, rev int) string {
		return fmt.Sprintf(`{"needs":[{"roleId":%q,"needed":%s,"rev":%d}]}`, reader, needed, rev)
	}
	const path = "/services/service-1/needs"
	f.do(f.office, "PUT", path, put("2", 0), 204)
	f.refused(f.office, "PUT", path, put("3", 0), 409, "CONFLICT")
	f.do(f.office, "PUT", path, put("3", 1), 204)
	f.refused(f.office, "PUT", path, put("4", 1), 409, "CONFLICT")
	f.refused(f.office, "PUT", path, put("null", 1), 409, "CONFLICT")
	if got := f.board().Weeks[0].Services[0].Needs; !slices.Equal(got, []need{{reader, 3, 2}}) {
		t.Errorf("the board has %+v, want three readers", got)
	}
	f.do(f.office, "PUT", path, put("null", 2), 204)
	if got := f.board().Weeks[0].Services[0].Needs; len(got) != 0 {
		t.Errorf("the board has %+v, want the usual number", got)
	}
	f.refused(f.office, "PUT", path, put("21", 0), 400, "REQUEST_INVALID")
	f.refused(f.office, "PUT", path, `{"needs":[]}`, 400, "REQUEST_INVALID")
	f.refused(f.office, "PUT", "/services/nothing/needs", put("2", 0), 404, "NOT_FOUND")
	f.refused(f.Person(), "PUT", path, put("2", 0), 403, "PERMISSION_DENIED")
	other := fmt.Sprintf(`{"needs":[{"roleId":%q,"needed":2,"rev":0}]}`, f.volunteer("Anna").ID)
	f.refused(f.office, "PUT", path, other, 404, "NOT_FOUND")
}

// TestPairs: both volunteers of a pair have it, and neither is overwritten unseen.
func TestPairs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	anna, ben := f.volunteer("Anna", "Reader"), f.volunteer("Ben", "Reader")
	follower := f.office.Subscribe(boardChannel)
	f.edit(anna, fmt.Sprintf(`"pairs":[{"id":%q,"apart":false}]`, ben.ID))
	u := updateOf(t, follower)
	if len(u.Volunteers) != 2 || !slices.Equal(u.Volunteers[1].Pairs, []pair{{anna.ID, false}}) {
		t.Errorf("the update is %+v, want Ben with Anna", u)
	}
	body := func(more string) string {
		return fmt.Sprintf(`{"label":"Ben","email":"","language":"","digest":false,"roleIds":[],%s}`, more)
	}
	f.refused(f.office, "PUT", "/volunteers/"+ben.ID, body(`"pairs":[],"rev":1`), 409, "CONFLICT")
	self := fmt.Sprintf(`"pairs":[{"id":%q,"apart":true}],"rev":2`, ben.ID)
	f.refused(f.office, "PUT", "/volunteers/"+ben.ID, body(self), 400, "REQUEST_INVALID")
	gone := fmt.Sprintf(`"pairs":[{"id":%q,"apart":true}],"rev":2`, f.roles["Reader"])
	f.refused(f.office, "PUT", "/volunteers/"+ben.ID, body(gone), 404, "NOT_FOUND")
	f.do(f.office, "PUT", "/volunteers/"+ben.ID, body(`"rev":2`), 200)
	if got := f.board().Volunteers[0].Pairs; len(got) != 1 {
		t.Errorf("Anna has the pairs %+v after an edit of Ben without pairs, want one", got)
	}
	f.do(f.office, "PUT", "/volunteers/"+ben.ID, body(`"pairs":[],"rev":3`), 200)
	if got := f.board().Volunteers[0].Pairs; len(got) != 0 {
		t.Errorf("Anna has the pairs %+v after Ben's was removed, want none", got)
	}
}

// TestWishes: a person says when they would like to serve and how often, it is in their export and in an
// archive, and goes with them.
func TestWishes(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	anna, ben := f.volunteer("Anna", "Reader"), f.volunteer("Ben", "Reader")
	ben = f.edit(ben, fmt.Sprintf(`"perMonth":3,"pairs":[{"id":%q,"apart":true}]`, anna.ID))
	f.do(f.office, "PUT", "/services/service-1/needs",
		fmt.Sprintf(`{"needs":[{"roleId":%q,"needed":4,"rev":0}]}`, f.roles["Reader"]), 204)
	member := f.member(anna)
	wishes := `{"rev":3,"perMonth":2,"wishes":[{"from":"2099-07-01","to":"2099-07-14"}]}`
	f.do(member, "PUT", "/mine/wishes", wishes, 200)
	f.refused(member, "PUT", "/mine/wishes", wishes, 409, "CONFLICT")
	f.refused(member, "PUT", "/mine/wishes", `{"rev":4,"perMonth":32,"wishes":[]}`, 400, "REQUEST_INVALID")
	f.refused(member, "PUT", "/mine/wishes", `{"rev":4,"wishes":[{"from":"2099-07-14","to":"2099-07-01"}]}`, 400,
		"REQUEST_INVALID")
	f.refused(f.Person(), "PUT", "/mine/wishes", wishes, 404, "NO_VOLUNTEER")
	f.refused(member, "PUT", "/volunteers/"+ben.ID+"/wishes", wishes, 403, "PERMISSION_DENIED")
	var mine myDates
	f.do(member, "GET", "/mine", nil, 200).JSON(&mine)
	if want := []days{{"2099-07-01", "2099-07-14"}}; !slices.Equal(mine.Volunteer.Wishes, want) ||
		mine.Volunteer.PerMonth != 2 {
		t.Errorf("my dates have %+v, want two in a month and a wish", mine.Volunteer)
	}
	var data map[string]any
	if err := f.Export(member.ID, &data); err != nil || len(data["wishes"].([]any)) != 1 ||
		data["perMonth"] != 2.0 || data["neverWith"] != 1.0 {
		t.Errorf("export: %v, %v, want the wish, the limit and that there is a pair", data, err)
	}

	to := newFixture(t, nil)
	to.do(to.office, "PUT", "/roles", `{"rev":2,"roles":[]}`, 200)
	all := f.do(f.office, "GET", "/export", nil, 200).Body
	for range 2 {
		to.do(to.office, "POST", "/import", all, 200)
		if got := to.do(to.office, "GET", "/export", nil, 200).Body; got != all {
			t.Errorf("the export after the import is %s, want %s", got, all)
		}
	}

	if err := f.Erase(member.ID); err != nil {
		t.Fatal(err)
	}
	for _, v := range f.board().Volunteers {
		if len(v.Pairs)+len(v.Wishes) != 0 || v.ID == anna.ID && v.PerMonth != 0 {
			t.Errorf("after the erasure: %+v, want no pairs and no wishes", v)
		}
	}
}

// TestServingTogether: a volunteer sees the names and roles of those who serve in the same service and were
// asked, and nothing else of them.
func TestServingTogether(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	anna, ben := f.volunteer("Anna", "Reader"), f.volunteer("Ben", "Welcome")
	carl, dora := f.volunteer("Carl", "Welcome"), f.volunteer("Dora", "Welcome")
	for v, status := range map[string]string{anna.ID: statusYes, ben.ID: statusOpen, carl.ID: statusNo,
		dora.ID: statusPlanned} {
		role := "Welcome"
		if v == anna.ID {
			role = "Reader"
		}
		f.set(f.assign("service-1", role, volunteer{ID: v}).ID, status, 1)
	}
	mine := f.do(f.member(anna), "GET", "/mine", nil, 200)
	var seen myDates
	mine.JSON(&seen)
	want := `[{"role":"Welcome","name":"Ben"}]`
	if len(seen.Dates) != 1 || string(seen.Dates[0].Others) != want ||
		strings.Contains(mine.Body, ben.Email) || strings.Contains(mine.Body, ben.ID) {
		t.Errorf("Anna's dates are %s, want Ben's name and role and nothing else of him", mine.Body)
	}
	var of myDates
	f.do(f.member(carl), "GET", "/mine", nil, 200).JSON(&of)
	if len(of.Dates) != 1 || string(of.Dates[0].Others) != "[]" {
		t.Errorf("Carl, who has declined, sees %+v, want nobody", of.Dates)
	}
}
