package browsertest

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/narthex-platform/narthex/services/waittest"
)

const (
	managePeople  = "core.people.manage"
	peoplePath    = "/#/admin/people"
	inviteRoute   = "POST /api/v1/invitations/many"
	teaFour       = "Tea 4 (tea4@example.org)"
	noLongerTheir = "You no longer have access (Invite, deactivate and erase people)."
)

// peopleHouse is a house with a coordinator, who may do everything that the platform has, two other people,
// one who is deactivated and one who is erased. Three people are invited.
type peopleHouse struct {
	*devServer
	coordinator                   *http.Cookie // their session
	coordinatorID, reader, former string       // former is deactivated
}

// TestPeople uses the screen People of a house. All tests change the same people, so they run one after
// another.
func TestPeople(t *testing.T) {
	t.Parallel()
	d := &peopleHouse{devServer: startHouse(t)}
	d.coordinatorID = d.addPerson(t, "coordinator@example.org", "Coordinator")
	d.coordinator = d.signIn(t, "coordinator@example.org")
	for name, test := range map[string]func(t *testing.T, d *peopleHouse){
		"Screens":            testPeopleScreens,
		"Invite":             testInvite,
		"InviteRefused":      testInviteRefused,
		"InviteAlone":        testInviteWithoutGrants,
		"Invitations":        testInvitations,
		"InvitationsRefused": testInvitationsRefused,
		"Deactivate":         testDeactivate,
		"DecisionsRefused":   testDecisionsRefused,
		"Erase":              testErase,
		"Find":               testFindPeople,
		"ByFamilyName":       testPeopleByFamilyName,
		"Palette":            testPaletteForPermissions,
		"TwoOfOneName":       testTwoOfOneName,
		"WhoCanDoTheRest":    testWhoCanDoTheRest,
		"InviteDialog":       testInviteDialogStaysInPlace,
		"InviteFromFiles":    testInviteFromFiles,
		"InviteMany":         testInviteMany,
		"Reactivation":       testReactivation,
		"OfTwo":              testPeopleOfTwo,
	} {
		t.Run(name, func(t *testing.T) {
			d.setPeople(t)
			test(t, d)
		})
	}
}

// setPeople replaces all people but the owner and the coordinator by those with whom each test begins.
func (d *peopleHouse) setPeople(t *testing.T) {
	t.Helper()
	// what is kept about grants and people cannot be deleted, except in a replica
	d.exec(t, `
		SET session_replication_role = replica;
		TRUNCATE core.permission_grant, core.invitation, core.person_erasure CASCADE;
		DELETE FROM core.person
		WHERE email IS NULL OR email NOT IN ('owner@example.org', 'coordinator@example.org')`)
	for _, permission := range append([]string{managePeople, "core.activity.read"}, everyPermission...) {
		d.grant(t, d.coordinatorID, permission, "NULL")
	}
	d.addPerson(t, "sound1@example.org", "Sound 1")
	d.reader = d.addPerson(t, "reader1@example.org", "Reader 1")
	d.former = d.addPerson(t, "words2@example.org", "Words 2")
	d.exec(t, `
		UPDATE core.person SET deactivated_at = '2026-11-20T09:00:00Z' WHERE email = 'words2@example.org';
		WITH erased AS (
			INSERT INTO core.person (email, name, deactivated_at, erased_at)
			VALUES (NULL, '', '2026-11-19T09:00:00Z', '2026-11-21T09:00:00Z')
			RETURNING id)
		INSERT INTO core.person_erasure (person_id, module_id, next_try_at)
		SELECT id, 'rota', 'infinity' FROM erased`)
	const promised = `{"permissionId":"stage.plan.edit","expiresAt":null}`
	d.invited(t, "tea4@example.org", "'Tea 4'", "SENT", "7 days", "")
	d.invited(t, "welcome@example.org", "NULL", "REJECTED", "7 days",
		`{"permissionId":"stage.live.control","expiresAt":null},`+promised)
	d.invited(t, "reader9@example.org", "NULL", "SENT", "-1 day", promised)
}

// invited adds the newest invitation, with the name as SQL and the permissions as JSON.
func (d *peopleHouse) invited(t *testing.T, email, name, delivery, ends, grants string) {
	t.Helper()
	d.query(t, `
		INSERT INTO core.invitation (email, name, delivery, expires_at, grants, created_by)
		VALUES ($1, `+name+`, $2, now() + $3::interval, '['||$4||']', $5::uuid)
		RETURNING id::text`, email, delivery, ends, grants, d.coordinatorID)
}

