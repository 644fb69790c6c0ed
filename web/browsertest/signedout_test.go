package browsertest

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// stored is everything that the browser stores for the page.
const stored = "JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), " +
	"document.cookie])"

// TestSignIn is the browser's part of walk-through 1.
func TestSignIn(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setNavigation(nil, []object{module("notes", "Notes", nil)})
	h.setModuleScript("notes", `container.textContent = "Here are the notes.";`)
	sent := make(chan string, 1)
	h.handle("POST /api/auth/sign-in/email", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent <- string(body)
		h.setSignedIn(person)
		reply(w, 200, `{"ok":true}`)
	})
	p := openPage(t, h.URL+"/?next=https://evil.example", desktop)
	p.waitForHeading("Sign in")
	p.fill("E-mail", " owner@example.org ")
	p.fill("Password", "correct horse battery")
	if kind := eval[string](p, "document.activeElement.type"); kind != "password" {
		t.Errorf("the field Password has the type %s, want password", kind)
	}
	p.click("button", "Sign in")
	p.find("navigation", "Modules")
	p.waitForHome()
	p.click("link", "Notes")
	p.waitForHeading("Notes")
	p.waitForText("Here are the notes.")
	if body := <-sent; body != `{"email":"owner@example.org","password":"correct horse battery"}` {
		t.Errorf("sent: %s", body)
	}
	want := []string{"GET /api/v1/principal", "GET /api/v1/house", "POST /api/auth/sign-in/email",
		"GET /api/v1/principal", "GET /api/v1/account", "GET /api/v1/dashboard/navigation"}
	requests := h.requests()
	slices.Sort(requests[4:6]) // these two are sent at the same time
	if !slices.Equal(requests[:6], want) {
		t.Errorf("requests: %q, want first %q", requests, want)
	}
	const lastModule = `[[["narthex.module","/api/v1/module-ui/notes/1.0.0"]],[],""]`
	if kept := eval[string](p, stored); kept != lastModule {
		t.Errorf("kept in the browser: %s, want the last module's script alone: %s", kept, lastModule)
	}
	if address := eval[string](p, "location.href"); address != h.URL+"/#/m/notes" {
		t.Errorf("at %s", address)
	}
}

func TestSignInRefusals(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		status int
		body   string
		words  string
	}{
		{"wrong pair", 401, `{"code":"INVALID_EMAIL_OR_PASSWORD"}`, "That e-mail and password do not match."},
		{"unverified", 403, `{"code":"EMAIL_NOT_VERIFIED"}`, "Confirm your e-mail first"},
		{"origin", 403, `{"code":"INVALID_ORIGIN"}`, "Sign-in does not work from this address."},
		{"address", 400, `{"code":"INVALID_EMAIL"}`, "Type an e-mail address like name@example.org."},
		{"failure", 500, `{"code":"IDENTITY_FAILED"}`, "IDENTITY_FAILED, "},
		{"no JSON", 502, `<html>`, "HTTP_502, "},
		{"success that nobody remembers", 200, `{"ok":true}`, "Your browser did not keep the sign-in."},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t)
			h.respond("POST /api/auth/sign-in/email", row.status, row.body)
			p := openPage(t, h.URL, phone)
			p.fill("E-mail", "owner@example.org")
			p.fill("Password", "correct horse battery")
			p.click("button", "Sign in")
			p.waitForText(row.words)
			value := eval[string](p, `document.querySelector("[name=current-password]").value`)
			if value != "correct horse battery" {
				t.Errorf("the password is %q", value)
			}
		})
	}
}

// TestTooManySignIns: the waiting time is shown and counted down, and the typed values stay.
func TestTooManySignIns(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setNavigation(nil, nil)
	h.handle("POST /api/auth/sign-in/email", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Retry-After", "2")
		reply(w, 429, `{"code":"TOO_MANY_REQUESTS"}`)
	})
	p := openClockModule(t, h.URL)
	p.fill("E-mail", "owner@example.org")
	p.fill("Password", "correct horse battery")
	p.click("button", "Sign in")
	p.waitForText("You can try again in 2 s.")
	p.waitFor(`document.querySelector("[type=submit]").disabled`)
	p.runScript("later(1000)")
	p.waitForText("You can try again in 1 second.")
	h.handle("POST /api/auth/sign-in/email", func(w http.ResponseWriter, _ *http.Request) {
		h.setSignedIn(person)
		reply(w, 200, `{"ok":true}`)
	})
	p.runScript("later(1000)")
	p.waitFor(`!document.querySelector("[type=submit]").disabled`)
	p.click("button", "Sign in")
	p.waitForText("Nothing here for you yet.")
}

// linkScreenRequests are all requests that loading the screen of an emailed link makes.
var linkScreenRequests = []string{"GET /api/v1/principal", "GET /api/v1/house"}

