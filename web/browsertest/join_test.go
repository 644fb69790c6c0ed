package browsertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const (
	deadLink    = "/?service_auth=accept-invitation&token=se%2Bcret"
	inspectPath = "POST /api/v1/invitations/inspect"
	acceptPath  = "POST /api/v1/invitations/accept"
)

// sendInvitation invites somebody with a name, or nil, and returns their address, the path of their link and
// the invitation's id.
func (d *devServer) sendInvitation(t *testing.T, name any) (email, link, id string) {
	t.Helper()
	email = fmt.Sprintf("tea%d@example.org", members.Add(1))
	invitation := object{"email": email}
	if name != nil {
		invitation["name"] = name
	}
	id = d.call(t, "POST", "/api/v1/invitations", invitation)["id"].(string)
	return email, d.emailedLink(t, email), id
}

// invited lets a screen begin at the link of a new invitation.
func invited(name any) func(t *testing.T, h *fixture) {
	return func(t *testing.T, h *fixture) { _, h.begin, _ = h.house.sendInvitation(t, name) }
}

// invitedWithFault is invited, but a route of the API fails.
func invitedWithFault(route string) func(t *testing.T, h *fixture) {
	return func(t *testing.T, h *fixture) {
		invited("Tea 5")(t, h)
		h.respond(route, 503, `{"code":"STORE_UNAVAILABLE"}`)
	}
}

// invitedBeside is invited, but somebody is signed in already.
func invitedBeside(t *testing.T, h *fixture) {
	invited("Tea 5")(t, h)
	h.session = h.house.signIn(t, h.house.member(t, "Reader 1"))
}

// joinScreens are the states of the screen Join.
var joinScreens = []screenCase{
	{"W13-join", "", invited(nil), joinForm},
	{"W13-fields", "", invited(nil), func(p *tab) {
		joinForm(p)
		p.typeInto("[name=new-password]", "short")
		p.clickSelector("[type=submit]")
		p.waitFor(`document.querySelectorAll("[aria-invalid=true]").length === 2`)
	}},
	{"W13-dead", deadLink, nil, func(p *tab) {
		p.waitFor(`document.querySelector(".d-note.d-bad[role=alert]")`)
	}},
	{"W13-failed", "", invitedWithFault(acceptPath), func(p *tab) {
		joinForm(p)
		p.typeInto("[name=new-password]", "long enough")
		p.clickSelector("[type=submit]")
		p.waitFor(`document.querySelector(".d-note.d-bad[role=alert]")`)
	}},
	{"W13-unreachable", "", invitedWithFault(inspectPath), func(p *tab) {
		p.waitFor(`document.querySelector(".d-card [role=alert]")`)
	}},
	{"W13-beside", "", invitedBeside, joinForm},
	{"W13-joined", "", invitedBeside, func(p *tab) {
		joinForm(p)
		p.typeInto("[name=new-password]", "long enough")
		p.clickSelector("[type=submit]")
		p.waitFor(`document.querySelector(".d-note.d-ok[role=alert]")`)
	}},
}

func joinForm(p *tab) { p.waitFor(`document.querySelector("[name=new-password]")`) }

// TestJoining uses the screen Join with links of real invitations.
func TestJoining(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	for name, test := range map[string]func(t *testing.T, d *devServer){
		"Join":              testJoin,
		"JoinSignInFails":   testJoinSignInFails,
		"JoinWhileSignedIn": testJoinWhileSignedIn,
		"JoinRefused":       testJoinRefused,
		"JoinComesBack":     testJoinComesBack,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, d)
		})
	}
	// as TestScreens checks the other screens
	t.Run("screens", func(t *testing.T) {
		t.Parallel()
		assertHouseScreens(t, d, joinScreens)
	})
}

// testJoin: the token is only in memory and in request bodies, the address cannot be changed, and the new
// person is signed in with the chosen password.
func testJoin(t *testing.T, d *devServer) {
	h := d.front(t)
	email, link, _ := d.sendInvitation(t, "Tea five")
	_, token, _ := strings.Cut(link, "token=")
	p := openPage(t, h.URL+link, desktop)
	p.waitForHeading("Join")
	if address := eval[string](p, "location.href"); address != h.URL+"/" {
		t.Errorf("the page is at %s, want %s/", address, h.URL)
	}
	fixed := eval[string](p, `[...document.querySelectorAll("[readonly]")].map(({ value }) => value).join()`)
	if fixed != email {
		t.Errorf("the fields that cannot be changed hold %q, want the address alone", fixed)
	}
	p.waitFor(`document.querySelector("[autocomplete=name]").value === "Tea five"`)
	p.fill("Your name", " Tea 5 ")
	p.fill("Password", "seven77")
	p.click("button", "Join")
	p.waitForText("At least 8 characters: 1 more.")
	if n := h.countRequests(acceptPath); n != 0 {
		t.Errorf("%d requests with a password that is too short, want none", n)
	}
	p.fill("Password", "eight888")
	p.key("\r")
	p.waitForHome()
	p.find("button", "Tea 5, account")
	for route, want := range map[string]string{
		acceptPath:                     `{"token":"` + token + `","name":"Tea 5","password":"eight888"}`,
		"POST /api/auth/sign-in/email": `{"email":"` + email + `","password":"eight888"}`,
	} {
		if got := h.sent(route); got != want {
			t.Errorf("%s sent %s, want %s", route, got, want)
		}
	}
	want := []string{"GET /api/v1/principal", inspectPath}
	isHouse := func(asked string) bool { return strings.Contains(asked, "house") } // requested at any time
	if got := slices.DeleteFunc(h.requests(), isHouse); !slices.Equal(got[:2], want) {
		t.Errorf("asked %q, want %q first", got, want)
	}
	for _, asked := range h.requests() {
		if strings.Contains(asked, token) {
			t.Errorf("the token is in the address of %s", asked)
		}
	}
	if kept := eval[string](p, stored); strings.Contains(kept, token) || strings.Contains(kept, "eight888") {
		t.Errorf("kept in the browser: %s", kept)
	}
}