// invitationOf returns the id of the invitation of an address.
func (d *devServer) invitationOf(t *testing.T, email string) string {
	t.Helper()
	return d.query(t, `SELECT id::text FROM core.invitation WHERE email = $1`, email)
}

// open opens People as the coordinator.
func (d *peopleHouse) open(t *testing.T) (*fixture, *tab) {
	t.Helper()
	h := d.front(t)
	h.session = d.coordinator
	p := h.open(peoplePath, desktop)
	p.waitForHeading("People")
	return h, p
}

// testPeopleScreens checks the screen as TestScreens checks the other screens.
func testPeopleScreens(t *testing.T, d *peopleHouse) {
	coordinator := func(_ *testing.T, h *fixture) { h.session = d.coordinator }
	menu := func(p *tab, id, item string) {
		waitForTableRow(p)
		p.clickSelector("[data-row='" + id + "'] [aria-haspopup=menu]")
		p.waitFor(`document.querySelector("[role=menuitem]")`)
		if item != "" {
			p.clickSelector("[role=menuitem]" + item)
			p.waitFor(`document.querySelector("dialog[open]")`)
		}
	}
	showInvited := func(p *tab, shown string) {
		waitForTableRow(p)
		p.runScript(`document.querySelectorAll(".d-segments input")[1].click()`)
		p.waitFor(`document.querySelector("` + shown + `")`)
	}
	openInvite := func(p *tab) {
		waitForTableRow(p)
		p.clickSelector(".d-page-header .d-primary")
		p.waitFor(`document.querySelector(".host-picker input")`)
	}
	d.invited(t, "sound2@example.org", "NULL", "NOT_CONFIGURED", "7 days", "")
	t.Run("Read", func(t *testing.T) {
		assertHouseScreens(t, d.devServer, []screenCase{
			{"W14-people", peoplePath, coordinator, waitForTableRow},
			{"W14-menu", peoplePath, coordinator, func(p *tab) { menu(p, d.former, "") }},
			{"W14-deactivate", peoplePath, coordinator, func(p *tab) { menu(p, d.reader, ":last-child") }},
			{"W14-erase", peoplePath, coordinator, func(p *tab) {
				menu(p, d.former, ".d-grave")
				p.clickSelector("dialog .d-danger")
				p.waitFor(`document.querySelector("dialog [aria-invalid=true]")`)
			}},
			{"W14-invited", peoplePath, coordinator, func(p *tab) { showInvited(p, ".host-invitations") }},
			{"W14-invite", peoplePath, coordinator, func(p *tab) {
				openInvite(p)
				p.typeInto("dialog textarea", "reader4@example.org, tea5@example.org\nsound2@example")
				p.clickSelector(".host-picker li label")
				p.waitForText("sound2@example")
			}},
			{"W14-failed", peoplePath, func(t *testing.T, h *fixture) {
				coordinator(t, h)
				h.respond("GET /api/v1/people", 503, `{"code":"STORE_UNAVAILABLE"}`)
			}, func(p *tab) { p.waitFor(`document.querySelector("main [role=alert]")`) }},
		})
	})
	d.exec(t, `TRUNCATE core.invitation`)
	t.Run("NobodyInvited", func(t *testing.T) {
		assertHouseScreens(t, d.devServer, []screenCase{
			{"W14-nobody-invited", peoplePath, coordinator, func(p *tab) { showInvited(p, ".d-empty") }},
		})
	})
	t.Run("Inviting", func(t *testing.T) {
		assertHouseScreens(t, d.devServer, []screenCase{
			{"W14-results", peoplePath, coordinator, func(p *tab) {
				openInvite(p)
				p.typeInto("dialog textarea", "reader4@example.org owner@example.org tea4@example.org")
				p.clickSelector("dialog .d-primary")
				p.waitFor(`document.querySelectorAll(".host-outcomes li").length === 3`)
			}},
		})
	})
}

// waitForRow waits until the row of a person or an invitation contains the words.
func (p *tab) waitForRow(id, words string) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf(`document.querySelector("[data-row='%s']").innerText.replace(/\s+/g, " ")
		.includes(%q)`, id, words))
}

