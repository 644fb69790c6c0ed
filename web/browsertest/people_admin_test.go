package browsertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// peopleScreens are the states of the screen People.
var peopleScreens = []screenCase{
	{"W14-people", "/#/admin/people", peopleOfHouse, waitForTableRow},
	{"W14-menu", "/#/admin/people", peopleOfHouse, func(p *tab) {
		waitForTableRow(p)
		p.clickSelector("[data-row='" + gone + "'] [aria-haspopup=menu]")
		p.waitFor(`document.querySelector("[role=menuitem]")`)
	}},
	{"W14-deactivate", "/#/admin/people", peopleOfHouse, func(p *tab) {
		waitForTableRow(p)
		p.clickSelector("[data-row='" + reader + "'] [aria-haspopup=menu]")
		p.clickSelector("[role=menuitem]:last-child")
		p.waitFor(`document.querySelector("dialog[open]")`)
	}},
	{"W14-erase", "/#/admin/people", peopleOfHouse, func(p *tab) {
		waitForTableRow(p)
		p.clickSelector("[data-row='" + gone + "'] [aria-haspopup=menu]")
		p.clickSelector("[role=menuitem].d-grave")
		p.waitFor(`document.querySelector("dialog input")`)
		p.clickSelector("dialog .d-danger")
		p.waitFor(`document.querySelector("dialog [aria-invalid=true]")`)
	}},
	{"W14-invited", "/#/admin/people", func(t *testing.T, h *fixture) {
		newPeopleFixture(t, h).invite("sound2@example.org", nil, "NOT_CONFIGURED", "open")
	}, showInvited},
	{"W14-nobody-invited", "/#/admin/people", func(t *testing.T, h *fixture) {
		newPeopleFixture(t, h).invitations = nil
	}, func(p *tab) {
		waitForTableRow(p)
		p.runScript(`document.querySelectorAll(".d-segments input")[1].click()`)
		p.waitFor(`document.querySelector(".d-empty")`)
	}},
	{"W14-invite", "/#/admin/people", peopleOfHouse, func(p *tab) {
		openInvite(p)
		p.typeInto("dialog textarea", "reader4@example.org, tea5@example.org\nsound2@example")
		p.clickSelector(".host-picker li label")
		p.waitForText("sound2@example")
	}},
	{"W14-results", "/#/admin/people", peopleOfHouse, func(p *tab) {
		openInvite(p)
		p.typeInto("dialog textarea", "reader4@example.org owner@example.org tea4@example.org")
		p.clickSelector("dialog .d-primary")
		p.waitFor(`document.querySelectorAll(".host-outcomes li").length === 3`)
	}},
	{"W14-failed", "/#/admin/people", func(t *testing.T, h *fixture) {
		newPeopleFixture(t, h)
		h.respond("GET /api/v1/people", 503, `{"code":"STORE_UNAVAILABLE"}`)
	}, func(p *tab) { p.waitFor(`document.querySelector("main [role=alert]")`) }},
}

func peopleOfHouse(t *testing.T, h *fixture) { newPeopleFixture(t, h) }

func showInvited(p *tab) {
	waitForTableRow(p)
	p.runScript(`document.querySelectorAll(".d-segments input")[1].click()`)
	p.waitFor(`document.querySelector(".host-invitations")`)
}

func openInvite(p *tab) {
	waitForTableRow(p)
	p.clickSelector(".d-page-header .d-primary")
	p.waitFor(`document.querySelector(".host-picker input")`)
}

// TestPeopleScreens checks the screen People as TestScreens checks the other screens.
func TestPeopleScreens(t *testing.T) {
	t.Parallel()
	assertScreens(t, peopleScreens)
}

// openPeople opens the screen People.
func openPeople(t *testing.T, f *peopleFixture) *tab {
	t.Helper()
	p := openPage(t, f.URL+"/#/admin/people", desktop)
	p.waitForHeading("People")
	return p
}

// waitForRow waits until a person's row contains the words.
func (p *tab) waitForRow(id, words string) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf(`document.querySelector("[data-row='%s']").innerText.includes(%q)`, id, words))
}

// row returns the text of a person's row.
func (p *tab) row(id string) string {
	p.t.Helper()
	return eval[string](p, `document.querySelector("[data-row='`+id+`']").innerText.replace(/\s+/g, " ")`)
}

