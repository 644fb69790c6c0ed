package browsertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

const (
	owner  = "22222222-2222-4222-8222-222222222222"
	reader = "33333333-3333-4333-8333-333333333333"
	gone   = "55555555-5555-4555-8555-555555555555"
	erased = "66666666-6666-4666-8666-666666666666"
)

// peopleFixture replaces the platform's directory and invitations.
type peopleFixture struct {
	*grantsFixture
	invitations []object // newest first
	delivery    string   // of the next email
	sent        []string // bodies of the invitation requests
}

// newPeopleFixture signs in a person who manages people and permissions, or has the given permissions.
func newPeopleFixture(t *testing.T, h *fixture, permissions ...string) *peopleFixture {
	t.Helper()
	f := &peopleFixture{grantsFixture: newGrantsFixture(t, h), delivery: "SENT"}
	if len(permissions) == 0 {
		permissions = append([]string{"core.people.manage", "core.activity.read"}, everyPermission...)
	}
	f.setNavigation(permissions, nil, group("sunday", "Sunday",
		module("stage", "Stage", object{"icon": "lectern"}), module("rota", "Rota", object{"icon": "rota"})))
	for _, one := range f.people {
		f.complete(one)
	}
	f.people = append(f.people,
		f.complete(object{"userId": gone, "name": "Words 2", "email": "words2@example.org",
			"deactivatedAt": "2026-11-20T09:00:00.000Z"}),
		f.complete(object{"userId": erased, "name": nil, "email": nil, "erasurePending": []string{"rota"},
			"deactivatedAt": "2026-11-19T09:00:00.000Z", "erasedAt": "2026-11-21T09:00:00.000Z"}))
	f.invite("tea4@example.org", "Tea 4", "SENT", "open")
	f.invite("welcome@example.org", nil, "REJECTED", "open", "stage.live.control", "stage.plan.edit")
	f.invite("reader9@example.org", nil, "SENT", "expired", "stage.plan.edit")
	f.handle("GET /api/v1/invitations", f.listInvitations)
	f.handle("POST /api/v1/invitations/many", f.takeInvitations)
	f.handle("POST /api/v1/invitations/*", f.changeInvitation)
	f.handle("POST /api/v1/people/*", f.decide)
	return f
}

// complete sets the missing fields of a person.
func (f *peopleFixture) complete(one object) object {
	for field, value := range (object{"owner": false, "emailVerified": true, "deactivatedAt": nil,
		"erasedAt": nil, "erasurePending": []string{}, "createdAt": "2025-01-03T09:00:00.000Z"}) {
		if _, set := one[field]; !set {
			one[field] = value
		}
	}
	return one
}

// invite adds the newest invitation and returns it.
func (f *peopleFixture) invite(email string, name any, delivery, state string, permissions ...string) object {
	grants := []object{}
	for _, id := range permissions {
		grants = append(grants, object{"permissionId": id, "expiresAt": nil})
	}
	made := object{"id": fmt.Sprintf("invitation-%d", len(f.invitations)+1), "email": email, "name": name,
		"state": state, "grants": grants, "createdAt": "2026-11-21T09:00:00.000Z", "createdBy": person,
		"expiresAt": "2026-11-28T09:00:00.000Z", "delivery": delivery}
	f.invitations = slices.Insert(f.invitations, 0, made)
	return made
}

func (f *peopleFixture) listInvitations(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := []object{}
	for _, one := range f.invitations {
		if one["state"] == r.URL.Query().Get("state") {
			found = append(found, one)
		}
	}
	respondObject(w, 200, object{"invitations": found, "nextCursor": nil})
}

func (f *peopleFixture) takeInvitations(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var wanted struct {
		People []struct {
			Email string
			Name  any
		}
		Grants []object
	}
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil {
		f.t.Error(err)
	}
	if f.refused(w) {
		return
	}
	outcomes := []object{}
	for _, to := range wanted.People {
		body, _ := json.Marshal(struct {
			Email  string
			Name   any
			Grants []object
		}{to.Email, to.Name, wanted.Grants})
		f.sent = append(f.sent, string(body))
		outcome := object{"email": to.Email, "invitation": nil, "replaced": false, "code": nil}
		outcomes = append(outcomes, outcome)
		if strings.HasPrefix(to.Email, "owner@") {
			outcome["code"] = "PERSON_ALREADY_EXISTS"
			continue
		}
		isOlder := func(one object) bool { return one["email"] == to.Email }
		outcome["replaced"] = slices.ContainsFunc(f.invitations, isOlder)
		f.invitations = slices.DeleteFunc(f.invitations, isOlder)
		made := f.invite(to.Email, to.Name, f.delivery, "open")
		made["grants"] = []object{}
		outcome["invitation"] = made
	}
	respondObject(w, 200, object{"outcomes": outcomes})
}

// changeInvitation handles POST /api/v1/invitations/<id>/send and /withdraw.
func (f *peopleFixture) changeInvitation(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	parts := strings.Split(r.URL.Path, "/")
	if f.refused(w) {
		return
	}
	for _, one := range f.invitations {
		if one["id"] != parts[4] {
			continue
		}
		if one["delivery"], one["state"] = f.delivery, "open"; parts[5] == "withdraw" {
			one["state"] = "withdrawn"
		}
		respondObject(w, 200, one)
		return
	}
	reply(w, 404, `{"code":"INVITATION_NOT_FOUND"}`)
}

// decide handles POST /api/v1/people/<id>/deactivate, /reactivate and /erase.
func (f *peopleFixture) decide(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	parts := strings.Split(r.URL.Path, "/")
	if f.refused(w) {
		return
	}
	at := slices.IndexFunc(f.people, func(one object) bool { return one["userId"] == parts[4] })
	one := f.people[at]
	switch parts[5] {
	case "deactivate":
		one["deactivatedAt"] = "2026-11-22T09:00:00.000Z"
	case "reactivate":
		one["deactivatedAt"] = nil
	case "erase":
		one["erasedAt"], one["name"], one["email"] = "2026-11-22T09:00:00.000Z", nil, nil
		one["erasurePending"] = []string{"rota", "songs"}
	}
	respondObject(w, 200, one)
}

func respondObject(w http.ResponseWriter, status int, body object) {
	text, _ := json.Marshal(body)
	reply(w, status, string(text))
}
