package browsertest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

const (
	manageGrants    = "core.authorization.grants.manage"
	permissionsPath = "/#/admin/permissions"
	withdrawDriving = "Withdraw stage.live.control from Sound 1 (sound@example.org)"
	withdrawPlans   = "Withdraw stage.plan.edit from Sound 1 (sound@example.org)"
)

// permissionsHouse is a house in which a coordinator may give permissions, and Sound 1 holds two.
type permissionsHouse struct {
	*devServer
	coordinator                      *http.Cookie // their session
	coordinatorID, soundID, readerID string
}

// TestPermissions uses the screen Permissions of a house. All tests give and withdraw permissions of the same
// people, so they run one after another.
func TestPermissions(t *testing.T) {
	t.Parallel()
	d := &permissionsHouse{devServer: startHouse(t)}
	d.coordinatorID = d.addPerson(t, "coordinator@example.org", "Coordinator")
	d.coordinator = d.signIn(t, "coordinator@example.org")
	d.soundID = d.addPerson(t, "sound@example.org", "Sound 1")
	d.readerID = d.addPerson(t, "reader@example.org", "Reader 1")
	for name, test := range map[string]func(t *testing.T, d *permissionsHouse){
		"Give":           testGivingAndWithdrawing,
		"Holders":        testPermissionHolders,
		"OfAPerson":      testPermissionsOfAPerson,
		"Own":            testOwnPermission,
		"Refused":        testGivingRefused,
		"OfTwo":          testPermissionsOfTwo,
		"Brief":          testBriefAdministrator,
		"IncompleteDate": testIncompleteEndDate,
		"Many":           testManyGrantsAndPeople,
	} {
		t.Run(name, func(t *testing.T) {
			d.setGrants(t)
			test(t, d)
		})
	}
}

// setGrants replaces all grants by those with which each test begins.
func (d *permissionsHouse) setGrants(t *testing.T) {
	t.Helper()
	// the rows about grants are append-only, except for a replica
	d.exec(t, `SET session_replication_role = replica; TRUNCATE core.permission_grant CASCADE`)
	d.grant(t, d.coordinatorID, manageGrants, "NULL")
	d.grant(t, d.soundID, "stage.live.control", "'2030-12-31T17:00:00Z'")
	d.give(t, manageNotices)
}

// give gives Sound 1 a permission, as the coordinator does.
func (d *permissionsHouse) give(t *testing.T, permission string) {
	t.Helper()
	d.as(t, d.coordinator, "POST", "/api/v1/grants", object{"userId": d.soundID, "permissionId": permission})
}

// open opens Permissions as the coordinator.
func (d *permissionsHouse) open(t *testing.T) (*fixture, *tab) {
	t.Helper()
	h := d.front(t)
	h.session = d.coordinator
	p := h.open(permissionsPath, desktop)
	p.waitForHeading("Permissions")
	return h, p
}

// chooseDay enters the day on which a permission ends.
func (p *tab) chooseDay(day string) {
	p.t.Helper()
	p.runScript(`const [day] = document.querySelectorAll("dialog [type=date]");
		day.value = "` + day + `"; day.dispatchEvent(new Event("input", { bubbles: true }))`)
}

// testGivingAndWithdrawing issues a grant by keyboard in the lists, and revokes it. Undo gives it again.
func testGivingAndWithdrawing(t *testing.T, d *permissionsHouse) {
	h, p := d.open(t)
	p.waitForText("2 people hold 3 permissions")
	p.waitForText("Every permission")
	p.waitForText("Drive the screens during a service")
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
	p.enter("combobox", "Permission", "write the orders")
	p.waitForOption("stage.plan.edit")
	p.key("\r")
	p.waitForText("Sound 1 (sound@example.org) can do this at once.")
	p.chooseDay("2020-04-05")
	p.click("button", "Give")
	p.waitForText("The end must be in the future.")
	p.chooseDay("2031-04-05")
	p.click("button", "Give")
	p.waitForAnnouncement("Given.")
	p.waitForNone("dialog", "Give permission")
	end, _ := decoded(t, []byte(h.sent("POST /api/v1/grants")))["expiresAt"].(string)
	_, err := time.Parse("2006-01-02T15:04:05.000Z", end)
	if err != nil || !strings.HasSuffix(end, ":59:00.000Z") {
		t.Errorf("until a day without a time ends at %q, want the day's last minute, with milliseconds", end)
	}
	if got := d.grantsOf(t, d.soundID, "stage.plan.edit"); got != "1" {
		t.Errorf("after Give Sound 1 has %s grants, want 1", got)
	}
	p.click("button", withdrawPlans)
	p.waitForAnnouncement("Withdrawn.")
	p.waitForNone("button", withdrawPlans)
	if got := d.grantsOf(t, d.soundID, "stage.plan.edit"); got != "0" {
		t.Errorf("after Withdraw Sound 1 has %s grants, want 0", got)
	}
	p.click("button", "Undo")
	p.waitForAnnouncement("Given.")
	p.find("button", withdrawPlans)
	if got := d.grantsOf(t, d.soundID, "stage.plan.edit"); got != "1" {
		t.Errorf("after Undo Sound 1 has %s grants, want 1", got)
	}
}