// testInvite: an administrator pastes a list of addresses, picks permissions by name and sets an end. Each
// address has its own result, and only the refused ones can be tried again.
func testInvite(t *testing.T, d *peopleHouse) {
	h, p := d.open(t)
	p.click("button", "Invite people")
	p.click("button", "Invite")
	p.waitForVisibleText("Type or paste an e-mail address.")
	p.fill("E-mail addresses", "Tea 5 <tea5@example.org>; sound2@example, owner@example.org tea4@example.org")
	p.waitForVisibleText("1 entry cannot be read. The other people (3) are ready to be invited.")
	p.find("button", "Line 1: sound2@example")
	p.fill("E-mail addresses", "Tea 5 <tea5@example.org>; owner@example.org tea4@example.org")
	p.enter("searchbox", "Find a permission", "drive")
	p.click("checkbox", "Drive the screens during a service")
	p.enter("searchbox", "Find a permission", "write the orders")
	p.click("checkbox", "Write the orders of service and the songs")
	p.chooseDay("2030-12-31")
	p.click("button", "Invite 3 people")
	p.waitForVisibleText("owner@example.org: Has an account already")
	p.waitForVisibleText("tea5@example.org: Invited")
	p.waitForVisibleText("tea4@example.org: Invited again: only the new link works")
	if n := h.countRequests(inviteRoute); n != 1 {
		t.Errorf("three people are invited by %d requests, want one", n)
	}
	const promised = `{"permissionId":%q,"expiresAt":%q}`
	end := eval[string](p, `new Date("2030-12-31T00:00").toISOString()`)
	want := "Tea 5 [" + fmt.Sprintf(promised, "stage.live.control", end) + "," +
		fmt.Sprintf(promised, "stage.plan.edit", end) + "]"
	got := d.query(t, `SELECT name || ' ' || grants FROM core.invitation WHERE email = 'tea5@example.org'`)
	if got != want {
		t.Errorf("stored: %s, want %s", got, want)
	}
	d.emailedLink(t, "tea4@example.org")
	p.key("\x1b")
	p.waitForNone("dialog", "Invite people")
	p.waitFor(`document.activeElement.innerText === "Invite people"`)
	p.find("button", "Send again to Tea 5 (tea5@example.org)")
}

// testInviteRefused: addresses that could not be invited stay in the field, and the refusal is told once.
func testInviteRefused(t *testing.T, d *peopleHouse) {
	answer := func(status int, code string) func(h *fixture, p *tab) {
		return func(h *fixture, _ *tab) { h.respond(inviteRoute, status, `{"code":"`+code+`"}`) }
	}
	for name, row := range map[string]struct {
		before func(h *fixture, p *tab)
		words  string
	}{
		// A module that is removed ends with the house, and so does the dialog.
		"permission": {answer(400, "PERMISSION_UNKNOWN"),
			"Not invited: one of the permissions no longer exists here"},
		"forbidden": {func(h *fixture, p *tab) {
			t.Cleanup(h.withdraw(p, "coordinator@example.org", managePeople, "GET /api/v1/people"))
		}, noLongerTheir},
		"store": {answer(503, "STORE_UNAVAILABLE"), "That did not work just now."},
		"offline": {func(_ *fixture, p *tab) { p.offline(true) },
			"You are offline. Nothing is lost, nothing is saved yet."},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "store")
			d.setPeople(t)
			h, p := d.open(t)
			p.click("button", "Invite people")
			p.fill("E-mail addresses", "tea5@example.org")
			row.before(h, p)
			p.click("button", "Invite 1 person")
			p.waitForVisibleText(row.words)
			if name == "forbidden" {
				d.grant(t, d.coordinatorID, managePeople, "NULL")
			}
			h.restore(inviteRoute)
			p.offline(false)
			p.click("button", "Invite 1 person")
			p.waitForAnnouncement("1 person is invited")
		})
	}
}

