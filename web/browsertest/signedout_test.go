package browsertest

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// stored is everything that the browser stores for the page; of the last look at Home, whose values differ
// from run to run, the keys.
const stored = `JSON.stringify([Object.entries(localStorage).sort().map(([key, value]) =>
	[key, key === "narthex.home" ? Object.keys(JSON.parse(value)).join() : value]),
	Object.entries(sessionStorage), document.cookie])`

// keptHome is what the browser stores when a person sees Home for the first time.
const keptHome = `["narthex.home","person,seen"]`

// keptHouse is what the browser stores of a new house.
const keptHouse = `["narthex.house","{\"name\":null,\"accent\":\"blue\",\"language\":\"en\",` +
	`\"timeZone\":null,\"secondFactor\":\"optional\",\"rev\":0}"]`

// TestSignedOut uses the screens of a person who is not signed in, and how they leave them.
func TestSignedOut(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	for name, test := range map[string]func(t *testing.T, d *devServer){
		"SignIn":                      testSignIn,
		"SignInRefusals":              testSignInRefusals,
		"TooManySignIns":              testTooManySignIns,
		"Confirm":                     testConfirm,
		"ConfirmWithADeadLink":        testConfirmWithADeadLink,
		"ChoosePassword":              testChoosePassword,
		"ChoosePasswordWithADeadLink": testChoosePasswordWithADeadLink,
		"LinkWhileSignedIn":           testLinkWhileSignedIn,
		"ForgotPassword":              testForgotPassword,
		"NobodyIsSignedOutByAFailure": testNobodyIsSignedOutByAFailure,
		"ComesBackByItself":           testComesBackByItself,
		"UnusableOrigin":              testUnusableOrigin,
		"EmptyOrigin":                 testEmptyOrigin,
		"SignOut":                     testSignOut,
		"EnterAsksForALink":           testEnterAsksForALink,
		"BusyButtons":                 testBusyButtons,
		"CodeAmongRightToLeftWords":   testCodeAmongRightToLeftWords,
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "SignIn", "SignInRefusals", "TooManySignIns", "Confirm", "ChoosePassword",
				"LinkWhileSignedIn", "ForgotPassword", "NobodyIsSignedOutByAFailure", "SignOut", "BusyButtons")
			t.Parallel()
			test(t, d)
		})
	}
}

// testSignIn is the browser's part of walk-through 1.
func testSignIn(t *testing.T, d *devServer) {
	h, email := d.front(t), d.member(t, "Ada")
	p := openPage(t, h.URL+"/?next=https://evil.example", desktop)
	p.waitForHeading("Sign in")
	p.fill("E-mail", " "+email+" ")
	p.fill("Password", d.password)
	if kind := eval[string](p, "document.activeElement.type"); kind != "password" {
		t.Errorf("the field Password has the type %s, want password", kind)
	}
	p.click("button", "Sign in")
	p.find("navigation", "Modules")
	p.waitForHome()
	p.click("link", "Announcements")
	p.waitForHeading("Announcements")
	p.waitForText("Shared lunch")
	if got, want := h.sent("POST /api/auth/sign-in/email"),
		jsonOf(t, object{"email": email, "password": d.password}); got != want {
		t.Errorf("sent: %s, want %s", got, want)
	}
	want := []string{"GET /api/v1/principal", "GET /api/v1/house", "POST /api/auth/sign-in/email",
		"GET /api/v1/principal", "GET /api/v1/account", "GET /api/v1/dashboard/navigation"}
	requests := h.requests()
	slices.Sort(requests[4:6]) // these two are sent at the same time
	if !slices.Equal(requests[:6], want) {
		t.Errorf("requests: %q, want first %q", requests, want)
	}
	const lastVisit = `[[["narthex.frame","columns"],` + keptHome + "," + keptHouse +
		`,["narthex.module","/api/v1/module-ui/announcements/1.0.0"]],[],""]`
	if kept := eval[string](p, stored); kept != lastVisit {
		t.Errorf("kept in the browser: %s, want frame, house and the last module's script: %s", kept, lastVisit)
	}
	if address := eval[string](p, "location.href"); address != h.URL+"/#/m/announcements" {
		t.Errorf("at %s", address)
	}
}