// TestInvitePeople: an administrator pastes a list of addresses, picks permissions by name and sets an end.
// Each address has its own result, and only the refused ones can be tried again.
func TestInvitePeople(t *testing.T) {
	t.Parallel()
	f := newPeopleFixture(t, newFixture(t))
	p := openPeople(t, f)
	p.click("button", "Invite people")
	p.click("button", "Invite")
	p.waitForVisibleText("Type or paste an e-mail address.")
	p.fill("E-mail addresses", "Tea 5 <tea5@example.org>; sound2@example, owner@example.org tea4@example.org")
	p.waitForVisibleText("1 entry cannot be read. The other people (3) are ready to be invited.")
	p.find("button", "Line 1: sound2@example")
	p.fill("E-mail addresses", "Tea 5 <tea5@example.org>; owner@example.org tea4@example.org")
	p.enter("searchbox", "Find a permission", "drive")
	p.click("checkbox", "Drive the stage")
	p.enter("searchbox", "Find a permission", "edit")
	p.click("checkbox", "Edit the plan")
	p.runScript(`
		const day = document.querySelector("dialog [type=date]");
		day.value = "2030-12-31";
		day.dispatchEvent(new Event("input", { bubbles: true }));`)
	p.click("button", "Invite 3 people")
	p.waitForVisibleText("owner@example.org: Has an account already")
	p.waitForVisibleText("tea5@example.org: Invited")
	p.waitForVisibleText("tea4@example.org: Invited again: only the new link works")
	end := eval[string](p, `new Date("2030-12-31T00:00").toISOString()`)
	want := fmt.Sprintf(`{"Email":"tea5@example.org","Name":"Tea 5","Grants":[`+
		`{"expiresAt":%[1]q,"permissionId":"stage.live.control"},`+
		`{"expiresAt":%[1]q,"permissionId":"stage.plan.edit"}]}`, end)
	if len(f.sent) != 3 || f.sent[0] != want {
		t.Errorf("sent %q, want 3 invitations and %s first", f.sent, want)
	}
	p.key("\x1b")
	p.waitForNone("dialog", "Invite people")
	p.waitFor(`document.activeElement.innerText === "Invite people"`)
	p.find("button", "Send again to Tea 5 (tea5@example.org)")
}

// TestInviteRefused: addresses that could not be invited stay in the field, and the refusal is told once.
func TestInviteRefused(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status      int
		code, words string
	}{
		"permission": {400, "PERMISSION_UNKNOWN", "Not invited: one of the permissions no longer exists here"},
		"forbidden": {403, "PERMISSION_DENIED",
			"You no longer have access (Invite, deactivate and erase people)."},
		"store":   {503, "STORE_UNAVAILABLE", "That did not work just now."},
		"offline": {0, "", "You are offline. Nothing is lost, nothing is saved yet."},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "store")
			t.Parallel()
			f := newPeopleFixture(t, newFixture(t))
			p := openPeople(t, f)
			p.click("button", "Invite people")
			p.fill("E-mail addresses", "tea5@example.org")
			f.refuseWith(row.status, row.code)
			p.offline(row.status == 0)
			p.click("button", "Invite 1 person")
			p.waitForVisibleText(row.words)
			p.offline(false)
			p.click("button", "Invite 1 person")
			p.waitForAnnouncement("1 person is invited")
		})
	}
}

// TestInviteWithoutGrants: a person who does not manage permissions invites without permissions.
func TestInviteWithoutGrants(t *testing.T) {
	t.Parallel()
	f := newPeopleFixture(t, newFixture(t), "core.people.manage")
	f.respond("GET /api/v1/permissions", 403, `{"code":"PERMISSION_DENIED"}`)
	p := openPeople(t, f)
	p.click("button", "Invite people")
	p.waitForVisibleText("Somebody who manages permissions gives them theirs when they have joined.")
	p.fill("E-mail addresses", "tea5@example.org")
	p.click("button", "Invite 1 person")
	p.waitForAnnouncement("1 person is invited")
	if want := `{"Email":"tea5@example.org","Name":null,"Grants":[]}`; !slices.Equal(f.sent, []string{want}) {
		t.Errorf("sent %q, want %s", f.sent, want)
	}
	if n := f.countRequests("GET /api/v1/permissions"); n != 0 {
		t.Errorf("%d requests for permissions that may not be read, want none", n)
	}
}