// testInviteWithoutGrants: a person who does not manage permissions invites without permissions.
func testInviteWithoutGrants(t *testing.T, d *peopleHouse) {
	h := d.front(t)
	p := h.openAs(d.member(t, "Ada", managePeople), peoplePath, desktop)
	p.click("button", "Invite people")
	p.waitForVisibleText("Somebody who manages permissions gives them theirs when they have joined.")
	p.fill("E-mail addresses", "tea5@example.org")
	p.click("button", "Invite 1 person")
	p.waitForAnnouncement("1 person is invited")
	if got := d.query(t, `SELECT grants FROM core.invitation WHERE email = 'tea5@example.org'`); got != "[]" {
		t.Errorf("invited with %s, want no permissions", got)
	}
	if n := h.countRequests("GET /api/v1/permissions"); n != 0 {
		t.Errorf("%d requests for permissions that may not be read, want none", n)
	}
}

// testInvitations: the list shows the delivery of each email. An invitation can be sent again, and withdrawn
// after a confirmation.
func testInvitations(t *testing.T, d *peopleHouse) {
	h, p := d.open(t)
	p.click("radio", "Invited 3")
	p.find("button", "Send again to reader9@example.org")
	tea, welcome := d.invitationOf(t, "tea4@example.org"), d.invitationOf(t, "welcome@example.org")
	p.waitForRow(tea, "Invited Sent until")
	p.waitForRow(welcome, "Invited Not sent: address refused until")
	p.waitForRow(d.invitationOf(t, "reader9@example.org"), "Expired Sent until")

	p.click("button", "Send again to welcome@example.org")
	p.waitForAnnouncement("Sent again to welcome@example.org. Only the new link works.")
	d.emailedLink(t, "welcome@example.org")
	p.waitForRow(welcome, "Invited Sent until") // the page polls by itself
	setDelivery := func(delivery string) {
		d.exec(t, `UPDATE core.invitation SET delivery = '`+delivery+`' WHERE id = '`+welcome+`'`)
	}
	waittest.Until(t, "the email counts as sent", func() bool {
		return d.query(t, `SELECT delivery FROM core.invitation WHERE id = $1::uuid`, welcome) == "SENT"
	})
	setDelivery("QUEUED") // as at a slow mail server
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForText("Being sent")
	setDelivery("DEFERRED")
	p.waitForText("Not accepted yet: send again later")

	p.chooseMenuItem("More for "+teaFour, "Withdraw …")
	p.find("dialog", "Withdraw the invitation of "+teaFour+"?")
	p.key("\r") // the safe choice has the focus
	p.waitForNone("dialog", "Withdraw the invitation of "+teaFour+"?")
	if n := h.countRequests("POST /api/v1/invitations/" + tea + "/withdraw"); n != 0 {
		t.Errorf("%d requests without agreement, want none", n)
	}
	p.chooseMenuItem("More for "+teaFour, "Withdraw …")
	p.click("button", "Withdraw")
	p.waitForAnnouncement("The invitation of " + teaFour + " is withdrawn")
	p.waitForNone("button", "Send again to "+teaFour)
	if got := d.query(t, `SELECT state FROM core.invitation WHERE id = $1::uuid`, tea); got != "withdrawn" {
		t.Errorf("the invitation is %s, want withdrawn", got)
	}
}

// testInvitationsRefused: a change by somebody else is reported, and other failures can be retried.
func testInvitationsRefused(t *testing.T, d *peopleHouse) {
	for name, row := range map[string]struct {
		before func(id string)
		words  string
	}{
		"not open": {func(id string) { d.call(t, "POST", "/api/v1/invitations/"+id+"/withdraw", nil) },
			"This invitation was used or withdrawn meanwhile."},
		"gone": {func(id string) { d.exec(t, `DELETE FROM core.invitation WHERE id = '`+id+`'`) },
			"This invitation was used or withdrawn meanwhile."},
		"forbidden": {func(string) { d.revoke(t, "coordinator@example.org", managePeople) }, noLongerTheir},
		"too often": {func(id string) {
			d.exec(t, `UPDATE core.invitation SET sent_at = array_fill(now(), ARRAY[6]) WHERE id = '`+id+`'`)
		}, teaFour + " has had six invitations within a day. Try again tomorrow."},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "gone")
			d.setPeople(t)
			h, p := d.open(t)
			p.click("radio", "Invited 3")
			p.find("button", "Send again to "+teaFour)
			h.awaitRead(p)
			open := h.hold("GET /api/v1/invitations")
			row.before(d.invitationOf(t, "tea4@example.org"))
			p.click("button", "Send again to "+teaFour)
			open()
			p.waitForAnnouncement(row.words)
		})
	}
}