func testSignInRefusals(t *testing.T, d *devServer) {
	const route = "POST /api/auth/sign-in/email"
	unverified := d.member(t, "Unverified")
	d.query(t, `UPDATE core.person SET email_verified = false WHERE email = $1 RETURNING email`, unverified)
	for _, row := range []struct {
		name            string
		email, password string
		fault           func(h *fixture)
		words           string
	}{
		{"wrong pair", "owner@example.org", "wrong password", nil, "That e-mail and password do not match."},
		{"nobody", "nobody@example.org", "wrong password", nil, "That e-mail and password do not match."},
		{"unverified", unverified, d.password, nil, "Confirm your e-mail first"},
		{"origin", "owner@example.org", d.password, func(h *fixture) { h.untrusted = true },
			"Sign-in does not work from this address."},
		{"address", "owner@example.org", d.password, func(h *fixture) {
			h.respond(route, 400, `{"code":"INVALID_EMAIL"}`)
		}, "Type an e-mail address like name@example.org."},
		{"failure", "owner@example.org", d.password, func(h *fixture) {
			h.respond(route, 500, `{"code":"IDENTITY_FAILED"}`)
		}, "IDENTITY_FAILED, "},
		{"a proxy's answer", "owner@example.org", d.password, func(h *fixture) {
			h.respondStrangely(route, 502, `<html>`)
		}, "HTTP_502, "},
		{"success that nobody remembers", "owner@example.org", d.password, func(h *fixture) {
			h.respond(route, 200, `{"ok":true}`)
		}, "Your browser did not keep the sign-in."},
	} {
		t.Run(row.name, func(t *testing.T) {
			usually(t, row.name, "wrong pair", "unverified")
			t.Parallel()
			h := d.front(t)
			if row.fault != nil {
				row.fault(h)
			}
			p := openPage(t, h.URL, phone)
			p.fill("E-mail", row.email)
			p.fill("Password", row.password)
			p.click("button", "Sign in")
			p.waitForText(row.words)
			value := eval[string](p, `document.querySelector("[name=current-password]").value`)
			if value != row.password {
				t.Errorf("the password is %q, want what was typed", value)
			}
		})
	}
}

// testTooManySignIns: the waiting time is shown and counted down, and the typed values stay.
func testTooManySignIns(t *testing.T, d *devServer) {
	h, email := d.front(t), d.member(t, "Ada")
	p := openClockModule(t, h.URL)
	p.waitForHeading("Sign in")
	for _, password := range []string{"one", "two", "three"} {
		p.runScript(`await fetch("/api/auth/sign-in/email", { method: "POST",
			headers: { "Content-Type": "application/json" },
			body: JSON.stringify({ email: "` + email + `", password: "` + password + `" }) })`)
	}
	p.fill("E-mail", email)
	p.fill("Password", d.password)
	p.click("button", "Sign in")
	p.waitFor(`/You can try again in \d+ s\./.test(document.body.innerText)`)
	p.waitFor(`document.querySelector("[type=submit]").disabled`)
	left := eval[int](p, `Number(document.body.innerText.match(/You can try again in (\d+) s\./)[1])`)
	p.runScript("later(1000)")
	p.waitFor(`Number(document.body.innerText.match(/You can try again in (\d+) s/)[1]) === ` + itoa(left-1))
	p.runScript("later(" + itoa(left-1) + "000)")
	p.waitFor(`!document.querySelector("[type=submit]").disabled`)
	if typed := eval[string](p, `document.querySelector("[name=current-password]").value`); typed != d.password {
		t.Errorf("the password is %q, want what was typed", typed)
	}
}

// linkScreenRequests are all requests that loading the screen of an emailed link makes.
var linkScreenRequests = []string{"GET /api/v1/principal", "GET /api/v1/house"}

