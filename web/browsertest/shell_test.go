package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const navigationRoute = "GET /api/v1/dashboard/navigation"

// TestShell uses what surrounds every screen, in a house whose modules are in groups.
func TestShell(t *testing.T) {
	t.Parallel()
	d := startNamedHouse(t)
	for name, test := range map[string]func(t *testing.T, d *devServer){
		"NavigationRefused":         testNavigationRefused,
		"NavigationUnauthenticated": testNavigationUnauthenticated,
		"NavigationFails":           testNavigationFails,
		"Navigation":                testNavigation,
		"Keyboard":                  testKeyboard,
		"Preferences":               testPreferences,
		"SignOutOffline":            testSignOutOffline,
		"AdministrationIsRefused":   testAdministrationIsRefused,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, d)
		})
	}
}

// testNavigationRefused: after a 403 for the navigation the page requests the principal once, and then names
// the missing permission.
func testNavigationRefused(t *testing.T, d *devServer) {
	h := d.front(t)
	h.respond(navigationRoute, 403, `{"code":"PERMISSION_DENIED"}`)
	p := h.openAs(d.member(t, "Ada"), "/", desktop)
	p.waitForText("You no longer have access (Open the Dashboard and its modules).")
	if n := h.countRequests("GET /api/v1/principal"); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

// testNavigationUnauthenticated: the session ends between two requests of the page.
func testNavigationUnauthenticated(t *testing.T, d *devServer) {
	h, email := d.front(t), d.member(t, "Ada")
	open := h.hold(navigationRoute)
	p := h.openAs(email, "/", desktop)
	p.waitUntil("the navigation is asked for", func() bool { return h.countRequests(navigationRoute) > 0 })
	d.query(t, `DELETE FROM core.session s USING core.person p WHERE s.person_id = p.id AND p.email = $1
		RETURNING p.email`, email)
	open()
	p.waitForHeading("Sign in")
}

// testNavigationFails: the shell stays, and the navigation appears once it can be read.
func testNavigationFails(t *testing.T, d *devServer) {
	for name, row := range map[string]struct {
		respond     func(h *fixture, route string, status int, body string)
		status      int
		body, words string
	}{
		"store": {(*fixture).respond, 503, `{"code":"STORE_UNAVAILABLE"}`, "STORE_UNAVAILABLE, "},
		"malformed": {(*fixture).respondStrangely, 200,
			`{"groups":[],"ungrouped":[{"moduleId":"notes"}],"permissions":[]}`, "MALFORMED, "},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "store")
			t.Parallel()
			h := d.front(t)
			row.respond(h, navigationRoute, row.status, row.body)
			p := h.openAs(d.member(t, "Ada"), "/", desktop)
			p.waitForText(row.words)
			p.find("button", "Ada, account")
			h.restore(navigationRoute)
			p.retry()
			p.waitForHome()
			p.click("link", "Announcements")
			p.waitForText("Shared lunch")
		})
	}
}

// testNavigation: groups are in their order, without the empty ones, and names are exactly those that people
// have given.
func testNavigation(t *testing.T, d *devServer) {
	const groups = "/api/v1/dashboard/navigation/groups/"
	d.call(t, "PUT", groups+"empty", object{"label": "Nothing yet", "order": 1})
	d.call(t, "PUT", groups+"foyer", object{"label": "<b>Foyer</b>", "order": 4096})
	p := d.front(t).openAs(d.member(t, "Ada"), "/#/m/stage", phone)
	p.waitForHeading("Stage")
	p.waitForNone("navigation", "Modules")
	p.click("button", "Menu")
	p.find("navigation", "Modules")
	words := eval[string](p, `document.querySelector("nav").innerText.split(/\n+/).join("|")`)
	if words != "Home|Sunday|Stage|Rota|<b>Foyer</b>|Announcements|Calendar|Checklists" {
		t.Errorf("the navigation says %s", words)
	}
	p.click("link", "Announcements")
	p.waitForHeading("Announcements")
	p.waitForText("Shared lunch")
	p.waitForNone("navigation", "Modules")
	p.waitFor(`document.querySelector("[aria-current=page]").textContent === "Announcements"`)
	p.do(chromedp.NavigateBack())
	p.waitForHeading("Stage")
}

