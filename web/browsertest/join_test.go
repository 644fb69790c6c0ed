package browsertest

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

const (
	joinLink    = "/?service_auth=accept-invitation&token=se%2Bcret"
	inspectPath = "POST /api/v1/invitations/inspect"
	acceptPath  = "POST /api/v1/invitations/accept"
)

// invited makes the link of joinLink valid; name is the JSON of the name that the inviter gave, or null.
func invited(h *fixture, name string) {
	h.respond(inspectPath, 200, `{"email":"tea5@example.org","name":`+name+`}`)
	h.respond(acceptPath, 200, `{"ok":true}`)
	h.setNavigation(nil, nil)
}

// joinScreens are the states of the screen Join.
var joinScreens = []screenCase{
	{"W13-join", joinLink, func(_ *testing.T, h *fixture) { invited(h, "null") }, joinForm},
	{"W13-fields", joinLink, func(_ *testing.T, h *fixture) { invited(h, "null") }, func(p *tab) {
		joinForm(p)
		p.typeInto("[name=new-password]", "short")
		p.clickSelector("[type=submit]")
		p.waitFor(`document.querySelectorAll("[aria-invalid=true]").length === 2`)
	}},
	{"W13-dead", joinLink, func(_ *testing.T, h *fixture) {
		h.respond(inspectPath, 404, `{"code":"INVITATION_NOT_FOUND"}`)
	}, func(p *tab) { p.waitFor(`document.querySelector(".d-note.d-bad[role=alert]")`) }},
	{"W13-failed", joinLink, func(_ *testing.T, h *fixture) {
		invited(h, `"Tea 5"`)
		h.respond(acceptPath, 503, `{"code":"STORE_UNAVAILABLE"}`)
	}, func(p *tab) {
		joinForm(p)
		p.typeInto("[name=new-password]", "long enough")
		p.clickSelector("[type=submit]")
		p.waitFor(`document.querySelector(".d-note.d-bad[role=alert]")`)
	}},
	{"W13-unreachable", joinLink, func(_ *testing.T, h *fixture) {
		h.respond(inspectPath, 503, `{"code":"STORE_UNAVAILABLE"}`)
	}, func(p *tab) { p.waitFor(`document.querySelector(".d-card [role=alert]")`) }},
	{"W13-beside", joinLink, func(_ *testing.T, h *fixture) {
		invited(h, `"Tea 5"`)
		h.setSignedIn(person)
	}, joinForm},
	{"W13-joined", joinLink, func(_ *testing.T, h *fixture) {
		invited(h, `"Tea 5"`)
		h.setSignedIn(person)
	}, func(p *tab) {
		joinForm(p)
		p.typeInto("[name=new-password]", "long enough")
		p.clickSelector("[type=submit]")
		p.waitFor(`document.querySelector(".d-note.d-ok[role=alert]")`)
	}},
}

func joinForm(p *tab) { p.waitFor(`document.querySelector("[name=new-password]")`) }

// TestJoinScreens checks the screen Join as TestScreens checks the other screens.
func TestJoinScreens(t *testing.T) {
	t.Parallel()
	assertScreens(t, joinScreens)
}

// TestJoin: the token is only in memory and in request bodies, the address cannot be changed, and the new
// person is signed in with the chosen password.
func TestJoin(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	invited(h, `"Tea five"`)
	sent := make(chan string, 2)
	for route, status := range map[string]string{
		acceptPath: `{"ok":true}`, "POST /api/auth/sign-in/email": `{"token":null}`,
	} {
		h.handle(route, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			sent <- string(body)
			if strings.Contains(route, "sign-in") {
				h.setSignedIn(person)
			}
			reply(w, 200, status)
		})
	}
	p := openPage(t, h.URL+joinLink, desktop)
	p.waitForHeading("Join")
	if address := eval[string](p, "location.href"); address != h.URL+"/" {
		t.Errorf("the page is at %s, want %s/", address, h.URL)
	}
	fixed := eval[string](p, `[...document.querySelectorAll("[readonly]")].map(({ value }) => value).join()`)
	if fixed != "tea5@example.org" {
		t.Errorf("the fields that cannot be changed hold %q, want the address alone", fixed)
	}
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
	if got, want := <-sent, `{"token":"se+cret","name":"Tea 5","password":"eight888"}`; got != want {
		t.Errorf("joining sent %s, want %s", got, want)
	}
	if got, want := <-sent, `{"email":"tea5@example.org","password":"eight888"}`; got != want {
		t.Errorf("signing in sent %s, want %s", got, want)
	}
	want := []string{"GET /api/v1/principal", inspectPath}
	isHouse := func(asked string) bool { return strings.Contains(asked, "house") } // requested at any time
	if got := slices.DeleteFunc(h.requests(), isHouse); !slices.Equal(got[:2], want) {
		t.Errorf("asked %q, want %q first", got, want)
	}
	for _, asked := range h.requests() {
		if strings.Contains(asked, "se+cret") || strings.Contains(asked, "se%2Bcret") {
			t.Errorf("the token is in the address of %s", asked)
		}
	}
	kept := eval[string](p, stored)
	if strings.Contains(kept, "cret") || strings.Contains(kept, "eight888") {
		t.Errorf("kept in the browser: %s", kept)
	}
}

