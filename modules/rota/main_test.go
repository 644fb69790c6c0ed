package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

func TestMain(m *testing.M) { sdktest.Main(m) }

// coordinator has all permissions of a coordinator.
var coordinator = []string{manage, sendMail}

// fixture is the module with a stand-in for the module that plans services.
type fixture struct {
	*sdktest.Module
	t        *testing.T
	rota     *rota
	office   *sdktest.Caller
	services []service
	revs     map[string]int64          // how often services were changed
	repeats  bool                      // the module that plans services sends the first page again and again
	silent   bool                      // it does not answer what became of services
	roles    map[string]string         // ids by name
	at       atomic.Pointer[time.Time] // the module's current time; nil: the real time
}

func (f *fixture) now() time.Time {
	if at := f.at.Load(); at != nil {
		return *at
	}
	return time.Now()
}

// newFixture starts the module with services on the next Sundays and two roles.
func newFixture(t *testing.T, more map[string]any) *fixture {
	t.Helper()
	f := &fixture{t: t, rota: newRota()}
	f.rota.clock, f.rota.fresh = f.now, 0
	first := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 5).Add(10 * time.Hour)
	for n := range 3 {
		f.services = append(f.services, service{fmt.Sprint("service-", n+1), "Morning service",
			first.AddDate(0, 0, 7*n)})
	}
	settings := map[string]any{"teamName": "Welcome team", "dashboardLink": "https://church.example.org/",
		"replyTo": "office@example.org"}
	for key, value := range more {
		settings[key] = value
	}
	f.Module = sdktest.Start(t, f.rota, sdktest.Options{
		Configuration: settings,
		Secrets:       map[string]string{"linkSigningKey": "a key for tests"},
		Capabilities: map[string]sdk.Methods{"stage.services": {"upcoming": sdk.Func(f.upcoming),
			"states": sdk.Func(f.states)}},
	})
	f.office = f.Person(coordinator...)
	f.do(f.office, "PUT", "/roles", `{"rev":1,"roles":[{"name":"Welcome"},{"name":"Reader"}]}`, 200)
	f.roles = make(map[string]string)
	for _, r := range f.board().Roles {
		f.roles[r.Name] = r.ID
	}
	return f
}

type stageQuery struct {
	From  *time.Time `json:"from"`
	After string     `json:"after"`
	Limit int        `json:"limit"`
	IDs   []string   `json:"ids"`
}

func (f *fixture) upcoming(_ context.Context, in stageQuery) (map[string][]service, error) {
	found := []service{}
	for _, s := range f.services {
		behind := f.repeats || in.From == nil || s.Start.After(*in.From) ||
			s.Start.Equal(*in.From) && s.ID > in.After
		if behind && len(found) < in.Limit {
			found = append(found, s)
		}
	}
	return map[string][]service{"services": found}, nil
}

func (f *fixture) states(_ context.Context, in stageQuery) (map[string][]state, error) {
	if f.silent {
		return nil, sdk.ErrCapabilityFailed
	}
	found := []state{}
	for _, s := range f.services {
		if slices.Contains(in.IDs, s.ID) {
			found = append(found, state{service: s, Rev: f.revs[s.ID]})
		}
	}
	return map[string][]state{"services": found}, nil
}

// do sends a request and checks the status.
func (f *fixture) do(by *sdktest.Caller, method, path string, body any, status int) *sdktest.Response {
	f.t.Helper()
	got := by.Do(method, path, body)
	if got.Status != status {
		f.t.Fatalf("%s %s %v: %s, want %d", method, path, body, got, status)
	}
	return got
}

func (f *fixture) refused(by *sdktest.Caller, method, path string, body any, status int, code string) {
	f.t.Helper()
	if got := by.Do(method, path, body); got.Status != status || got.Body != `{"code":"`+code+`"}` {
		f.t.Errorf("%s %s %v: %s, want %d %s", method, path, body, got, status, code)
	}
}

func (f *fixture) board() (b board) {
	f.t.Helper()
	f.do(f.office, "GET", "/board", nil, 200).JSON(&b)
	return b
}

// assigned returns the assignments of the board.
func (f *fixture) assigned() (all []assignment) {
	f.t.Helper()
	for _, w := range f.board().Weeks {
		for _, s := range w.Services {
			all = append(all, s.Assignments...)
		}
	}
	return all
}

func (f *fixture) volunteer(label string, roles ...string) (v volunteer) {
	f.t.Helper()
	ids := []string{}
	for _, name := range roles {
		ids = append(ids, f.roles[name])
	}
	draft := volunteerDraft{Label: label, Email: fmt.Sprintf("%x@example.org", label), RoleIDs: ids}
	f.do(f.office, "POST", "/volunteers", draft, 201).JSON(&v)
	return v
}

// assign assigns a volunteer to a service, and returns the assignment.
func (f *fixture) assign(serviceID, role string, v volunteer) assignment {
	f.t.Helper()
	var got struct{ Assignments []assignment }
	f.do(f.office, "PUT", "/assignments", adding(serviceID, f.roles[role], v.ID), 200).JSON(&got)
	return got.Assignments[0]
}