// testConfirm is walk-throughs 2 and M3: loading the link changes nothing, and its token is kept only in
// memory.
func testConfirm(t *testing.T, d *devServer) {
	h, email := d.front(t), d.member(t, "Ada")
	link := d.askForConfirmation(t, email)
	p := openPage(t, h.URL+link, desktop)
	p.waitForHeading("Confirm your e-mail")
	_, token, _ := strings.Cut(link, "token=")
	address := eval[string](p, "location.href + history.length + document.referrer")
	if strings.Contains(address, token) || strings.Contains(address, "?") {
		t.Errorf("at %s", address)
	}
	p.waitUntil("the house", func() bool { return h.countRequests("GET /api/v1/house") > 0 })
	if requests := h.requests(); !slices.Equal(requests, linkScreenRequests) {
		t.Errorf("loading asked %q, want %q", requests, linkScreenRequests)
	}
	p.click("button", "Confirm my e-mail")
	p.waitForText("Confirmed. Sign in.")
	if h.countRequests("GET /api/auth/verify-email?token="+token) != 1 {
		t.Errorf("requests: %q", h.requests())
	}
	if got, want := eval[string](p, stored), `[[`+keptHouse+`],[],""]`; got != want {
		t.Errorf("kept in the browser: %s, want %s", got, want)
	}
	p.click("button", "Sign in")
	p.waitForHeading("Sign in")
}

func testConfirmWithADeadLink(t *testing.T, d *devServer) {
	h := d.front(t)
	p := openPage(t, h.URL+"/?service_auth=verify-email&token=se%2Bcret", phone)
	p.click("button", "Confirm my e-mail")
	p.waitForText("This link no longer works.")
	if h.countRequests("GET /api/auth/verify-email?token=se%2Bcret") != 1 {
		t.Errorf("requests: %q, want one with the token as it is in the link", h.requests())
	}
	p.fill("E-mail", "member@example.org")
	p.click("button", "Send a new link")
	p.waitForText("If that address has an account, a link is on its way.")
	p.waitFor(
		`[...document.querySelectorAll("button")].some((button) => button.disabled && /^Send again in \d+ ` +
			`s$/.test(button.innerText))`,
	)
}

// askForPassword asks for a link to choose a new password, and returns its path.
func (d *devServer) askForPassword(t *testing.T, email string) string {
	t.Helper()
	d.send(t, nil, "POST", "/api/auth/request-password-reset",
		strings.NewReader(jsonOf(t, object{"email": email})))
	return d.emailedLink(t, email)
}

// testChoosePassword is the last part of walk-through 3.
func testChoosePassword(t *testing.T, d *devServer) {
	h, email := d.front(t), d.member(t, "Ada")
	link := d.askForPassword(t, email)
	p := openPage(t, h.URL+link, desktop)
	p.waitForHeading("Choose a new password")
	p.fill("New password", "seven77")
	p.click("button", "Save new password")
	p.waitForText("At least 8 characters: 1 more.")
	p.fill("New password", strings.Repeat("x", 129))
	p.click("button", "Save new password")
	p.waitForText("At most 128 characters.")
	p.waitUntil("the house", func() bool { return h.countRequests("GET /api/v1/house") > 0 })
	if requests := h.requests(); !slices.Equal(requests, linkScreenRequests) {
		t.Errorf("asked %q, want %q: nothing else before a good password", requests, linkScreenRequests)
	}
	p.fill("New password", "eight888")
	p.click("button", "Save new password")
	p.waitForText("Your other devices were signed out.")
	_, token, _ := strings.Cut(link, "token=")
	if got, want := h.sent("POST /api/auth/reset-password"),
		jsonOf(t, object{"newPassword": "eight888", "token": token}); got != want {
		t.Errorf("sent: %s, want %s", got, want)
	}
	p.click("button", "Sign in")
	p.waitForHeading("Sign in")
	p.fill("E-mail", email)
	p.fill("Password", "eight888")
	p.click("button", "Sign in")
	p.waitForHome()
}

