package browsertest

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// stored is everything that the browser keeps for the page.
const stored = "JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), " +
	"document.cookie])"

// TestSignIn is walk-through 1, as far as the browser goes.
func TestSignIn(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.navigation(nil, []object{module("notes", "Notes", nil)})
	h.script("notes", `container.textContent = "Here are the notes.";`)
	sent := make(chan string, 1)
	h.on("POST /api/auth/sign-in/email", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent <- string(body)
		h.signedIn(person)
		reply(w, 200, `{"ok":true}`)
	})
	p := open(t, h.URL+"/?next=https://evil.example", desktop)
	p.headed("Sign in")
	p.fill("E-mail", " owner@example.org ")
	p.fill("Password", "correct horse battery")
	p.press("button", "Sign in")
	p.find("navigation", "Modules")
	p.home()
	p.press("link", "Notes")
	p.headed("Notes")
	p.says("Here are the notes.")
	if body := <-sent; body != `{"email":"owner@example.org","password":"correct horse battery"}` {
		t.Errorf("sent: %s", body)
	}
	want := []string{"GET /api/v1/principal", "GET /api/v1/house", "POST /api/auth/sign-in/email",
		"GET /api/v1/principal", "GET /api/v1/dashboard/navigation", "GET /api/v1/account"}
	if requests := h.requests(); !slices.Equal(requests[:6], want) {
		t.Errorf("requests: %q", requests)
	}
	if kept := eval[string](p, stored); kept != `[[],[],""]` {
		t.Errorf("kept in the browser: %s", kept)
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
			h := setup(t)
			h.answer("POST /api/auth/sign-in/email", row.status, row.body)
			p := open(t, h.URL, phone)
			p.fill("E-mail", "owner@example.org")
			p.fill("Password", "correct horse battery")
			p.press("button", "Sign in")
			p.says(row.words)
			value := eval[string](p, `document.querySelector("[name=current-password]").value`)
			if value != "correct horse battery" {
				t.Errorf("the password is %q", value)
			}
		})
	}
}

// TestTooManySignIns: the wait is told, counted down and over; what was typed stays.
func TestTooManySignIns(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.navigation(nil, nil)
	h.on("POST /api/auth/sign-in/email", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Retry-After", "2")
		reply(w, 429, `{"code":"TOO_MANY_REQUESTS"}`)
	})
	p := clocked(t, h.URL)
	p.fill("E-mail", "owner@example.org")
	p.fill("Password", "correct horse battery")
	p.press("button", "Sign in")
	p.says("You can try again in 2 s.")
	p.wait(`document.querySelector("[type=submit]").disabled`)
	p.run("later(1000)")
	p.says("You can try again in 1 second.")
	h.on("POST /api/auth/sign-in/email", func(w http.ResponseWriter, _ *http.Request) {
		h.signedIn(person)
		reply(w, 200, `{"ok":true}`)
	})
	p.run("later(1000)")
	p.wait(`!document.querySelector("[type=submit]").disabled`)
	p.press("button", "Sign in")
	p.says("Nothing here for you yet.")
}

// linkScreenRequests are all that loading the screen of an emailed link asks for.
var linkScreenRequests = []string{"GET /api/v1/principal", "GET /api/v1/house"}

// TestConfirm is walk-throughs 2 and M3: loading the link changes nothing, and its token is nowhere but in
// memory.
func TestConfirm(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.answer("GET /api/auth/verify-email", 200, `{"status":true,"user":null}`)
	p := open(t, h.URL+"/?service_auth=verify-email&token=se%2Bcret", desktop)
	p.headed("Confirm your e-mail")
	address := eval[string](p, "location.href + history.length + document.referrer")
	if strings.Contains(address, "secret") || strings.Contains(address, "?") {
		t.Errorf("at %s", address)
	}
	if requests := h.requests(); !slices.Equal(requests, linkScreenRequests) {
		t.Errorf("loading asked %q, want %q", requests, linkScreenRequests)
	}
	p.press("button", "Confirm my e-mail")
	p.says("Confirmed. Sign in.")
	if h.count("GET /api/auth/verify-email?token=se%2Bcret") != 1 {
		t.Errorf("requests: %q", h.requests())
	}
	if kept := eval[string](p, stored); kept != `[[],[],""]` {
		t.Errorf("kept in the browser: %s", kept)
	}
	p.press("button", "Sign in")
	p.headed("Sign in")
}