// TestRestartNotice: two changes wait for a restart. Nobody else is told or asks, and when none wait any more
// the notice goes away without taking the focus with it.
func TestRestartNotice(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	decide := func(module string, enabled bool) {
		t.Helper()
		d.call(t, "PUT", "/api/v1/module-lifecycle/"+module+"/enabled", object{"enabled": enabled})
	}
	decide("rota", false)
	decide("stage", false)

	h := d.front(t)
	p := h.openAs(d.member(t, "Bob"), "/#/m/announcements", desktop)
	p.waitForText("Shared lunch")
	p.assertNoText("wait for a restart")
	for _, request := range h.requests() {
		if strings.Contains(request, "module-lifecycle") || strings.Contains(request, "module-configuration") {
			t.Errorf("for somebody who decides nothing the page asked %s", request)
		}
	}

	h = d.front(t)
	p = h.openAs(d.member(t, "Ada", "core.modules.lifecycle.manage"), "/#/m/announcements", desktop)
	p.waitForText("2 changes wait for a restart.")
	p.assertNoText("Ask the person who runs the server")
	p.click("button", "What changes?")
	p.waitForText("Rota stops at the next restart.")
	p.waitForText("Stage stops at the next restart.")
	p.waitForText("Ask the person who runs the server to restart it.")
	decide("rota", true)
	decide("stage", true)
	before := h.countRequests(navigationRoute)
	p.click("button", "Check again")
	p.waitForAnnouncement("Nothing waits for a restart.")
	p.assertNoText("2 changes wait for a restart.")
	p.waitForNone("button", "Check again")
	p.waitFor(`document.activeElement.tagName === "H1"`)
	p.waitUntil("the navigation is read again", func() bool { return h.countRequests(navigationRoute) > before })
}

// testKeyboard: the first Tab reaches the skip link, the account menu opens and closes by keyboard, and the
// focus returns.
func testKeyboard(t *testing.T, d *devServer) {
	p := d.front(t).openAs(d.member(t, "Ada"), "/#/m/stage", desktop)
	p.waitForHeading("Stage")
	p.runScript(`document.activeElement.blur()`)
	p.reload()
	p.waitForHeading("Stage")
	focused := func(name string) {
		t.Helper()
		p.waitFor(fmt.Sprintf(`document.activeElement.textContent.trim() === %q`, name))
	}
	account := func() {
		t.Helper()
		p.waitFor(`document.activeElement.getAttribute("aria-controls") === "account-panel"`)
	}
	// backwards from the heading: the navigation, the account, the find field, the brand, the skip link
	p.waitFor(`document.querySelectorAll("#navigation a").length === 6`)
	for _, name := range []string{"Checklists", "Calendar", "Announcements", "Rota", "Stage", "Home"} {
		p.key("\t", chromedp.ModifierShift)
		focused(name)
	}
	p.key("\t", chromedp.ModifierShift)
	account()
	p.key("\r")
	p.find("button", "Sign out")
	p.key("\t")
	focused("Account and settings")
	p.key("\x1b")
	account()
	p.waitForNone("button", "Sign out")
	p.key("\t", chromedp.ModifierShift)
	focused("Search or go to…Ctrl K")
	p.key("\t", chromedp.ModifierShift)
	focused("Hill Street Church")
	p.key("\t", chromedp.ModifierShift)
	focused("Skip to content")
	p.key("\r")
	p.waitFor(`document.activeElement.id === "main" && location.hash === "#/m/stage"`)
}