// testJoinSignInFails: the account exists, so the person is sent to the sign-in form, which has the address
// filled in.
func testJoinSignInFails(t *testing.T, d *devServer) {
	h := d.front(t)
	email, link, _ := d.sendInvitation(t, "Tea 5")
	h.respond("POST /api/auth/sign-in/email", 503, `{"code":"PRINCIPAL_RESOLUTION_FAILED"}`)
	p := openPage(t, h.URL+link, phone)
	p.fill("Password", "eight888")
	p.click("button", "Join")
	p.waitForText("Your account is ready.")
	p.waitForText("Sign in with " + email + " and your new password.")
	h.restore("POST /api/auth/sign-in/email")
	p.click("button", "Sign in")
	p.waitForHeading("Sign in")
	if value := eval[string](p, `document.querySelector("[type=email]").value`); value != email {
		t.Errorf("the address is %q, want %s", value, email)
	}
	p.fill("Password", "eight888")
	p.click("button", "Sign in")
	p.waitForHome()
}

// testJoinWhileSignedIn: a link does not replace the session of a signed-in person.
func testJoinWhileSignedIn(t *testing.T, d *devServer) {
	h := d.front(t)
	email, link, _ := d.sendInvitation(t, "Tea 5")
	p := h.openAs(d.member(t, "Reader 1"), link, desktop)
	p.waitForHeading("Join")
	p.waitForText("You are signed in here already.")
	p.fill("Password", "eight888")
	p.click("button", "Join")
	p.waitForText("Sign out here first to sign in as " + email + ".")
	if n := h.countRequests("POST /api/auth/sign-in/email"); n != 0 {
		t.Errorf("%d sign-ins in the place of who is there, want none", n)
	}
	p.click("button", "Continue to Dashboard")
	p.waitForHome()
	p.find("button", "Reader 1, account")
}

// testJoinRefused: each refusal is explained, and the typed values stay where they can still be used.
func testJoinRefused(t *testing.T, d *devServer) {
	fault := func(status int, code string) func(h *fixture, p *tab, id string) {
		return func(h *fixture, _ *tab, _ string) { h.respond(acceptPath, status, `{"code":"`+code+`"}`) }
	}
	for name, row := range map[string]struct {
		before func(h *fixture, p *tab, id string)
		words  string
	}{
		"dead": {func(_ *fixture, _ *tab, id string) {
			d.call(t, "POST", "/api/v1/invitations/"+id+"/withdraw", object{})
		}, "This invitation no longer works."},
		"name": {func(_ *fixture, p *tab, _ string) { p.fill("Your name", "Tea\u202e5") },
			"This has a character that nobody sees (U+202E)."},
		// The page checks the length itself, so the real platform is never asked.
		"short": {fault(400, "PASSWORD_TOO_SHORT"), "At least 8 characters: 1 more."},
		"long":  {fault(400, "PASSWORD_TOO_LONG"), "At most 128 characters."},
		"too often": {func(_ *fixture, p *tab, _ string) {
			p.runScript(`for (let n = 0; n < 30; n++) await fetch("/api/v1/invitations/accept", {
				method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" })`)
		}, "You can try again in "},
		"store": {fault(503, "STORE_UNAVAILABLE"), "STORE_UNAVAILABLE, "},
		"offline": {func(_ *fixture, p *tab, _ string) { p.offline(true) },
			"You are offline. Nothing is lost, nothing is saved yet."},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "dead", "name")
			t.Parallel()
			h := d.front(t)
			_, link, id := d.sendInvitation(t, "Tea 5")
			p := openPage(t, h.URL+link, desktop)
			p.fill("Password", "eight888")
			row.before(h, p, id)
			p.click("button", "Join")
			p.waitForText(row.words)
			p.offline(false)
			if name == "dead" {
				p.waitForText("Ask whoever invited you to send it again.")
				p.click("button", "Sign in")
				p.waitForHeading("Sign in")
				return
			}
			typed := eval[string](p, `document.querySelector("[name=new-password]").value`)
			if typed != "eight888" {
				t.Errorf("after the refusal the password is %q, want what was typed", typed)
			}
			if name == "too often" {
				return // the button is enabled again by itself
			}
			h.restore(acceptPath)
			p.fill("Your name", "Tea 5")
			p.click("button", "Join")
			p.waitForHome()
		})
	}
}

// testJoinComesBack: a link that could not be checked yet is not shown as invalid.
func testJoinComesBack(t *testing.T, d *devServer) {
	h := d.front(t)
	h.respond(inspectPath, 503, `{"code":"STORE_UNAVAILABLE"}`)
	_, link, _ := d.sendInvitation(t, nil)
	p := openPage(t, h.URL+link, desktop)
	p.waitForText("That did not work just now.")
	h.restore(inspectPath)
	p.retry()
	p.waitForHeading("Join")
	p.find("textbox", "Your name")
}