// TestConfirm is walk-throughs 2 and M3: loading the link changes nothing, and its token is kept only in
// memory.
func TestConfirm(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.respond("GET /api/auth/verify-email", 200, `{"status":true,"user":null}`)
	p := openPage(t, h.URL+"/?service_auth=verify-email&token=se%2Bcret", desktop)
	p.waitForHeading("Confirm your e-mail")
	address := eval[string](p, "location.href + history.length + document.referrer")
	if strings.Contains(address, "secret") || strings.Contains(address, "?") {
		t.Errorf("at %s", address)
	}
	if requests := h.requests(); !slices.Equal(requests, linkScreenRequests) {
		t.Errorf("loading asked %q, want %q", requests, linkScreenRequests)
	}
	p.click("button", "Confirm my e-mail")
	p.waitForText("Confirmed. Sign in.")
	if h.countRequests("GET /api/auth/verify-email?token=se%2Bcret") != 1 {
		t.Errorf("requests: %q", h.requests())
	}
	if kept := eval[string](p, stored); kept != `[[],[],""]` {
		t.Errorf("kept in the browser: %s", kept)
	}
	p.click("button", "Sign in")
	p.waitForHeading("Sign in")
}

func TestConfirmWithADeadLink(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.respond("GET /api/auth/verify-email", 401, `{"code":"TOKEN_EXPIRED"}`)
	h.respond("POST /api/auth/send-verification-email", 200, `{"status":true}`)
	p := openPage(t, h.URL+"/?service_auth=verify-email&token=t", phone)
	p.click("button", "Confirm my e-mail")
	p.waitForText("This link no longer works.")
	p.fill("E-mail", "member@example.org")
	p.click("button", "Send a new link")
	p.waitForText("If that address has an account, a link is on its way.")
	p.waitFor(
		`[...document.querySelectorAll("button")].some((button) => button.disabled && /^Send again in \d+ ` +
			`s$/.test(button.innerText))`,
	)
}

// TestChoosePassword is the last part of walk-through 3.
func TestChoosePassword(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	sent := make(chan string, 1)
	h.handle("POST /api/auth/reset-password", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent <- string(body)
		reply(w, 200, `{"status":true}`)
	})
	p := openPage(t, h.URL+"/?service_auth=reset-password&token=secret", desktop)
	p.waitForHeading("Choose a new password")
	p.fill("New password", "seven77")
	p.click("button", "Save new password")
	p.waitForText("At least 8 characters: 1 more.")
	p.fill("New password", strings.Repeat("x", 129))
	p.click("button", "Save new password")
	p.waitForText("At most 128 characters.")
	if requests := h.requests(); !slices.Equal(requests, linkScreenRequests) {
		t.Errorf("asked %q, want %q: nothing else before a good password", requests, linkScreenRequests)
	}
	p.fill("New password", "eight888")
	p.click("button", "Save new password")
	p.waitForText("Your other devices were signed out.")
	if body := <-sent; body != `{"newPassword":"eight888","token":"secret"}` {
		t.Errorf("sent: %s", body)
	}
	p.click("button", "Sign in")
	p.waitForHeading("Sign in")
}

func TestChoosePasswordWithADeadLink(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.respond("POST /api/auth/reset-password", 400, `{"code":"INVALID_TOKEN"}`)
	p := openPage(t, h.URL+"/?service_auth=reset-password&token=used", desktop)
	p.fill("New password", "eight888")
	p.click("button", "Save new password")
	p.waitForText("This link no longer works.")
	p.find("textbox", "E-mail")
	if value := eval[string](p, `document.querySelector("[name=new-password]").value`); value != "eight888" {
		t.Errorf("the password is %q", value)
	}
}

// TestLinkWhileSignedIn: an emailed link opens its screen even for a signed-in person.
func TestLinkWhileSignedIn(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	h.setNavigation(nil, nil)
	p := openPage(t, h.URL+"/?service_auth=verify-email&token=t", desktop)
	p.waitForHeading("Confirm your e-mail")
	p.click("button", "Continue to Dashboard")
	p.waitForHome()
	p.waitForText("Nothing here for you yet.")
	p.waitForText(person)
}

// TestForgotPassword: the response does not depend on the address, and what was typed need not be typed
// again.
func TestForgotPassword(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.respond("POST /api/auth/request-password-reset", 200, `{"status":true}`)
	p := openPage(t, h.URL, phone)
	p.fill("E-mail", "member@example.org")
	p.click("button", "Forgot password?")
	p.waitForHeading("Forgot your password?")
	if value := eval[string](p, `document.querySelector("[type=email]").value`); value != "member@example.org" {
		t.Errorf("the address is %q", value)
	}
	p.click("button", "Send link")
	p.waitForText("If that address has an account, a link is on its way.")
	p.click("button", "Back to sign in")
	p.waitForHeading("Sign in")
}