// testPermissionHolders: the screen shows who holds one permission.
func testPermissionHolders(t *testing.T, d *permissionsHouse) {
	_, p := d.open(t)
	p.click("radio", "By permission")
	p.enter("combobox", "Person or permission", "write the notices")
	p.waitForOption("Write the notices")
	p.key("\r")
	p.waitForNone("button", withdrawDriving)
	p.find("button", "Withdraw announcements.slides.manage from Sound 1 (sound@example.org)")
	p.enter("combobox", "Person or permission", "write the orders")
	p.waitForOption("Write the orders")
	p.key("\r")
	p.waitForText("Nobody holds this permission. The owner may do everything.")
}

// testOwnPermission: a person must confirm before they revoke their own access, and then has none.
func testOwnPermission(t *testing.T, d *permissionsHouse) {
	h, p := d.open(t)
	const own = "Withdraw core.authorization.grants.manage from Coordinator (coordinator@example.org)"
	p.click("button", own)
	p.find("dialog", "Withdraw your own permission?")
	p.key("\r") // the safe choice has the focus
	p.waitForNone("dialog", "Withdraw your own permission?")
	if n := h.countWrites(); n != 0 {
		t.Errorf("%d writes without agreement, want none", n)
	}
	p.click("button", own)
	p.click("button", "Withdraw")
	p.waitForAnnouncement("Withdrawn.")
	if got := d.grantsOf(t, d.coordinatorID, manageGrants); got != "0" {
		t.Errorf("the coordinator has %s grants, want 0", got)
	}
	p.waitForText("You no longer have access (Give and withdraw permissions).")
}

// testGivingRefused: each refusal is explained, and the chosen values stay.
func testGivingRefused(t *testing.T, d *permissionsHouse) {
	const permission = "stage.plan.edit"
	for name, row := range map[string]struct {
		before func(h *fixture, p *tab, id string) // of the person
		after  func(h *fixture, p *tab)
		words  string
	}{
		"has it": {
			func(_ *fixture, _ *tab, id string) { d.grant(t, id, permission, "NULL") },
			func(*fixture, *tab) {
				d.exec(t, `UPDATE core.permission_grant SET revoked_at = now()
				WHERE permission_id = '`+permission+`'`)
			},
			"This person already has it.",
		},
		"nobody": {
			func(_ *fixture, _ *tab, id string) {
				d.call(t, "POST", "/api/v1/people/"+id+"/deactivate", nil)
				d.call(t, "POST", "/api/v1/people/"+id+"/erase", nil)
			},
			func(_ *fixture, p *tab) {
				p.enter("combobox", "Person", "reader")
				p.waitForOption("Reader 1")
				p.key("\r")
			},
			"There is no such person.",
		},
		// A module that is removed ends with the house, and so does the dialog.
		"unknown": {
			func(h *fixture, _ *tab, _ string) {
				h.respond("POST /api/v1/grants", 400, `{"code":"PERMISSION_UNKNOWN"}`)
			},
			func(h *fixture, _ *tab) { h.restore("POST /api/v1/grants") },
			"No installed module knows this permission.",
		},
		"forbidden": {
			func(h *fixture, p *tab, _ string) { // the list alone is held: the dialog asks for the end of this right
				t.Cleanup(h.withdraw(p, "coordinator@example.org", manageGrants, "GET /api/v1/grants?limit=200"))
			},
			func(*fixture, *tab) { d.grant(t, d.coordinatorID, manageGrants, "NULL") },
			"You no longer have access (Give and withdraw permissions).",
		},
		"offline": {
			func(_ *fixture, p *tab, _ string) { p.offline(true) },
			func(_ *fixture, p *tab) { p.offline(false) },
			"You are offline. Nothing is lost, nothing is saved yet.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "has it")
			d.setGrants(t)
			email := d.member(t, "Tea")
			h, p := d.open(t)
			p.chooseGrant(email, permission)
			row.before(h, p, d.idOf(t, email))
			p.click("button", "Give")
			p.waitForVisibleText(row.words)
			row.after(h, p)
			p.click("button", "Give")
			p.waitForAnnouncement("Given.")
			if got := d.query(t, `
				SELECT count(*)::text FROM core.permission_grant
				WHERE permission_id = $1 AND revoked_at IS NULL`, permission); got != "1" {
				t.Errorf("%s people hold what was given, want 1", got)
			}
		})
	}
}