func TestConfirmWithADeadLink(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.answer("GET /api/auth/verify-email", 401, `{"code":"TOKEN_EXPIRED"}`)
	h.answer("POST /api/auth/send-verification-email", 200, `{"status":true}`)
	p := open(t, h.URL+"/?service_auth=verify-email&token=t", phone)
	p.press("button", "Confirm my e-mail")
	p.says("This link no longer works.")
	p.fill("E-mail", "member@example.org")
	p.press("button", "Send a new link")
	p.says("If that address has an account, a link is on its way.")
	p.wait(`[...document.querySelectorAll("button")].some((button) => button.disabled && /^Send again in \d+ ` +
		`s$/.test(button.innerText))`)
}

// TestChoosePassword is the last part of walk-through 3.
func TestChoosePassword(t *testing.T) {
	t.Parallel()
	h := setup(t)
	sent := make(chan string, 1)
	h.on("POST /api/auth/reset-password", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent <- string(body)
		reply(w, 200, `{"status":true}`)
	})
	p := open(t, h.URL+"/?service_auth=reset-password&token=secret", desktop)
	p.headed("Choose a new password")
	p.fill("New password", "seven77")
	p.press("button", "Save new password")
	p.says("At least 8 characters: 1 more.")
	p.fill("New password", strings.Repeat("x", 129))
	p.press("button", "Save new password")
	p.says("At most 128 characters.")
	if requests := h.requests(); !slices.Equal(requests, linkScreenRequests) {
		t.Errorf("asked %q, want %q: nothing else before a good password", requests, linkScreenRequests)
	}
	p.fill("New password", "eight888")
	p.press("button", "Save new password")
	p.says("Your other devices were signed out.")
	if body := <-sent; body != `{"newPassword":"eight888","token":"secret"}` {
		t.Errorf("sent: %s", body)
	}
	p.press("button", "Sign in")
	p.headed("Sign in")
}

func TestChoosePasswordWithADeadLink(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.answer("POST /api/auth/reset-password", 400, `{"code":"INVALID_TOKEN"}`)
	p := open(t, h.URL+"/?service_auth=reset-password&token=used", desktop)
	p.fill("New password", "eight888")
	p.press("button", "Save new password")
	p.says("This link no longer works.")
	p.find("textbox", "E-mail")
	if value := eval[string](p, `document.querySelector("[name=new-password]").value`); value != "eight888" {
		t.Errorf("the password is %q", value)
	}
}

// TestLinkWhileSignedIn: an emailed link shows its screen first.
func TestLinkWhileSignedIn(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.signedIn(person)
	h.navigation(nil, nil)
	p := open(t, h.URL+"/?service_auth=verify-email&token=t", desktop)
	p.headed("Confirm your e-mail")
	p.press("button", "Continue to Dashboard")
	p.home()
	p.says("Nothing here for you yet.")
	p.says(person)
}

// TestForgotPassword: what is said does not depend on the address, and what was typed need not be typed
// again.
func TestForgotPassword(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.answer("POST /api/auth/request-password-reset", 200, `{"status":true}`)
	p := open(t, h.URL, phone)
	p.fill("E-mail", "member@example.org")
	p.press("button", "Forgot password?")
	p.headed("Forgot your password?")
	if value := eval[string](p, `document.querySelector("[type=email]").value`); value != "member@example.org" {
		t.Errorf("the address is %q", value)
	}
	p.press("button", "Send link")
	p.says("If that address has an account, a link is on its way.")
	p.press("button", "Back to sign in")
	p.headed("Sign in")
}