// testDeactivate: the consequences are shown before the decision, the owner and oneself cannot be
// deactivated, and the same menu reverses it.
func testDeactivate(t *testing.T, d *peopleHouse) {
	h, p := d.open(t)
	for _, name := range []string{"Owner", "Coordinator"} {
		p.click("button", "More for "+name)
		p.find("menuitem", "Permissions")
		if found := p.findAll("menuitem", "Deactivate …"); len(found) > 0 {
			t.Errorf("the menu for %s, about whom nothing can be decided, has a decision", name)
		}
		p.key("\x1b")
		p.waitForNone("menu", "")
	}
	p.click("button", "More for Erased person")
	p.find("menuitem", "Activity")
	if found := p.findAll("menuitem", ""); len(found) != 1 {
		t.Errorf("the menu for an erased person has %v, want their activity alone", found)
	}
	p.key("\x1b")
	p.waitForNone("menu", "")
	d.signIn(t, "reader1@example.org")
	p.chooseMenuItem("More for Reader 1", "Deactivate …")
	p.waitForVisibleText("They are signed out on every device, and can no longer sign in.")
	p.waitForVisibleText("Their permissions stay, and count again when you reactivate them.")
	p.key("\r") // the safe choice has the focus
	p.waitForNone("dialog", "Deactivate Reader 1 (reader1@example.org)?")
	if n := h.countWrites(); n != 0 {
		t.Errorf("%d writes without agreement, want none", n)
	}
	p.chooseMenuItem("More for Reader 1", "Deactivate …")
	p.click("button", "Deactivate")
	p.waitForAnnouncement("Reader 1 (reader1@example.org) is deactivated")
	p.waitForRow(d.reader, "Deactivated")
	sessions := d.query(t, `SELECT count(*)::text FROM core.session WHERE person_id = $1::uuid`, d.reader)
	if sessions != "0" {
		t.Errorf("Reader 1 has %s sessions, want none", sessions)
	}
	p.chooseMenuItem("More for Reader 1", "Reactivate")
	p.waitForAnnouncement("Reader 1 (reader1@example.org) can sign in again")
	d.signIn(t, "reader1@example.org")
}

// testDecisionsRefused: each refusal is explained for this person.
func testDecisionsRefused(t *testing.T, d *peopleHouse) {
	own := func(id string) { d.exec(t, `UPDATE core.platform_owner SET person_id = '`+id+`'`) }
	owner := d.idOf(t, "owner@example.org")
	for name, row := range map[string]struct {
		about, decision string
		before          func(h *fixture, p *tab)
		words           string
	}{
		"protected": {"Reader 1", "Deactivate …", func(*fixture, *tab) { own(d.reader) },
			"The owner’s account and your own stay as they are."},
		"erased": {"Words 2", "Reactivate", func(*fixture, *tab) {
			d.call(t, "POST", "/api/v1/people/"+d.former+"/erase", nil)
		}, "This person was erased."},
		"gone": {"Reader 1", "Deactivate …", func(*fixture, *tab) {
			d.exec(t, `DELETE FROM core.person WHERE id = '`+d.reader+`'`)
		}, "This person is no longer here."},
		"forbidden": {"Reader 1", "Deactivate …", func(*fixture, *tab) {
			d.revoke(t, "coordinator@example.org", managePeople)
		}, noLongerTheir},
		"store": {"Reader 1", "Deactivate …", func(h *fixture, _ *tab) {
			h.respond("POST /api/v1/people/"+d.reader+"/deactivate", 503, `{"code":"STORE_UNAVAILABLE"}`)
		}, "That did not work just now."},
		"offline": {"Reader 1", "Deactivate …", func(_ *fixture, p *tab) { p.offline(true) },
			"You are offline. Nothing is lost, nothing is saved yet."},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "store", "protected")
			d.setPeople(t)
			defer own(owner)
			h, p := d.open(t)
			p.find("button", "More for Reader 1")
			h.awaitRead(p)
			open := h.hold("GET /api/v1/people")
			row.before(h, p)
			p.chooseMenuItem("More for "+row.about, row.decision)
			if row.decision == "Deactivate …" {
				p.click("button", "Deactivate")
			}
			open()
			p.waitForAnnouncement(row.words)
			p.offline(false)
			if name == "store" {
				h.restore("POST /api/v1/people/" + d.reader + "/deactivate")
				p.click("button", "Try again")
				p.waitForAnnouncement("Reader 1 (reader1@example.org) is deactivated")
			}
		})
	}
	t.Run("holds more", func(t *testing.T) {
		usually(t, "holds more")
		d.setPeople(t)
		d.grant(t, d.reader, manageGrants, "NULL")
		p := d.front(t).openAs(d.member(t, "Ada", managePeople), peoplePath, desktop)
		p.chooseMenuItem("More for Reader 1", "Deactivate …")
		p.click("button", "Deactivate")
		p.waitForAnnouncement(
			"Only somebody who manages permissions can decide about Reader 1 (reader1@example.org).")
	})
}

