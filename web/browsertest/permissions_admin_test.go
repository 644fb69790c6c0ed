package browsertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
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

// TestPermissions issues and revokes grants, by keyboard in the lists.
func TestPermissions(t *testing.T) {
	t.Parallel()
	r := newGrantsFixture(t, newFixture(t))
	p := openPage(t, r.URL+"/#/admin/permissions", desktop)
	p.waitForHeading("Permissions")
	p.waitForText("2 people hold 3 permissions")
	p.waitForText("Every permission")
	p.waitForText("Drive the stage")
	p.waitForText("Coordinator, ")
	p.click("button", "Give permission")
	p.find("dialog", "Give permission")
	p.click("button", "Give")
	p.waitForText("Choose a person.")
	p.enter("combobox", "Person", "sound")
	p.waitFor(`document.querySelector("dialog [role=option]")?.innerText.includes("Sound 1")`)
	p.key("\r")
	p.enter("combobox", "Permission", "stage")
	p.waitForText("has it until")
	p.key(kb.ArrowDown)
	p.key("\r")
	p.waitForText("Sound 1 (sound1@example.org) can do this at once.")
	p.runScript(`const [day] = document.querySelectorAll("[type=date]");
		day.value = "2020-04-05"; day.dispatchEvent(new Event("input", { bubbles: true }))`)
	p.click("button", "Give")
	p.waitForText("The end must be in the future.")
	p.runScript(`const [day] = document.querySelectorAll("[type=date]");
		day.value = "2031-04-05"; day.dispatchEvent(new Event("input", { bubbles: true }))`)
	p.click("button", "Give")
	p.waitForAnnouncement("Given.")
	p.waitForNone("dialog", "Give permission")
	r.mu.Lock()
	end, _ := r.grants[0]["expiresAt"].(string)
	id := r.grants[0]["permissionId"]
	r.mu.Unlock()
	if _, err := time.Parse("2006-01-02T15:04:05.000Z", end); err != nil || id != "stage.plan.edit" {
		t.Errorf("given %v until %q, want stage.plan.edit until a moment with milliseconds", id, end)
	}
	if !strings.HasSuffix(end, ":59:00.000Z") {
		t.Errorf("until a day without a time ends at %q, want the day's last minute", end)
	}
	p.click("button", "Withdraw stage.plan.edit from Sound 1 (sound1@example.org)")
	p.waitForAnnouncement("Withdrawn.")
	p.waitForNone("button", "Withdraw stage.plan.edit from Sound 1 (sound1@example.org)")
	p.click("button", "Undo")
	p.find("button", "Withdraw stage.plan.edit from Sound 1 (sound1@example.org)")
}

// TestPermissionHolders: the screen shows who holds one permission.
func TestPermissionHolders(t *testing.T) {
	t.Parallel()
	r := newGrantsFixture(t, newFixture(t))
	p := openPage(t, r.URL+"/#/admin/permissions", desktop)
	p.click("radio", "By permission")
	p.enter("combobox", "Person or permission", "write the")
	p.waitFor(`document.querySelector("[role=option]")?.innerText.includes("Write the notices")`)
	p.key("\r")
	p.waitForNone("button", "Withdraw stage.live.control from Sound 1 (sound1@example.org)")
	p.find("button", "Withdraw announcements.slides.manage from Sound 1 (sound1@example.org)")
	p.enter("combobox", "Person or permission", "edit the plan")
	p.key("\r")
	p.waitForText("Nobody holds this permission. The owner may do everything.")
}

// TestOwnPermission: a person must confirm before they revoke their own access.
func TestOwnPermission(t *testing.T) {
	t.Parallel()
	r := newGrantsFixture(t, newFixture(t))
	p := openPage(t, r.URL+"/#/admin/permissions", desktop)
	own := "Withdraw core.authorization.grants.manage from Coordinator (coordinator@example.org)"
	p.click("button", own)
	p.find("dialog", "Withdraw your own permission?")
	p.key("\r") // the safe choice has the focus
	p.waitForNone("dialog", "Withdraw your own permission?")
	if n := r.countWrites(); n != 0 {
		t.Errorf("%d writes without agreement, want none", n)
	}
	p.click("button", own)
	p.click("button", "Withdraw")
	p.waitForAnnouncement("Withdrawn.")
}