// TestNobodyIsSignedOutByAFailure is walk-through 4: an answer that says nothing is never "anonymous".
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
			h := setup(t)
			h.answer("GET /api/v1/principal", row.status, row.body)
			h.navigation(nil, []object{module("notes", "Notes", nil)})
			h.script("notes", `container.textContent = "Here are the notes.";`)
			p := open(t, h.URL, desktop)
			p.says(row.words)
			if found := p.all("heading", "Sign in"); len(found) > 0 ||
				h.count("GET /api/v1/dashboard/navigation") > 0 {
				t.Error("it went on without knowing who is there")
			}
			h.signedIn(person)
			p.retry()
			p.home()
			p.find("link", "Notes")
		})
	}
}

// TestComesBackByItself: what failed is tried again without anybody's doing.
func TestComesBackByItself(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.answer("GET /api/v1/principal", 503, `{"code":"PRINCIPAL_RESOLUTION_FAILED"}`)
	p := open(t, h.URL, desktop)
	p.says("We cannot check who you are right now.")
	h.anonymous()
	p.headed("Sign in")
}

// TestUnusableOrigin: a page that was built or filled wrongly asks nobody for anything.
func TestUnusableOrigin(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"ftp://church.example.org", "http://church.example.org/",
		"HTTP://church.example.org", "javascript:alert(1)", "church"} {
		h := setup(t)
		h.content(content)
		p := open(t, h.URL+"/?service_auth=verify-email&token=t", desktop)
		p.says("This page has an address it cannot use.")
		if address := eval[string](p, "location.href"); address != h.URL+"/" {
			t.Errorf("at %s", address)
		}
		if requests := h.requests(); len(requests) > 0 {
			t.Errorf("%s: asked %q", content, requests)
		}
	}
}

// TestEmptyOrigin: a page that says nothing of the API's origin uses its own.
func TestEmptyOrigin(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.content("")
	open(t, h.URL, desktop).headed("Sign in")
}

// TestSignOut is M5: it is the server's word that counts, and every tab follows.
func TestSignOut(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.signedIn(person)
	h.navigation(nil, []object{module("notes", "Notes", nil)})
	h.script("notes", `container.textContent = "Here are the notes."; return () => { window.gone = true; };`)
	sent := make(chan string, 1)
	failing := true
	h.on("POST /api/auth/sign-out", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent <- string(body)
		if failing {
			reply(w, 503, `{"code":"PRINCIPAL_RESOLUTION_FAILED"}`)
			return
		}
		h.anonymous()
		reply(w, 200, `{"success":true}`)
	})
	p := open(t, h.URL+"/#/m/notes", desktop)
	p.says("Here are the notes.")
	second := p.another(h.URL + "/#/account")
	second.headed("Account")

	p.press("button", "Account")
	p.press("button", "Sign out")
	if body := <-sent; body != "{}" {
		t.Errorf("sent %s", body)
	}
	p.hears("You are still signed in.")
	p.says("Here are the notes.")
	failing = false
	p.press("button", "Try again")
	p.headed("Sign in")
	p.wait("window.gone")
	second.headed("Sign in")
	if address := eval[string](second, "location.href"); address != h.URL+"/#/" {
		t.Errorf("the other tab is at %s", address)
	}
}

// TestEnterAsksForALink: every form for a link is sent by Enter, as a form is.
func TestEnterAsksForALink(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		path string
		walk func(p *tab)
	}{
		"forgot": {"/", func(p *tab) { p.press("button", "Forgot password?") }},
		"confirm": {"/?service_auth=verify-email&token=t", func(p *tab) {
			p.press("button", "Confirm my e-mail")
			p.says("This link no longer works.")
		}},
		"choose": {"/?service_auth=reset-password&token=t", func(p *tab) {
			p.fill("New password", "eight888")
			p.key("\r")
			p.says("This link no longer works.")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.answer("GET /api/auth/verify-email", 401, `{"code":"TOKEN_EXPIRED"}`)
			h.answer("POST /api/auth/reset-password", 400, `{"code":"INVALID_TOKEN"}`)
			h.answer("POST /api/auth/request-password-reset", 200, `{"status":true}`)
			h.answer("POST /api/auth/send-verification-email", 200, `{"status":true}`)
			p := open(t, h.URL+row.path, desktop)
			row.walk(p)
			p.fill("E-mail", "member@example.org")
			p.key("\r")
			p.says("If that address has an account, a link is on its way.")
		})
	}
}