func testChoosePasswordWithADeadLink(t *testing.T, d *devServer) {
	p := openPage(t, d.front(t).URL+"/?service_auth=reset-password&token=used", desktop)
	p.fill("New password", "eight888")
	p.click("button", "Save new password")
	p.waitForText("This link no longer works.")
	p.find("textbox", "E-mail")
	if value := eval[string](p, `document.querySelector("[name=new-password]").value`); value != "eight888" {
		t.Errorf("the password is %q", value)
	}
}

// testLinkWhileSignedIn: an emailed link opens its screen even for a signed-in person.
func testLinkWhileSignedIn(t *testing.T, d *devServer) {
	p := d.front(t).openAs(d.member(t, "Ada"), "/?service_auth=verify-email&token=t", desktop)
	p.waitForHeading("Confirm your e-mail")
	p.click("button", "Continue to Dashboard")
	p.waitForHome()
	p.find("button", "Ada, account")
}

// testForgotPassword: the response does not depend on the address, and what was typed need not be typed
// again.
func testForgotPassword(t *testing.T, d *devServer) {
	for _, email := range []string{d.member(t, "Ada"), "nobody@example.org"} {
		p := openPage(t, d.front(t).URL, phone)
		p.fill("E-mail", email)
		p.click("button", "Forgot password?")
		p.waitForHeading("Forgot your password?")
		if value := eval[string](p, `document.querySelector("[type=email]").value`); value != email {
			t.Errorf("the address is %q, want %q", value, email)
		}
		p.click("button", "Send link")
		p.waitForText("If that address has an account, a link is on its way.")
		p.click("button", "Back to sign in")
		p.waitForHeading("Sign in")
	}
}

// testNobodyIsSignedOutByAFailure is walk-through 4: a failed response is never treated as "anonymous".
func testNobodyIsSignedOutByAFailure(t *testing.T, d *devServer) {
	const principal = "GET /api/v1/principal"
	for name, row := range map[string]struct {
		fault func(h *fixture)
		words string
	}{
		"store": {func(h *fixture) { h.respond(principal, 503, `{"code":"PRINCIPAL_RESOLUTION_FAILED"}`) },
			"We cannot check who you are right now."},
		"proxy": {func(h *fixture) { h.respondStrangely(principal, 502, `<html>bad gateway</html>`) },
			"We cannot check who you are right now."},
		"malformed": {func(h *fixture) { h.respondStrangely(principal, 200, `{"kind":"somebody"}`) },
			"The server gave an answer this page does not understand."},
		"no JSON": {func(h *fixture) { h.respondStrangely(principal, 200, `<html>hello</html>`) },
			"The server gave an answer this page does not understand."},
		"half of it": {func(h *fixture) { h.respondStrangely(principal, 200, `{"kind":"authenticated"}`) },
			"The server gave an answer this page does not understand."},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "store")
			t.Parallel()
			h := d.front(t)
			row.fault(h)
			p := h.openAs(d.member(t, "Ada"), "/", desktop)
			p.waitForText(row.words)
			if found := p.findAll("heading", "Sign in"); len(found) > 0 ||
				h.countRequests("GET /api/v1/dashboard/navigation") > 0 {
				t.Error("it went on without knowing who is there")
			}
			h.restore(principal)
			p.retry()
			p.waitForHome()
			p.find("link", "Announcements")
		})
	}
}

// testComesBackByItself: a failed request is retried without any action of the person.
func testComesBackByItself(t *testing.T, d *devServer) {
	h := d.front(t)
	h.respond("GET /api/v1/principal", 503, `{"code":"PRINCIPAL_RESOLUTION_FAILED"}`)
	p := openPage(t, h.URL, desktop)
	p.waitForText("We cannot check who you are right now.")
	h.restore("GET /api/v1/principal")
	p.waitForHeading("Sign in")
}