func adding(serviceID, roleID, volunteerID string) string {
	return fmt.Sprintf(`{"add":[{"serviceId":%q,"roleId":%q,"volunteerId":%q}]}`, serviceID, roleID, volunteerID)
}

// set records the response that somebody gave on the phone.
func (f *fixture) set(id, status string, rev int64) {
	f.t.Helper()
	body := fmt.Sprintf(`{"set":[{"id":%q,"status":%q,"rev":%d}]}`, id, status, rev)
	f.do(f.office, "PUT", "/assignments", body, 200)
}

// member returns a signed-in person who has claimed a volunteer.
func (f *fixture) member(v volunteer) *sdktest.Caller {
	f.t.Helper()
	who := f.Person()
	f.do(who, "POST", "/claim", map[string]string{"token": f.token(v.ID)}, 204)
	return who
}

// token returns the token of a claim link for a volunteer.
func (f *fixture) token(volunteerID string) string {
	f.t.Helper()
	to, err := f.rota.recipient(f.t.Context(), &volunteerID)
	if err != nil {
		f.t.Fatal(err)
	}
	return claimToken{to.id, to.link, time.Now().Add(time.Hour)}.signed("a key for tests")
}

func updateOf(t *testing.T, s *sdktest.Subscription) (u update) {
	t.Helper()
	text := s.Update()
	if err := json.Unmarshal([]byte(text), &u); err != nil {
		t.Fatalf("update %s is not JSON: %v", text, err)
	}
	return u
}

// TestPlanning fills a role, sends the request, and follows the response on the board.
func TestPlanning(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	reader := f.volunteer("Reader 1", "Reader")
	planned := f.assign("service-1", "Reader", reader)
	follower := f.office.Subscribe(boardChannel)
	var newest head
	follower.JSON(&newest)
	seen := f.board()
	if newest.Rev != seen.Rev || newest.Outside != seen.Outside {
		t.Errorf("the snapshot is %s, want rev %d and %q as of the board", follower.Body, seen.Rev, seen.Outside)
	}
	if len(seen.Weeks) != 3 || seen.Weeks[0].Services[0].Assignments[0].Status != statusPlanned ||
		seen.Weeks[0].Begins > seen.Weeks[0].Services[0].Start.Format(time.DateOnly) || seen.Announcements {
		t.Errorf("the board is %+v, want three weeks and one planned assignment", seen)
	}
	member := f.member(reader)
	if u := updateOf(t, follower); u.Rev != seen.Rev+1 || !u.Volunteers[0].Connected {
		t.Errorf("after the claim: %+v, want rev %d and a connected volunteer", u, seen.Rev+1)
	}
	var mine myDates
	member.Do("GET", "/mine", nil).JSON(&mine)
	if mine.Volunteer.Label != "Reader 1" || len(mine.Dates) != 0 {
		t.Errorf("my dates before the request: %+v, want none", mine)
	}
	f.do(f.office, "POST", "/mail/send", order{kindRequest, []string{planned.ID}}, 202)
	u := updateOf(t, follower)
	if u.Assignments[0].Status != statusOpen || u.Assignments[0].Mail.Outcome != "queued" {
		t.Errorf("after the request: %+v, want it open and queued", u)
	}
	if u := updateOf(t, follower); u.Assignments[0].Mail.Outcome != outcomeSent {
		t.Errorf("after the mail: %+v, want sent", u)
	}
	member.Do("GET", "/mine", nil).JSON(&mine)
	if len(mine.Dates) != 1 || mine.Dates[0].Status != statusOpen || mine.Dates[0].Role != "Reader" {
		t.Fatalf("my dates after the request: %+v, want one open", mine)
	}
	path := "/mine/" + mine.Dates[0].ID + "/answer"
	f.do(member, "POST", path, reply{"yes", mine.Dates[0].Rev}, 200)
	if u := updateOf(t, follower); u.Assignments[0].Status != statusYes {
		t.Errorf("after the answer: %+v, want yes", u)
	}
	f.refused(member, "POST", path, reply{"no", mine.Dates[0].Rev}, 409, "CONFLICT")
	f.refused(f.member(f.volunteer("Reader 2")), "POST", path, reply{"no", 3}, 404, "NOT_FOUND")
	f.refused(f.Person(), "POST", path, reply{"no", 3}, 404, "NO_VOLUNTEER")
	f.refused(member, "POST", path, reply{"perhaps", 3}, 400, "REQUEST_INVALID")
}