// TestInvitations: the list shows the delivery of each email. An invitation can be sent again, and withdrawn
// after a confirmation.
func TestInvitations(t *testing.T) {
	t.Parallel()
	f := newPeopleFixture(t, newFixture(t))
	p := openPeople(t, f)
	p.click("radio", "Invited 3")
	p.find("button", "Send again to reader9@example.org")
	for id, want := range map[string]string{
		"invitation-1": "Invited Sent until", "invitation-2": "Invited Not sent: address refused until",
		"invitation-3": "Expired Sent until",
	} {
		if got := p.row(id); !strings.Contains(got, want) {
			t.Errorf("the row of %s says %q, want %q", id, got, want)
		}
	}
	f.delivery = "QUEUED"
	p.click("button", "Send again to welcome@example.org")
	p.waitForAnnouncement("Sent again to welcome@example.org. Only the new link works.")
	p.waitForText("Being sent")
	f.mu.Lock()
	f.invitations[1]["delivery"] = "DEFERRED"
	f.mu.Unlock()
	p.waitForText("Not accepted yet: send again later") // the page polls by itself
	p.chooseMenuItem("More for Tea 4 (tea4@example.org)", "Withdraw …")
	p.find("dialog", "Withdraw the invitation of Tea 4 (tea4@example.org)?")
	p.key("\r") // the safe choice has the focus
	p.waitForNone("dialog", "Withdraw the invitation of Tea 4 (tea4@example.org)?")
	if n := f.countRequests("POST /api/v1/invitations/invitation-1/withdraw"); n != 0 {
		t.Errorf("%d requests without agreement, want none", n)
	}
	p.chooseMenuItem("More for Tea 4 (tea4@example.org)", "Withdraw …")
	p.click("button", "Withdraw")
	p.waitForAnnouncement("The invitation of Tea 4 (tea4@example.org) is withdrawn")
	p.waitForNone("button", "Send again to Tea 4 (tea4@example.org)")
}

// TestInvitationsRefused: a change by somebody else is reported, and other failures can be retried.
func TestInvitationsRefused(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status      int
		code, words string
	}{
		"not open": {409, "INVITATION_NOT_OPEN", "This invitation was used or withdrawn meanwhile."},
		"gone":     {404, "INVITATION_NOT_FOUND", "This invitation was used or withdrawn meanwhile."},
		"forbidden": {403, "PERMISSION_DENIED",
			"You no longer have access (Invite, deactivate and erase people)."},
		"too often": {429, "TOO_MANY_REQUESTS",
			"Tea 4 (tea4@example.org) has had six invitations within a day. Try again tomorrow."},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "gone")
			t.Parallel()
			f := newPeopleFixture(t, newFixture(t))
			p := openPeople(t, f)
			p.click("radio", "Invited 3")
			p.find("button", "Send again to Tea 4 (tea4@example.org)")
			f.refuseWith(row.status, row.code)
			p.click("button", "Send again to Tea 4 (tea4@example.org)")
			p.waitForAnnouncement(row.words)
		})
	}
}

// TestDeactivate: the consequences are shown before the decision, the owner and oneself cannot be
// deactivated, and the same menu reverses it.
func TestDeactivate(t *testing.T) {
	t.Parallel()
	f := newPeopleFixture(t, newFixture(t), "core.people.manage", "core.authorization.grants.manage")
	p := openPeople(t, f)
	for _, name := range []string{"Owner", "Coordinator"} {
		p.click("button", "More for "+name)
		p.find("menuitem", "Permissions")
		if found := p.findAll("menuitem", "Deactivate …"); len(found) > 0 {
			t.Errorf("the menu for %s, about whom nothing can be decided, has a decision", name)
		}
		p.key("\x1b")
		p.waitForNone("menu", "")
	}
	if found := p.findAll("button", "More for Erased person"); len(found) > 0 {
		t.Error("there is a menu for an erased person")
	}
	p.chooseMenuItem("More for Reader 1", "Deactivate …")
	p.waitForVisibleText("They are signed out on every device, and can no longer sign in.")
	p.waitForVisibleText("Their permissions stay, and count again when you reactivate them.")
	p.key("\r") // the safe choice has the focus
	p.waitForNone("dialog", "Deactivate Reader 1 (reader1@example.org)?")
	if n := f.countWrites(); n != 0 {
		t.Errorf("%d writes without agreement, want none", n)
	}
	p.chooseMenuItem("More for Reader 1", "Deactivate …")
	p.click("button", "Deactivate")
	p.waitForAnnouncement("Reader 1 (reader1@example.org) is deactivated")
	p.waitForRow(reader, "Deactivated")
	p.chooseMenuItem("More for Reader 1", "Reactivate")
	p.waitForAnnouncement("Reader 1 (reader1@example.org) can sign in again")
}

