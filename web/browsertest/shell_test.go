package browsertest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestNavigationRefused: after a 403 for the navigation the page requests the principal once, and then names
// the missing permission.
func TestNavigationRefused(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	h.respond("GET /api/v1/dashboard/navigation", 403, `{"code":"PERMISSION_DENIED"}`)
	p := openPage(t, h.URL, desktop)
	p.waitForText("You no longer have access (core.modules.ui.read).")
	if n := h.countRequests("GET /api/v1/principal"); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

func TestNavigationUnauthenticated(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.handle("GET /api/v1/principal", func(w http.ResponseWriter, _ *http.Request) {
		if h.countRequests("GET /api/v1/dashboard/navigation") > 0 {
			reply(w, 200, `{"kind":"anonymous"}`)
			return
		}
		reply(w, 200, `{"kind":"authenticated","userId":"x"}`)
	})
	h.respond("GET /api/v1/dashboard/navigation", 401, `{"code":"AUTHENTICATION_REQUIRED"}`)
	openPage(t, h.URL, desktop).waitForHeading("Sign in")
}

// TestNavigationFails: the shell stays, and the navigation appears once it can be read.
func TestNavigationFails(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status      int
		body, words string
	}{
		"store":     {503, `{"code":"STORE_UNAVAILABLE"}`, "STORE_UNAVAILABLE, "},
		"malformed": {200, `{"groups":[],"ungrouped":[{"moduleId":"notes"}],"permissions":[]}`, "MALFORMED, "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newNotesFixture(t, kept)
			h.respond("GET /api/v1/dashboard/navigation", row.status, row.body)
			p := openPage(t, h.URL, desktop)
			p.waitForText(row.words)
			p.find("button", "Account")
			h.setNavigation(nil, []object{module("notes", "Notes", nil)})
			p.retry()
			p.waitForHome()
			p.click("link", "Notes")
			p.waitForText("Here are the notes.")
		})
	}
}

// TestNavigation: groups are in their order, without the empty ones, and names are exactly those of the
// modules.
func TestNavigation(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	h.setNavigation(nil, []object{module("loose", "<b>Loose</b>", nil)},
		group("b", "Sunday", module("stage", "Stage", nil), module("rota", "Rota", nil)), group("c", "Nothing yet"),
		group("a", "Foyer", module("notes", "Notes", nil)))
	for _, id := range []string{"stage", "rota", "notes", "loose"} {
		h.setModuleScript(id, `container.textContent = "This is " + context.module.id;`)
	}
	p := openPage(t, h.URL+"/#/m/stage", phone)
	p.waitForHeading("Stage")
	p.waitForNone("navigation", "Modules")
	p.click("button", "Menu")
	p.find("navigation", "Modules")
	words := eval[string](p, `document.querySelector("nav").innerText.split(/\n+/).join("|")`)
	if words != "Home|Sunday|Stage|Rota|Foyer|Notes|<b>Loose</b>" {
		t.Errorf("the navigation says %s", words)
	}
	p.click("link", "Notes")
	p.waitForHeading("Notes")
	p.waitForText("This is notes")
	p.waitForNone("navigation", "Modules")
	p.waitFor(`document.querySelector("[aria-current=page]").textContent === "Notes"`)
	p.do(chromedp.NavigateBack())
	p.waitForHeading("Stage")
}

// TestRestartNotice: two changes wait for a restart. After it none wait, and the navigation has the modules
// that run now.
func TestRestartNotice(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	setWaiting(h)
	h.setModuleScript("announcements", `container.textContent = "On the board.";`)
	p := openPage(t, h.URL+"/#/m/announcements", desktop)
	p.waitForText("2 changes wait for a restart.")
	p.assertNoText("Ask the person who runs the server")
	p.click("button", "What changes?")
	p.waitForText("Rota stops at the next restart.")
	p.waitForText("Stage starts at the next restart.")
	p.waitForText("Ask the person who runs the server to restart it.")
	h.respond("GET /api/v1/module-lifecycle", 200, `{"modules":[]}`)
	h.setNavigation([]string{"core.modules.lifecycle.manage"}, []object{module("stage", "Stage", nil)})
	p.click("button", "Check again")
	p.waitForAnnouncement("Nothing waits for a restart.")
	p.assertNoText("2 changes wait for a restart.")
	p.find("link", "Stage")
}