// testUnusableOrigin: a page with an invalid API origin sends no requests.
func testUnusableOrigin(t *testing.T, d *devServer) {
	for _, content := range []string{"ftp://church.example.org", "http://church.example.org/",
		"HTTP://church.example.org", "javascript:alert(1)", "church"} {
		h := d.front(t)
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

// testEmptyOrigin: a page without an API origin uses its own.
func testEmptyOrigin(t *testing.T, d *devServer) {
	h := d.front(t)
	h.setOrigin("")
	openPage(t, h.URL, desktop).waitForHeading("Sign in")
}

// testSignOut is M5: the person is signed out only after the server has confirmed it, and every tab follows.
func testSignOut(t *testing.T, d *devServer) {
	h := d.front(t)
	h.respond("POST /api/auth/sign-out", 503, `{"code":"PRINCIPAL_RESOLUTION_FAILED"}`)
	p := h.openAs(d.member(t, "Ada"), "/#/m/announcements", desktop)
	p.waitForText("Shared lunch")
	second := p.openTab(h.URL + "/#/account")
	second.waitForHeading("Account")

	p.click("button", "Ada, account")
	p.click("button", "Sign out")
	p.waitForAnnouncement("You are still signed in.")
	if body := h.sent("POST /api/auth/sign-out"); body != "{}" {
		t.Errorf("sent %s", body)
	}
	p.waitForText("Shared lunch")
	h.restore("POST /api/auth/sign-out")
	p.click("button", "Try again")
	p.waitForHeading("Sign in")
	p.waitFor(`document.querySelector("[data-module]") === null`)
	second.waitForHeading("Sign in")
	if address := eval[string](second, "location.href"); address != h.URL+"/#/" {
		t.Errorf("the other tab is at %s", address)
	}
}

// testEnterAsksForALink: Enter submits every form that requests a link.
func testEnterAsksForALink(t *testing.T, d *devServer) {
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
			usually(t, name, "forgot")
			t.Parallel()
			p := openPage(t, d.front(t).URL+row.path, desktop)
			row.walk(p)
			p.fill("E-mail", "member@example.org")
			p.key("\r")
			p.waitForText("If that address has an account, a link is on its way.")
		})
	}
}

// testBusyButtons: a pressed button shows that its action is in progress, and which one.
func testBusyButtons(t *testing.T, d *devServer) {
	h := d.front(t)
	open := h.hold("POST /api/auth/sign-in/email")
	p := openPage(t, h.URL, desktop)
	p.fill("E-mail", "owner@example.org")
	p.fill("Password", "wrong")
	before := eval[float64](p, `document.querySelector("[type=submit]").getBoundingClientRect().width`)
	p.click("button", "Sign in")
	p.waitForVisibleText("Signing in")
	p.waitFor(`document.querySelector("[type=submit] .d-ring").getBoundingClientRect().width >= 12`)
	after := eval[float64](p, `document.querySelector("[type=submit]").getBoundingClientRect().width`)
	if after != before {
		t.Errorf("the busy button is %v wide, want the same as before: %v", after, before)
	}
	p.runScript(`document.querySelector("[type=submit]").click()`)
	open()
	p.waitForText("That e-mail and password do not match.")
	if n := h.countRequests("POST /api/auth/sign-in/email"); n != 1 {
		t.Errorf("%d sign-ins were sent, want 1: a busy button takes no further press", n)
	}
}

// testCodeAmongRightToLeftWords: an error code keeps its left-to-right order in right-to-left text, so that a
// person can read it to the operator.
func testCodeAmongRightToLeftWords(t *testing.T, d *devServer) {
	h := d.front(t)
	h.respond("GET /api/v1/principal", 503, `{"code":"PRINCIPAL_RESOLUTION_FAILED"}`)
	p := openPage(t, "about:blank", phone)
	p.setLanguage("ar-XB")
	p.do(chromedp.Navigate(h.URL))
	p.waitFor(`document.querySelector("small")`)
	from := `(() => {
		const words = document.querySelector("small").firstChild;
		return [..."PR"].map((letter) => {
			const range = document.createRange();
			range.setStart(words, words.data.indexOf(letter));
			range.setEnd(words, words.data.indexOf(letter) + 1);
			return range.getBoundingClientRect().left;
		});
	})()`
	if left := eval[[]float64](p, from); left[0] >= left[1] {
		t.Errorf("the code's first letters are at %v", left)
	}
}