// TestDecisionsRefused: each refusal is explained for this person.
func TestDecisionsRefused(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status      int
		code, words string
		permissions []string
	}{
		"protected": {409, "PERSON_PROTECTED", "The owner’s account and your own stay as they are.", nil},
		"erased":    {409, "PERSON_ERASED", "This person was erased.", nil},
		"gone":      {404, "USER_NOT_FOUND", "This person is no longer here.", nil},
		"forbidden": {403, "PERMISSION_DENIED",
			"You no longer have access (Invite, deactivate and erase people).", nil},
		"holds more": {403, "PERMISSION_DENIED",
			"Only somebody who manages permissions can decide about Reader 1 (reader1@example.org).",
			[]string{"core.people.manage"}},
		"store":   {503, "STORE_UNAVAILABLE", "That did not work just now.", nil},
		"offline": {0, "", "You are offline. Nothing is lost, nothing is saved yet.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "store")
			t.Parallel()
			f := newPeopleFixture(t, newFixture(t), row.permissions...)
			p := openPeople(t, f)
			p.chooseMenuItem("More for Reader 1", "Deactivate …")
			f.refuseWith(row.status, row.code)
			p.offline(row.status == 0)
			p.click("button", "Deactivate")
			p.waitForAnnouncement(row.words)
			p.offline(false)
			if row.status == 503 {
				p.click("button", "Try again")
				p.waitForAnnouncement("Reader 1 (reader1@example.org) is deactivated")
			}
		})
	}
}

// TestErase: only a deactivated person can be erased, and only after typing their name. The modules that have
// not erased their data yet are shown.
func TestErase(t *testing.T) {
	t.Parallel()
	f := newPeopleFixture(t, newFixture(t))
	p := openPeople(t, f)
	p.chooseMenuItem("More for Words 2", "Erase …")
	p.waitForVisibleText("This is permanent: nobody can undo it.")
	p.fill("Type “Words 2” to erase this person", "Words")
	p.key("\r")
	p.waitForVisibleText("This is not the name.")
	if n := f.countWrites(); n != 0 {
		t.Errorf("%d writes without the name, want none", n)
	}
	p.fill("Type “Words 2” to erase this person", " Words  2")
	f.refuseWith(409, "PERSON_ACTIVE")
	p.click("button", "Erase permanently")
	p.waitForVisibleText("Words 2 (words2@example.org) is active again. Deactivate them first.")
	p.click("button", "Erase permanently")
	p.waitForAnnouncement("Words 2 (words2@example.org) is erased")
	p.waitForRow(gone, "waits for Rota and Songs")
	p.waitForNone("button", "More for Words 2")
}

// TestFindPeople: the server searches all people, and more are loaded page by page.
func TestFindPeople(t *testing.T) {
	t.Parallel()
	f := newPeopleFixture(t, newFixture(t))
	for i := range 250 {
		id := fmt.Sprintf("44444444-4444-4444-8444-%012d", i)
		f.people = append(f.people,
			f.complete(object{"userId": id, "name": fmt.Sprintf("Singer %d", i), "email": nil}))
	}
	p := openPeople(t, f)
	p.waitForText("The first 200 are shown")
	p.enter("searchbox", "Name, e-mail or ID", "singer 24")
	p.waitFor(`document.querySelectorAll(".host-people tbody tr").length === 11`)
	p.enter("searchbox", "Name, e-mail or ID", "nobody")
	p.waitForText("Nobody's name or e-mail begins with that.")
	p.enter("searchbox", "Name, e-mail or ID", "sound")
	p.waitFor(`document.querySelectorAll(".host-people tbody tr").length === 1`)
}

// TestPeopleOfTwo: a change by another administrator appears, and the loss of the permission is reported.
func TestPeopleOfTwo(t *testing.T) {
	t.Parallel()
	f := newPeopleFixture(t, newFixture(t))
	p := openPeople(t, f)
	p.find("button", "More for Reader 1")
	f.mu.Lock()
	f.people[3]["deactivatedAt"] = "2026-11-22T09:00:00.000Z"
	f.mu.Unlock()
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForRow(reader, "Deactivated")
	f.respond("GET /api/v1/people", 403, `{"code":"PERMISSION_DENIED"}`)
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForText("You no longer have access (Invite, deactivate and erase people).")
}