// testPreferences: besides the house, the page's frame and the last module, only the theme and the language
// are stored in the browser. After a change of the language a module has the other one.
func testPreferences(t *testing.T, d *devServer) {
	p := d.front(t).openAs(d.member(t, "Ada"), "/#/account", desktop)
	p.waitForHeading("Account")
	p.click("radio", "Dark")
	p.waitFor(`document.documentElement.dataset.theme === "dark" && ` +
		`getComputedStyle(document.body).backgroundColor === "rgb(20, 19, 17)"`)
	p.runScript(
		`const select = document.querySelector("select"); select.value = "de"; select.dispatchEvent(new ` +
			`Event("change"))`,
	)
	p.find("heading", "Konto")
	p.reload()
	p.waitForHeading("Konto")
	p.waitFor(`document.documentElement.lang === "de" && document.documentElement.dataset.theme === "dark"`)
	p.click("link", "Kalender")
	p.waitForHeading("Kalender")
	p.waitFor(`document.querySelector("[data-module=calendar]").innerText.includes("Monat")`)
	keys := eval[string](p, `Object.keys(localStorage).sort().join()`)
	if keys != "narthex.frame,narthex.house,narthex.language,narthex.module,narthex.theme" {
		t.Errorf("kept: %s, want the frame, the house, the preferences and the last module", keys)
	}
}

// TestLongWords: a long name without a place to break it neither widens the page nor is cut off.
func TestLongWords(t *testing.T) {
	leaveToProof(t, "it opens many screens with unusual names")
	t.Parallel()
	const long = "Kirchengemeindeverbandsverwaltungsratsvorsitzendenwahlversammlung"
	d := startNamedHouse(t)
	d.call(t, "PUT", "/api/v1/dashboard/navigation/groups/foyer", object{"label": long, "order": 1})
	d.exec(t, `
		UPDATE module_announcements.slides SET title = '`+long+`', body = '`+long+`'
		WHERE title = 'Welcome'`)
	email := d.member(t, "Ada", "announcements.slides.manage")
	for _, v := range []view{narrow, {width: 700, height: 800}, desktop} {
		p := d.front(t).openAs(email, "/#/m/announcements", v)
		p.waitFor(`document.querySelector(".notice a")`)
		if v == narrow {
			p.click("button", "Menu")
		}
		p.assertFits()
		if cut := eval[string](p, `[...document.querySelectorAll("#navigation, #navigation *")].filter((e) =>
			e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1).map((e) => e.outerHTML).join(" ")`); cut != "" {
			t.Errorf("at %d pixels the navigation cuts %s", v.width, cut)
		}
		p.runScript(`[...document.querySelectorAll(".notice a")]
			.find((title) => title.innerText.includes("` + long + `")).click()`)
		p.find("textbox", "Title")
		p.assertFits()
		p.runScript(`location.hash = "#/account"`)
		p.waitForHeading("Account")
	}
}

// testSignOutOffline: a person who presses "Sign out" without a network sees that they are still signed in,
// and can try again from that message.
func testSignOutOffline(t *testing.T, d *devServer) {
	p := d.front(t).openAs(d.member(t, "Ada"), "/#/m/announcements", desktop)
	p.waitForText("Shared lunch")
	p.click("button", "Ada, account")
	p.offline(true)
	p.click("button", "Sign out")
	p.waitForVisibleText("You are still signed in.")
	p.offline(false)
	p.click("button", "Try again")
	p.waitForHeading("Sign in")
}

// testAdministrationIsRefused: a person without the permission for a screen is shown which one is missing,
// and the script of the administration is not loaded.
func testAdministrationIsRefused(t *testing.T, d *devServer) {
	p := d.front(t).openAs(d.member(t, "Ada"), "/#/admin/modules", desktop)
	p.waitForText("You no longer have access (See modules, and switch them on and off).")
	p.waitForNone("navigation", "Administration")
	if eval[bool](p, administrationScript) {
		t.Error("the administration's script is loaded for nobody")
	}
}