// testErase: only a deactivated person can be erased, and only after typing their name. The modules that have
// not erased their data yet are shown.
func testErase(t *testing.T, d *peopleHouse) {
	// no module is asked before the test says so
	d.exec(t, `ALTER TABLE core.person_erasure ALTER next_try_at SET DEFAULT 'infinity'`)
	defer d.exec(t, `ALTER TABLE core.person_erasure ALTER next_try_at SET DEFAULT now()`)
	h, p := d.open(t)
	p.chooseMenuItem("More for Words 2", "Erase …")
	p.waitForVisibleText("This is permanent: nobody can undo it.")
	p.fill("Type “Words 2” to erase this person", "Words")
	p.key("\r")
	p.waitForVisibleText("This is not the name.")
	if n := h.countWrites(); n != 0 {
		t.Errorf("%d writes without the name, want none", n)
	}
	p.fill("Type “Words 2” to erase this person", " Words  2")
	d.call(t, "POST", "/api/v1/people/"+d.former+"/reactivate", nil)
	p.click("button", "Erase permanently")
	p.waitForVisibleText("Words 2 (words2@example.org) is active again. Deactivate them first.")
	d.call(t, "POST", "/api/v1/people/"+d.former+"/deactivate", nil)
	p.click("button", "Erase permanently")
	p.waitForAnnouncement("Words 2 (words2@example.org) is erased")
	p.waitForRow(d.former, "waits for Announcements, ")
	p.waitForNone("button", "More for Words 2")

	d.exec(t, `UPDATE core.person_erasure SET next_try_at = now()`)
	d.call(t, "POST", "/api/v1/people/"+d.reader+"/deactivate", nil)
	d.call(t, "POST", "/api/v1/people/"+d.reader+"/erase", nil) // the platform looks who has to be asked
	waittest.Until(t, "all modules have erased their data", func() bool {
		return d.query(t, `SELECT count(*)::text FROM core.person_erasure
			WHERE person_id = $1::uuid AND done_at IS NULL`, d.former) == "0"
	})
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForRow(d.former, "Erased since")
}

// testFindPeople: the server searches all people, and more are loaded page by page.
func testFindPeople(t *testing.T, d *peopleHouse) {
	d.exec(t, `
		INSERT INTO core.person (email, name)
		SELECT 'singer' || n || '@example.org', 'Singer ' || n FROM generate_series(0, 249) AS n`)
	_, p := d.open(t)
	p.waitForText("The first 100 are shown")
	rows := func(count int) {
		t.Helper()
		p.waitFor(fmt.Sprintf(`document.querySelectorAll(".host-people tbody tr").length === %d`, count))
	}
	p.click("button", "Show more")
	rows(200)
	p.click("button", "Show more")
	rows(256)
	p.enter("searchbox", "Name, e-mail or ID", "singer 24")
	rows(11)
	p.enter("searchbox", "Name, e-mail or ID", "nobody")
	p.waitForText("Nobody's name or e-mail begins with that.")
	p.enter("searchbox", "Name, e-mail or ID", "sound")
	rows(1)
}

// testPeopleOfTwo: a change by another administrator appears, and the loss of the permission is reported.
func testPeopleOfTwo(t *testing.T, d *peopleHouse) {
	ada := d.member(t, "Ada", managePeople) // who gives permissions, too, may still see everybody
	p := d.front(t).openAs(ada, peoplePath, desktop)
	p.find("button", "More for Reader 1")
	d.call(t, "POST", "/api/v1/people/"+d.reader+"/deactivate", nil)
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForRow(d.reader, "Deactivated")
	d.revoke(t, ada, managePeople)
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForText(noLongerTheir)
}
