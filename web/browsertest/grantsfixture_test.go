package browsertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// grantsFixture replaces the platform's people, permissions and grants.
type grantsFixture struct {
	*modulesFixture
	people []object
	grants []object // newest first
	status int      // of the next write, if it is refused
	code   string
}

const sound = "11111111-1111-4111-8111-111111111111"

func newGrantsFixture(t *testing.T, h *fixture) *grantsFixture {
	t.Helper()
	r := &grantsFixture{modulesFixture: setModulesFixture(t, h)}
	one := func(id, name string, owner bool) object {
		return object{"userId": id, "name": name, "owner": owner, "emailVerified": true, "deactivatedAt": nil,
			"erasedAt": nil, "erasurePending": []string{}, "createdAt": "2025-01-03T09:00:00.000Z",
			"email": strings.ToLower(strings.ReplaceAll(name, " ", "")) + "@example.org"}
	}
	r.people = []object{one("22222222-2222-4222-8222-222222222222", "Owner", true),
		one(person, "Coordinator", false), one(sound, "Sound 1", false),
		one("33333333-3333-4333-8333-333333333333", "Reader 1", false)}
	r.add(person, "core.authorization.grants.manage", "")
	r.add(sound, "stage.live.control", "2030-12-31T17:00:00.000Z")
	r.add(sound, "announcements.slides.manage", "")
	permission := func(id, module, description string) object {
		return object{"id": id, "baseline": "restricted", "moduleId": module, "description": description}
	}
	core := permission("core.authorization.grants.manage", "", "")
	core["moduleId"], core["description"] = nil, nil
	r.respondJSON("GET /api/v1/permissions", 200, object{"permissions": []object{
		permission("announcements.slides.manage", "announcements", "Write the notices"), core,
		permission("stage.live.control", "stage", "Drive the stage"),
		permission("stage.plan.edit", "stage", "Edit the plan"),
	}})
	r.handle("GET /api/v1/people", r.listPeople)
	r.handle("GET /api/v1/grants", r.listGrants)
	r.handle("POST /api/v1/grants", r.issue)
	r.handle("POST /api/v1/grants/*", r.revoke)
	return r
}

func (r *grantsFixture) add(userID, permissionID, expiresAt string) object {
	grant := object{"id": fmt.Sprintf("grant-%d", len(r.grants)+1), "userId": userID,
		"permissionId": permissionID, "expiresAt": nil, "revokedAt": nil, "scope": nil,
		"source":    object{"kind": "explicit", "reference": nil},
		"createdAt": "2026-11-03T09:00:00.000Z", "createdBy": person}
	if expiresAt != "" {
		grant["expiresAt"] = expiresAt
	}
	r.grants = slices.Insert(r.grants, 0, grant)
	return grant
}

func (r *grantsFixture) listPeople(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	query := strings.ToLower(request.URL.Query().Get("query"))
	ids := request.URL.Query()["userId"]
	found := []object{}
	for _, one := range r.people {
		id := one["userId"].(string)
		name, _ := one["name"].(string)
		matches := strings.HasPrefix(strings.ToLower(name), query) || id == query
		if matches && (len(ids) == 0 || slices.Contains(ids, id)) {
			found = append(found, one)
		}
	}
	page := object{"people": found, "nextCursor": nil}
	if len(found) > 200 {
		page["people"], page["nextCursor"] = found[:200], "next"
	}
	body, _ := json.Marshal(page)
	reply(w, 200, string(body))
}

func (r *grantsFixture) listGrants(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	asked := request.URL.Query()
	from := 0
	_, _ = fmt.Sscan(asked.Get("cursor"), &from)
	found := []object{}
	for _, grant := range r.grants {
		if (asked.Get("userId") == "" || grant["userId"] == asked.Get("userId")) &&
			(asked.Get("permissionId") == "" || grant["permissionId"] == asked.Get("permissionId")) {
			found = append(found, grant)
		}
	}
	page := object{"grants": found[from:], "nextCursor": nil}
	if len(found)-from > 200 {
		page["grants"], page["nextCursor"] = found[from:from+200], fmt.Sprint(from+200)
	}
	body, _ := json.Marshal(page)
	reply(w, 200, string(body))
}

// refused refuses a write if the test has said so.
func (r *grantsFixture) refused(w http.ResponseWriter) bool {
	status := r.status
	r.status = 0
	if status == 0 {
		return false
	}
	reply(w, status, `{"code":"`+r.code+`"}`)
	return true
}

func (r *grantsFixture) issue(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused(w) {
		return
	}
	var sent struct{ UserID, PermissionID, ExpiresAt string }
	if err := json.NewDecoder(request.Body).Decode(&sent); err != nil {
		r.t.Error(err)
	}
	body, _ := json.Marshal(r.add(sent.UserID, sent.PermissionID, sent.ExpiresAt))
	reply(w, 201, string(body))
}

func (r *grantsFixture) revoke(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused(w) {
		return
	}
	id := strings.Split(request.URL.Path, "/")[4]
	for _, grant := range r.grants {
		if grant["id"] == id {
			grant["revokedAt"] = "2026-11-22T06:00:00.000Z"
		}
	}
	reply(w, 200, `{"revokedGrantIds":["`+id+`"]}`)
}

// refuseWith makes the next write fail.
func (r *grantsFixture) refuseWith(status int, code string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.code = status, code
}