// testPermissionsOfTwo: a grant by another administrator appears, and revoking one that is already revoked
// does no harm.
func testPermissionsOfTwo(t *testing.T, d *permissionsHouse) {
	h, p := d.open(t)
	p.find("button", withdrawDriving)
	held := d.query(t, `SELECT id::text FROM core.permission_grant WHERE permission_id = 'stage.live.control'`)
	h.awaitRead(p)
	open := h.hold("GET /api/v1/grants")
	d.give(t, "stage.plan.edit")
	d.call(t, "POST", "/api/v1/grants/"+held+"/revoke", nil)
	p.click("button", withdrawDriving)
	open()
	p.waitForAnnouncement("Withdrawn.")
	p.find("button", withdrawPlans)
	p.waitForNone("button", withdrawDriving)
	const revocations = `SELECT count(*)::text FROM core.permission_grant_audit WHERE action = 'revoked'`
	if got := d.query(t, revocations); got != "1" {
		t.Errorf("%s revocations are recorded, want the first alone", got)
	}
	d.give(t, "rota.manage")
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.find("button", "Withdraw rota.manage from Sound 1 (sound@example.org)")
}

// testManyGrantsAndPeople: grants are loaded page by page, and people who are not in the server's first page
// have names, too.
func testManyGrantsAndPeople(t *testing.T, d *permissionsHouse) {
	leaveToProof(t, "it needs hundreds of people")
	d.exec(t, `
		INSERT INTO core.person (email, name, email_verified)
		SELECT 'singer' || n || '@example.org', 'Singer ' || n, true FROM generate_series(1, 250) AS n;
		INSERT INTO core.permission_grant (person_id, permission_id, source_kind)
		SELECT id, 'stage.plan.edit', 'explicit' FROM core.person WHERE email LIKE 'singer%'`)
	_, p := d.open(t)
	// with the owner, who is loaded by another request; until then the button moves
	p.waitFor(`document.querySelectorAll(".host-grants tbody tr").length === 201`)
	p.click("button", "Load more")
	p.waitFor(`document.querySelectorAll(".host-grants tbody tr").length === 254`)
	p.waitForNone("button", "Load more")
	for _, name := range []string{"Singer 1 (singer1@example.org)", "Singer 250 (singer250@example.org)"} {
		p.find("button", "Withdraw stage.plan.edit from "+name)
	}
}

// testPermissionsOfAPerson: a person's row in People leads to their permissions, and a permission's row there
// to everybody who holds it.
func testPermissionsOfAPerson(t *testing.T, d *permissionsHouse) {
	d.grant(t, d.readerID, "stage.plan.edit", "NULL")
	d.grant(t, d.readerID, "rota.manage", "NULL")
	d.give(t, "stage.plan.edit")
	p := d.openAs(t, "owner@example.org", "/#/admin/people", desktop)
	p.chooseMenuItem("More for Reader 1", "Permissions")
	p.waitForHeading("Permissions")
	p.waitFor(`document.querySelectorAll("main tbody tr").length === 2`)
	p.screenshot("people-permissions")
	p.assertAccessible("the permissions of a person")

	p.click("link", "Who holds stage.plan.edit")
	p.waitForHeading("Permissions")
	p.find("link", "Sound 1")
	p.find("link", "Owner") // who may do everything
	p.waitForNone("link", "Who holds rota.manage")
	p.screenshot("people-permission-holders")

	p.click("link", "Sound 1")
	p.waitForNone("link", "Reader 1")
	p.waitFor(`document.querySelectorAll("main tbody tr").length === 3`)
	p.do(chromedp.NavigateBack())
	p.find("link", "Reader 1")
}