// TestRestartNoticeIsForThoseWhoDecide: for other people the page does not even request it.
func TestRestartNoticeIsForThoseWhoDecide(t *testing.T) {
	t.Parallel()
	h := newNotesFixture(t, kept)
	openPage(t, h.URL+"/#/m/notes", desktop).waitForText("Here are the notes.")
	for _, request := range h.requests() {
		if strings.Contains(request, "module-lifecycle") || strings.Contains(request, "module-configuration") {
			t.Errorf("asked %s", request)
		}
	}
}

// TestKeyboard: the first Tab reaches the skip link, the account menu opens and closes by keyboard, and the
// focus returns.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	h := newNotesFixture(t, kept)
	p := openPage(t, h.URL+"/#/m/notes", desktop)
	p.waitForText("Here are the notes.")
	p.runScript(`document.activeElement.blur()`)
	p.do(chromedp.Reload())
	p.waitForText("Here are the notes.")
	focused := func(name string) {
		t.Helper()
		p.waitFor(fmt.Sprintf(`document.activeElement.textContent.trim() === %q`, name))
	}
	// backwards from the heading: the navigation, the account, the find field, the brand, the skip link
	p.key("\t", chromedp.ModifierShift)
	focused("Notes")
	p.key("\t", chromedp.ModifierShift)
	focused("Home")
	p.key("\t", chromedp.ModifierShift)
	focused("Account")
	p.key("\r")
	p.find("button", "Sign out")
	p.key("\t")
	focused("Account and settings")
	p.key("\x1b")
	focused("Account")
	p.waitForNone("button", "Sign out")
	p.key("\t", chromedp.ModifierShift)
	focused("Search or go to…Ctrl K")
	p.key("\t", chromedp.ModifierShift)
	focused("Dashboard")
	p.key("\t", chromedp.ModifierShift)
	focused("Skip to content")
	p.key("\r")
	p.waitFor(`document.activeElement.id === "main" && location.hash === "#/m/notes"`)
}

// TestPreferences: only the theme and the language are stored in the browser. After a change of the language
// a module is mounted again.
func TestPreferences(t *testing.T) {
	t.Parallel()
	h := newNotesFixture(t, kept+`container.append(" " + context.locale + " " + context.theme);`)
	p := openPage(t, h.URL+"/#/account", desktop)
	p.waitForHeading("Account")
	p.click("radio", "Dark")
	p.waitFor(`document.documentElement.dataset.theme === "dark" && ` +
		`getComputedStyle(document.body).backgroundColor === "rgb(20, 19, 17)"`)
	p.runScript(
		`const select = document.querySelector("select"); select.value = "de"; select.dispatchEvent(new ` +
			`Event("change"))`,
	)
	p.find("heading", "Konto")
	p.do(chromedp.Reload())
	p.waitForHeading("Konto")
	p.waitFor(`document.documentElement.lang === "de" && document.documentElement.dataset.theme === "dark"`)
	p.click("link", "Notes")
	p.waitForText("de dark")
	keys := eval[string](p, `Object.keys(localStorage).sort().join()`)
	if keys != "narthex.language,narthex.module,narthex.theme" {
		t.Errorf("kept: %s, want the preferences and the last module", keys)
	}
}

// TestLongWords: a long name without a place to break it neither widens the page nor is cut off.
func TestLongWords(t *testing.T) {
	t.Parallel()
	const long = "Kirchengemeindeverbandsverwaltungsratsvorsitzendenwahlversammlung"
	h := newFixture(t)
	h.setSignedIn(person)
	n := newNoticesFixture(t, h, "announcements.slides.read", "announcements.slides.manage")
	n.slides[0]["title"], n.slides[0]["body"] = long, long
	h.setNavigation(nil, []object{module(long, long, nil)},
		group("a", long, module("announcements", "Announcements",
			object{"permissions": []string{"announcements.slides.read", "announcements.slides.manage"}})))
	for _, v := range []view{narrow, {width: 700, height: 800}, desktop} {
		p := openPage(t, h.URL+"/#/m/announcements", v)
		p.waitFor(`document.querySelector(".notice a")`)
		if v == narrow {
			p.click("button", "Menu")
		}
		p.assertFits()
		if cut := eval[string](p, `[...document.querySelectorAll("#navigation, #navigation *")].filter((e) =>
			e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1).map((e) => e.outerHTML).join(" ")`); cut != "" {
			t.Errorf("at %d pixels the navigation cuts %s", v.width, cut)
		}
		p.runScript(`document.querySelector(".notice a").click()`)
		p.find("textbox", "Title")
		p.assertFits()
		p.runScript(`location.hash = "#/account"`)
		p.waitForHeading("Account")
	}
}