// TestUniqueAssignment: of many concurrent requests for the same assignment one succeeds, and the others get
// a conflict.
func TestUniqueAssignment(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	reader := f.volunteer("Reader 1", "Reader")
	got := make(chan int)
	for range 10 {
		go func() {
			got <- f.office.Do("PUT", "/assignments", adding("service-1", f.roles["Reader"], reader.ID)).Status
		}()
	}
	var all []int
	for range 10 {
		all = append(all, <-got)
	}
	slices.Sort(all)
	if all[0] != 200 || all[1] != http.StatusConflict || len(f.assigned()) != 1 {
		t.Errorf("ten at once: %v and %d assignments, want one 200 and nine 409", all, len(f.assigned()))
	}
	f.refused(f.office, "PUT", "/assignments", adding("nothing", f.roles["Reader"], reader.ID), 404, "NOT_FOUND")
	f.refused(f.office, "PUT", "/assignments", adding("service-1", reader.ID, reader.ID), 404, "NOT_FOUND")
	f.refused(f.Person(), "PUT", "/assignments", adding("service-2", f.roles["Reader"], reader.ID), 403,
		"PERMISSION_DENIED")
	one := f.assigned()[0]
	set := fmt.Sprintf(`{"set":[{"id":%q,"status":"yes","rev":1}]}`, one.ID)
	f.do(f.office, "PUT", "/assignments", set, 200)
	f.refused(f.office, "PUT", "/assignments", set, 409, "CONFLICT")
	remove := `{"remove":[{"id":%q,"rev":%d}]}`
	f.refused(f.office, "PUT", "/assignments", fmt.Sprintf(remove, one.ID, 1), 409, "CONFLICT")
	f.refused(f.office, "PUT", "/roles", fmt.Sprintf(`{"rev":2,"roles":[{"id":%q,"name":"Welcome"}]}`,
		f.roles["Welcome"]), 409, "ROLE_IN_USE")
	f.do(f.office, "PUT", "/assignments", fmt.Sprintf(remove, one.ID, 2), 200)
	if left := f.assigned(); len(left) != 0 {
		t.Errorf("left: %+v, want none", left)
	}
}

// TestAway: the board shows days away, and the response "away" is a no that also stores the day.
func TestAway(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	reader := f.volunteer("Reader 1", "Reader")
	member := f.member(reader)
	put := func(body string, status int) { t.Helper(); f.do(member, "PUT", "/mine/away", body, status) }
	put(`{"rev":2,"away":[{"from":"2099-07-01","to":"2099-07-14"}]}`, 200)
	put(`{"rev":2,"away":[]}`, 409)
	put(`{"rev":3,"away":[{"from":"2099-07-14","to":"2099-07-01"}]}`, 400)
	put(`{"rev":3,"away":[{"from":"2099-02-30","to":"2099-03-01"}]}`, 400)
	f.refused(f.Person(), "PUT", "/mine/away", `{"rev":1,"away":[]}`, 404, "NO_VOLUNTEER")
	ofReader := "/volunteers/" + reader.ID + "/away"
	f.refused(member, "PUT", ofReader, `{"rev":3,"away":[]}`, 403, "PERMISSION_DENIED")
	f.refused(f.office, "PUT", ofReader, `{"rev":2,"away":[]}`, 409, "CONFLICT")
	f.refused(f.office, "PUT", "/volunteers/x/away", `{"rev":1,"away":[]}`, 404, "NOT_FOUND")
	f.do(f.office, "PUT", ofReader, `{"rev":3,"away":[{"from":"2099-07-01","to":"2099-07-31"}]}`, 200)
	one := f.assign("service-2", "Reader", reader)
	f.set(one.ID, statusOpen, 1)
	f.do(member, "POST", "/mine/"+one.ID+"/answer", reply{"away", 2}, 200)
	day := f.services[1].Start.Format(time.DateOnly)
	want := []days{{day, day}, {"2099-07-01", "2099-07-31"}}
	if got := f.board().Volunteers[0]; !slices.Equal(got.Away, want) || f.assigned()[0].Status != statusNo {
		t.Errorf("the board has %+v, %+v, want a no and away on %+v", got, f.assigned(), want)
	}
}

// TestPeople: an erased person's data is removed, and an export contains what is stored about a person.
func TestPeople(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	reader := f.volunteer("Reader 1", "Reader")
	member := f.member(reader)
	f.assign("service-1", "Reader", reader)
	f.do(member, "PUT", "/mine/away", `{"rev":2,"away":[{"from":"2099-07-01","to":"2099-07-14"}]}`, 200)
	var data map[string]any
	if err := f.Export(member.ID, &data); err != nil || data["email"] != reader.Email ||
		data["label"] != "Reader 1" || len(data["assignments"].([]any)) != 1 || len(data["away"].([]any)) != 1 {
		t.Errorf("export: %v, %v, want the volunteer with one assignment", data, err)
	}
	token := f.token(reader.ID)
	for range 2 {
		if err := f.Erase(member.ID); err != nil {
			t.Fatal(err)
		}
	}
	left := f.board().Volunteers[0]
	if left.Label != "" || left.Email != "" || left.Connected || len(left.Away)+len(left.RoleIDs) != 0 ||
		len(f.assigned()) != 1 {
		t.Errorf("after the erasure: %+v, want an empty row and the assignment", left)
	}
	f.refused(f.Person(), "POST", "/claim", map[string]string{"token": token}, 404, "CLAIM_LINK_UNUSABLE")
	data = nil
	if err := f.Export(member.ID, &data); err != nil || data != nil {
		t.Errorf("export after the erasure: %v, %v, want nothing", data, err)
	}
}