// TestGivingRefused: each refusal is explained, and the chosen values stay.
func TestGivingRefused(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status      int
		code, words string
	}{
		"has it":    {409, "AUTHORIZATION_GRANT_ALREADY_EXISTS", "This person already has it."},
		"nobody":    {404, "USER_NOT_FOUND", "There is no such person."},
		"unknown":   {400, "PERMISSION_UNKNOWN", "No installed module knows this permission."},
		"forbidden": {403, "PERMISSION_DENIED", "You no longer have access (Give and withdraw permissions)."},
		"offline":   {0, "", "You are offline. Nothing is lost, nothing is saved yet."},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "has it")
			t.Parallel()
			r := newGrantsFixture(t, newFixture(t))
			p := openPage(t, r.URL+"/#/admin/permissions", desktop)
			p.click("button", "Give permission")
			p.enter("combobox", "Person", "reader")
			p.waitFor(`document.querySelector("dialog [role=option]")?.innerText.includes("Reader 1")`)
			p.key("\r")
			p.enter("combobox", "Permission", "edit")
			p.key("\r")
			r.refuseWith(row.status, row.code)
			p.offline(row.status == 0)
			p.click("button", "Give")
			p.waitForVisibleText(row.words)
			p.offline(false)
			p.click("button", "Give")
			p.waitForAnnouncement("Given.")
		})
	}
}

// TestPermissionsOfTwo: a grant by another administrator appears, and revoking one that is already revoked
// does no harm.
func TestPermissionsOfTwo(t *testing.T) {
	t.Parallel()
	r := newGrantsFixture(t, newFixture(t))
	p := openPage(t, r.URL+"/#/admin/permissions", desktop)
	p.find("button", "Withdraw stage.live.control from Sound 1 (sound1@example.org)")
	r.mu.Lock()
	r.add(sound, "stage.plan.edit", "")
	r.grants[2]["revokedAt"] = "2026-11-22T06:00:00.000Z"
	r.mu.Unlock()
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.find("button", "Withdraw stage.plan.edit from Sound 1 (sound1@example.org)")
	p.waitForNone("button", "Withdraw stage.live.control from Sound 1 (sound1@example.org)")
}

// TestManyGrants: grants are loaded page by page.
func TestManyGrants(t *testing.T) {
	leaveToProof(t, "it needs hundreds of grants")
	t.Parallel()
	r := newGrantsFixture(t, newFixture(t))
	for i := range 250 {
		r.add(sound, fmt.Sprintf("stage.extra.p%03d", i), "")
	}
	p := openPage(t, r.URL+"/#/admin/permissions", desktop)
	// with the owner, who is loaded by another request; until then the button moves
	p.waitFor(`document.querySelectorAll(".host-grants tbody tr").length === 201`)
	p.click("button", "Load more")
	p.waitFor(`document.querySelectorAll(".host-grants tbody tr").length === 254`)
	p.waitForNone("button", "Load more")
}

// TestManyPeople: people who are not in the server's first page have names, too.
func TestManyPeople(t *testing.T) {
	leaveToProof(t, "it needs hundreds of people")
	t.Parallel()
	r := newGrantsFixture(t, newFixture(t))
	for i := range 250 {
		r.people = append(r.people, object{"userId": fmt.Sprintf("44444444-4444-4444-8444-%012d", i),
			"name": fmt.Sprintf("Singer %d", i), "email": fmt.Sprintf("singer%d@example.org", i),
			"owner": false, "emailVerified": true, "deactivatedAt": nil, "erasedAt": nil, "erasurePending": []string{},
			"createdAt": "2025-01-03T09:00:00.000Z"})
	}
	r.add("44444444-4444-4444-8444-000000000249", "stage.plan.edit", "")
	p := openPage(t, r.URL+"/#/admin/permissions", desktop)
	p.find("button", "Withdraw stage.plan.edit from Singer 249 (singer249@example.org)")
}