// TestJoinSignInFails: the account exists, so the person is sent to the sign-in form, which has the address
// filled in.
func TestJoinSignInFails(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	invited(h, `"Tea 5"`)
	h.respond("POST /api/auth/sign-in/email", 429, `{"code":"TOO_MANY_REQUESTS"}`)
	p := openPage(t, h.URL+joinLink, phone)
	p.fill("Password", "eight888")
	p.click("button", "Join")
	p.waitForText("Your account is ready.")
	p.waitForText("Sign in with tea5@example.org and your new password.")
	p.click("button", "Sign in")
	p.waitForHeading("Sign in")
	if value := eval[string](p, `document.querySelector("[type=email]").value`); value != "tea5@example.org" {
		t.Errorf("the address is %q, want tea5@example.org", value)
	}
}

// TestJoinWhileSignedIn: a link does not replace the session of a signed-in person.
func TestJoinWhileSignedIn(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	invited(h, `"Tea 5"`)
	h.setSignedIn(person)
	p := openPage(t, h.URL+joinLink, desktop)
	p.waitForHeading("Join")
	p.waitForText("You are signed in here already.")
	p.fill("Password", "eight888")
	p.click("button", "Join")
	p.waitForText("Sign out here first to sign in as tea5@example.org.")
	if n := h.countRequests("POST /api/auth/sign-in/email"); n != 0 {
		t.Errorf("%d sign-ins in the place of who is there, want none", n)
	}
	p.click("button", "Continue to Dashboard")
	p.waitForHome()
}

// TestJoinRefused: each refusal is explained, and the typed values stay where they can still be used.
func TestJoinRefused(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status      int
		code, words string
	}{
		"dead":      {404, "INVITATION_NOT_FOUND", "This invitation no longer works."},
		"name":      {400, "REQUEST_INVALID", "This name has characters that cannot be used."},
		"short":     {400, "PASSWORD_TOO_SHORT", "At least 8 characters: 1 more."},
		"long":      {400, "PASSWORD_TOO_LONG", "At most 128 characters."},
		"too often": {429, "TOO_MANY_REQUESTS", "You can try again in 10 s."},
		"store":     {503, "STORE_UNAVAILABLE", "STORE_UNAVAILABLE, "},
		"offline":   {0, "", "You are offline. Nothing is lost, nothing is saved yet."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t)
			invited(h, `"Tea 5"`)
			h.respond(acceptPath, row.status, `{"code":"`+row.code+`"}`)
			p := openPage(t, h.URL+joinLink, desktop)
			p.fill("Password", "eight888")
			p.offline(row.status == 0)
			p.click("button", "Join")
			p.waitForText(row.words)
			p.offline(false)
			if row.status == 404 {
				p.waitForText("Ask whoever invited you to send it again.")
				p.click("button", "Sign in")
				p.waitForHeading("Sign in")
				return
			}
			typed := eval[string](p, `document.querySelector("[name=new-password]").value`)
			if typed != "eight888" {
				t.Errorf("after %s the password is %q, want what was typed", row.code, typed)
			}
			if row.status == 429 {
				return // the button is enabled again by itself
			}
			h.respond(acceptPath, 200, `{"ok":true}`)
			p.click("button", "Join")
			p.waitForHome()
		})
	}
}

// TestJoinComesBack: a link that could not be checked yet is not shown as invalid.
func TestJoinComesBack(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.respond(inspectPath, 503, `{"code":"STORE_UNAVAILABLE"}`)
	p := openPage(t, h.URL+joinLink, desktop)
	p.waitForText("That did not work just now.")
	invited(h, "null")
	p.retry()
	p.waitForHeading("Join")
	p.find("textbox", "Your name")
}