// TestNobodyIsSignedOutByAFailure is walk-through 4: a failed response is never treated as "anonymous".
func TestNobodyIsSignedOutByAFailure(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status int
		body   string
		words  string
	}{
		"store":      {503, `{"code":"PRINCIPAL_RESOLUTION_FAILED"}`, "We cannot check who you are right now."},
		"proxy":      {502, `<html>bad gateway</html>`, "We cannot check who you are right now."},
		"malformed":  {200, `{"kind":"somebody"}`, "The server gave an answer this page does not understand."},
		"no JSON":    {200, `<html>hello</html>`, "The server gave an answer this page does not understand."},
		"half of it": {200, `{"kind":"authenticated"}`, "The server gave an answer this page does not understand."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t)
			h.respond("GET /api/v1/principal", row.status, row.body)
			h.setNavigation(nil, []object{module("notes", "Notes", nil)})
			h.setModuleScript("notes", `container.textContent = "Here are the notes.";`)
			p := openPage(t, h.URL, desktop)
			p.waitForText(row.words)
			if found := p.findAll("heading", "Sign in"); len(found) > 0 ||
				h.countRequests("GET /api/v1/dashboard/navigation") > 0 {
				t.Error("it went on without knowing who is there")
			}
			h.setSignedIn(person)
			p.retry()
			p.waitForHome()
			p.find("link", "Notes")
		})
	}
}

// TestComesBackByItself: a failed request is retried without any action of the person.
func TestComesBackByItself(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.respond("GET /api/v1/principal", 503, `{"code":"PRINCIPAL_RESOLUTION_FAILED"}`)
	p := openPage(t, h.URL, desktop)
	p.waitForText("We cannot check who you are right now.")
	h.setAnonymous()
	p.waitForHeading("Sign in")
}

// TestUnusableOrigin: a page with an invalid API origin sends no requests.
func TestUnusableOrigin(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"ftp://church.example.org", "http://church.example.org/",
		"HTTP://church.example.org", "javascript:alert(1)", "church"} {
		h := newFixture(t)
		h.setOrigin(content)
		p := openPage(t, h.URL+"/?service_auth=verify-email&token=t", desktop)
		p.waitForText("This page was opened at an address that cannot be used.")
		if address := eval[string](p, "location.href"); address != h.URL+"/" {
			t.Errorf("at %s", address)
		}
		if requests := h.requests(); len(requests) > 0 {
			t.Errorf("%s: asked %q", content, requests)
		}
	}
}

// TestEmptyOrigin: a page without an API origin uses its own.
func TestEmptyOrigin(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setOrigin("")
	openPage(t, h.URL, desktop).waitForHeading("Sign in")
}

// TestSignOut is M5: the person is signed out only after the server has confirmed it, and every tab follows.
func TestSignOut(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	h.setNavigation(nil, []object{module("notes", "Notes", nil)})
	h.setModuleScript(
		"notes",
		`container.textContent = "Here are the notes."; return () => { window.gone = true; };`,
	)
	sent := make(chan string, 1)
	failing := true
	h.handle("POST /api/auth/sign-out", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent <- string(body)
		if failing {
			reply(w, 503, `{"code":"PRINCIPAL_RESOLUTION_FAILED"}`)
			return
		}
		h.setAnonymous()
		reply(w, 200, `{"success":true}`)
	})
	p := openPage(t, h.URL+"/#/m/notes", desktop)
	p.waitForText("Here are the notes.")
	second := p.openTab(h.URL + "/#/account")
	second.waitForHeading("Account")

	p.click("button", "Account")
	p.click("button", "Sign out")
	if body := <-sent; body != "{}" {
		t.Errorf("sent %s", body)
	}
	p.waitForAnnouncement("You are still signed in.")
	p.waitForText("Here are the notes.")
	failing = false
	p.click("button", "Try again")
	p.waitForHeading("Sign in")
	p.waitFor("window.gone")
	second.waitForHeading("Sign in")
	if address := eval[string](second, "location.href"); address != h.URL+"/#/" {
		t.Errorf("the other tab is at %s", address)
	}
}

// TestEnterAsksForALink: Enter submits every form that requests a link.
func TestEnterAsksForALink(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		path string
		walk func(p *tab)
	}{
		"forgot": {"/", func(p *tab) { p.click("button", "Forgot password?") }},
		"confirm": {"/?service_auth=verify-email&token=t", func(p *tab) {
			p.click("button", "Confirm my e-mail")
			p.waitForText("This link no longer works.")
		}},
		"choose": {"/?service_auth=reset-password&token=t", func(p *tab) {
			p.fill("New password", "eight888")
			p.key("\r")
			p.waitForText("This link no longer works.")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t)
			h.respond("GET /api/auth/verify-email", 401, `{"code":"TOKEN_EXPIRED"}`)
			h.respond("POST /api/auth/reset-password", 400, `{"code":"INVALID_TOKEN"}`)
			h.respond("POST /api/auth/request-password-reset", 200, `{"status":true}`)
			h.respond("POST /api/auth/send-verification-email", 200, `{"status":true}`)
			p := openPage(t, h.URL+row.path, desktop)
			row.walk(p)
			p.fill("E-mail", "member@example.org")
			p.key("\r")
			p.waitForText("If that address has an account, a link is on its way.")
		})
	}
}
