package browsertest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
)

// screenCase is a state of a screen, with the steps that lead to it.
type screenCase struct {
	name  string
	path  string
	house func(t *testing.T, h *fixture)
	walk  func(p *tab)
}

// screens are all screens in all states, with the steps that lead to each. The steps find elements by
// selector and not by text, so that they work in every language; other tests check the text.
var screens = []screenCase{
	{"W1-sign-in", "/", nil, nil},
	{"W1-refused", "/", func(_ *testing.T, h *fixture) {
		h.respond("POST /api/auth/sign-in/email", 401, `{"code":"INVALID_EMAIL_OR_PASSWORD"}`)
	}, signIn},
	{"W1-unverified", "/", func(_ *testing.T, h *fixture) {
		h.respond("POST /api/auth/sign-in/email", 403, `{"code":"EMAIL_NOT_VERIFIED"}`)
	}, signIn},
	{"W1-slower", "/", func(_ *testing.T, h *fixture) {
		h.handle("POST /api/auth/sign-in/email", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Retry-After", "600") // long enough for the check
			reply(w, 429, `{"code":"TOO_MANY_REQUESTS"}`)
		})
	}, func(p *tab) {
		p.submit("owner@example.org", "wrong")
		p.waitFor(`document.querySelector("[type=submit]").disabled`)
	}},
	{"W1-failed", "/", func(_ *testing.T, h *fixture) {
		h.respond("POST /api/auth/sign-in/email", 500, `{"code":"IDENTITY_FAILED"}`)
	}, signIn},
	{"W1-fields", "/", nil, func(p *tab) {
		p.submit("nobody", "")
		p.waitFor(`document.querySelector("[aria-invalid=true]")`)
	}},
	{"W2-forgot", "/", nil, forgot},
	{"W2-sent", "/", func(_ *testing.T, h *fixture) {
		h.respond("POST /api/auth/request-password-reset", 200, `{"status":true}`)
	}, func(p *tab) {
		forgot(p)
		p.typeInto("[type=email]", "owner@example.org")
		p.clickSelector("[role=main] [type=submit]")
		p.waitFor(`document.querySelector(".d-note.d-ok[role=alert]")`)
	}},
	{"W2-failed", "/", func(_ *testing.T, h *fixture) {
		h.respond("POST /api/auth/request-password-reset", 500, `{"code":"IDENTITY_FAILED"}`)
	}, func(p *tab) {
		forgot(p)
		p.typeInto("[type=email]", "owner@example.org")
		p.clickSelector("[role=main] [type=submit]")
		p.waitFor(`document.querySelector(".d-note.d-bad[role=alert]")`)
	}},
	{"W3-confirm", "/?service_auth=verify-email&token=t", nil, nil},
	{"W3-dead", "/?service_auth=verify-email&token=t", func(_ *testing.T, h *fixture) {
		h.respond("GET /api/auth/verify-email", 401, `{"code":"TOKEN_EXPIRED"}`)
	}, func(p *tab) {
		p.clickSelector("button.d-primary")
		p.waitFor(`document.querySelector(".d-note.d-bad[role=alert]")`)
	}},
	{"W3-failed", "/?service_auth=verify-email&token=t", func(_ *testing.T, h *fixture) {
		h.respond("GET /api/auth/verify-email", 500, `{"code":"IDENTITY_FAILED"}`)
	}, func(p *tab) {
		p.clickSelector("button.d-primary")
		p.waitFor(`document.querySelector(".d-note.d-bad[role=alert]")`)
	}},
	{"W3-confirmed", "/?service_auth=verify-email&token=t", func(_ *testing.T, h *fixture) {
		h.respond("GET /api/auth/verify-email", 200, `{"status":true,"user":null}`)
	}, func(p *tab) {
		p.clickSelector("button.d-primary")
		p.waitFor(`document.querySelector(".d-note.d-ok[role=alert]")`)
	}},
	{"W4-choose", "/?service_auth=reset-password&token=t", nil, nil},
	{"W4-short", "/?service_auth=reset-password&token=t", nil, func(p *tab) {
		p.typeInto("input", "short")
		p.clickSelector("[type=submit]")
		p.waitFor(`document.querySelector("[aria-invalid=true]")`)
	}},
	{"W4-dead", "/?service_auth=reset-password&token=t", func(_ *testing.T, h *fixture) {
		h.respond("POST /api/auth/reset-password", 400, `{"code":"INVALID_TOKEN"}`)
	}, func(p *tab) {
		p.typeInto("input", "long enough")
		p.clickSelector("[type=submit]")
		p.waitFor(`document.querySelector(".d-note.d-bad[role=alert]")`)
	}},
	{"W4-failed", "/?service_auth=reset-password&token=t", func(_ *testing.T, h *fixture) {
		h.respond("POST /api/auth/reset-password", 500, `{"code":"IDENTITY_FAILED"}`)
	}, func(p *tab) {
		p.typeInto("input", "long enough")
		p.clickSelector("[type=submit]")
		p.waitFor(`document.querySelector(".d-note.d-bad[role=alert]")`)
	}},
	{"W4-saved", "/?service_auth=reset-password&token=t", func(_ *testing.T, h *fixture) {
		h.respond("POST /api/auth/reset-password", 200, `{"status":true}`)
	}, func(p *tab) {
		p.typeInto("input", "long enough")
		p.clickSelector("[type=submit]")
		p.waitFor(`document.querySelector(".d-note.d-ok[role=alert]")`)
	}},
	{"S-bad-build", "/", func(_ *testing.T, h *fixture) { h.setOrigin("church") }, nil},
	{"S-unreachable", "/", func(_ *testing.T, h *fixture) {
		h.respond("GET /api/v1/principal", 503, `{"code":"PRINCIPAL_RESOLUTION_FAILED"}`)
	}, func(p *tab) { p.waitFor(`document.querySelector("main [role=alert], [role=main] [role=alert]")`) }},
	{"S-empty", "/", func(_ *testing.T, h *fixture) {
		h.setSignedIn(person)
		h.setNavigation(nil, nil)
	}, nil},
	{"S-forbidden", "/", func(_ *testing.T, h *fixture) {
		h.setSignedIn(person)
		h.respond("GET /api/v1/dashboard/navigation", 403, `{"code":"PERMISSION_DENIED"}`)
	}, func(p *tab) { p.waitFor(`document.querySelector("main [role=alert]")`) }},
	{"S-nowhere", "/#/m/gone", announcements, nil},
	{"S-account", "/#/account", func(t *testing.T, h *fixture) {
		setNamedHouse(h)
		announcements(t, h)
	}, func(p *tab) { p.waitFor(`document.querySelector(".host-name-form")`) }},
	{"W5-home", "/", func(_ *testing.T, h *fixture) {
		h.setSignedIn(person)
		setNamedHouse(h)
		setSunday(h)
	}, func(p *tab) { p.waitFor(`document.querySelector(".host-doorway")`) }},
	{"W5-menu", "/", func(_ *testing.T, h *fixture) {
		h.setSignedIn(person)
		setNamedHouse(h)
		setSunday(h)
	}, func(p *tab) { // at a scroll position in which the open menu half covers no small control
		p.waitFor(`document.querySelector(".host-doorway")`)
		p.clickSelector(".host-account > button")
	}},
	{"W5-module-failed", "/#/m/announcements", func(t *testing.T, h *fixture) {
		announcements(t, h)
		h.setModuleScript("announcements", `throw new Error("no");`)
	}, func(p *tab) { p.waitFor(`document.querySelector("main [role=alert]")`) }},
	{"W5-module-old", "/#/m/announcements", func(t *testing.T, h *fixture) {
		announcements(t, h)
		h.setModuleScript("announcements", `export default { narthex: "module-ui", abi: 0, definition: {} };`)
	}, func(p *tab) { p.waitFor(`document.querySelector("main [role=alert]")`) }},
	{"W5-module-gone", "/#/m/announcements", func(t *testing.T, h *fixture) {
		announcements(t, h)
		h.respond("GET /api/v1/module-ui/announcements/1.0.0", 404, `{"code":"NOT_FOUND"}`)
	}, func(p *tab) { p.waitFor(`document.querySelector("main [role=alert]")`) }},
	{"W5-restart", "/#/m/announcements", func(t *testing.T, h *fixture) {
		announcements(t, h)
		setWaiting(h)
	}, func(p *tab) {
		p.waitFor(`document.querySelector(".restart") && document.querySelector(".notice")`)
		p.clickSelector(".restart button")
	}},
	{"W6-navigation", "/#/m/announcements", announcements, func(p *tab) {
		p.waitFor(`document.querySelector(".notice")`)
		p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".host-menu-button").click()`))
	}},
	{"S-loading", "/#/m/announcements", func(t *testing.T, h *fixture) {
		announcements(t, h)
		h.handle("GET /api/v1/module-ui/announcements/1.0.0",
			func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	}, func(p *tab) { p.waitFor(`document.querySelector(".d-skeleton i")`) }},
	{"S-leaving", "/#/m/announcements/new", announcements, func(p *tab) {
		p.waitFor(`document.querySelector(".announcements [required]")`)
		p.typeInto(".announcements [required]", "Half")
		p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[href='#/account']").click()`))
		p.waitFor(`document.querySelector("dialog[open]")`)
	}},
	{"A1-list", "/#/m/announcements", announcements,
		func(p *tab) { p.waitFor(`document.querySelectorAll(".notice").length === 4`) }},
	{"A1-menu", "/#/m/announcements", announcements, func(p *tab) {
		p.waitFor(`document.querySelectorAll(".notice").length === 4`)
		p.clickSelector("[aria-haspopup=menu]")
	}},
	{"A1-toast", "/#/m/announcements", announcements, func(p *tab) {
		p.waitFor(`document.querySelectorAll(".notice").length === 4`)
		p.clickSelector("td.d-actions > button")
		p.waitFor(`document.querySelector(".d-toast:not([data-empty])")`)
	}},
	{"A1-reader", "/#/m/announcements", func(t *testing.T, h *fixture) {
		h.setSignedIn(person)
		newNoticesFixture(t, h, "announcements.slides.read")
	}, func(p *tab) { p.waitFor(`document.querySelectorAll(".read > li").length === 4`) }},
	{"A2-editor", "/#/m/announcements/edit/00000000-0000-4000-8000-000000000001", announcements, func(p *tab) {
		p.waitFor(`document.querySelector(".announcements [required]")`)
	}},
	{"A2-errors", "/#/m/announcements/new", announcements, func(p *tab) {
		p.waitFor(`document.querySelector(".announcements [required]")`)
		p.clickSelector("[type=submit]")
		p.waitFor(`document.querySelector("[aria-invalid=true]")`)
	}},
	{"A3-delete", "/#/m/announcements/edit/00000000-0000-4000-8000-000000000001", announcements, func(p *tab) {
		p.waitFor(`document.querySelector(".editor button.end")`)
		p.clickSelector(".editor button.end")
		p.waitFor(`document.querySelector("dialog[open]")`)
	}},
}

// announcements signs in a person who writes notices.
func announcements(t *testing.T, h *fixture) {
	h.setSignedIn(person)
	newNoticesFixture(t, h, "announcements.slides.read", "announcements.slides.manage")
}

// setSunday gives the person a few modules.
func setSunday(h *fixture) {
	named := func(id, name, icon string) object { return module(id, name, object{"icon": icon}) }
	h.setNavigation(nil, []object{named("library", "Library", "book"), named("prayer", "Prayer list", "heart")},
		group("sunday", "Sunday", named("stage", "Stage", "lectern"), named("rota", "Rota", "rota"),
			named("songs", "Songs", "music")),
		group("foyer", "Foyer", named("announcements", "Announcements", "megaphone"),
			named("countdown", "Countdown", "timer"), module("rooms", "Rooms", nil)))
}

// setWaiting adds two decisions that wait for a restart.
func setWaiting(h *fixture) {
	entry := func(id, name, state string, enabled bool) object {
		made := object{"id": id, "name": name, "version": "1.0.0",
			"configured":      object{"enabled": enabled, "explicit": true},
			"runtime":         object{"state": state},
			"restartRequired": true, "dependencies": []object{}}
		made["next"] = nextOf(made)
		return made
	}
	modules := []object{entry("rota", "Rota", "running", false), entry("stage", "Stage", "disabled", true)}
	h.respondJSON("GET /api/v1/module-lifecycle", 200, object{"modules": modules})
	h.setNavigation([]string{"core.modules.lifecycle.manage"}, nil, group("foyer", "Foyer",
		module("announcements", "Announcements",
			object{"permissions": []string{"announcements.slides.read", "announcements.slides.manage"}})))
}

func signIn(p *tab) {
	p.submit("owner@example.org", "wrong")
	p.waitFor(`document.querySelector(".d-note")`)
}

func forgot(p *tab) { p.clickSelector("button.d-text.d-wide") }

// submit fills in and sends the sign-in form.
func (p *tab) submit(email, password string) {
	p.typeInto("[type=email]", email)
	p.typeInto("[autocomplete=current-password]", password)
	p.clickSelector("[type=submit]")
}

// setLanguage chooses the language of the pages that are loaded from now on, before their own scripts run.
// Empty means that no language was chosen.
func (p *tab) setLanguage(language string) {
	p.t.Helper()
	change := `localStorage.removeItem("narthex.language")`
	if language != "" {
		change = fmt.Sprintf(`localStorage.setItem("narthex.language", %q)`, language)
	}
	p.onNewDocument("try { " + change + " } catch { /* a blank page has no storage */ }")
}

// typeInto and click find elements by selector, so that they work in every language.
func (p *tab) typeInto(selector, text string) {
	p.do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

func (p *tab) clickSelector(selector string) { p.do(chromedp.Click(chromedp.CSS(selector))) }

// TestScreens checks every screen in every size, and in both writing directions. The page is loaded anew for
// each language.
func TestScreens(t *testing.T) {
	t.Parallel()
	assertScreens(t, screens)
}

// assertScreens opens one window for each screen, because a window costs as much as the page in it. Each
// language has a fixture of its own at another origin, so that no stored data of the previous one remain.
func assertScreens(t *testing.T, screens []screenCase) {
	t.Helper()
	check := func(p *tab, screen, language string) { p.assertScreen(screen+language, language != "") }
	walkScreens(t, chromium, screens, check, "", "de", "ar-XB")
}

// walkScreens opens each screen in each language, in a window of this browser, and checks it there.
func walkScreens(
	t *testing.T, browser context.Context, screens []screenCase,
	check func(p *tab, screen, language string), languages ...string,
) {
	t.Helper()
	if testing.Short() {
		languages = languages[:1]
	}
	for _, screen := range screens {
		t.Run(screen.name, func(t *testing.T) {
			t.Parallel()
			window := openPageIn(t, browser, "about:blank", desktop)
			// the question about unsaved changes would keep the window from loading the next language
			window.onNewDocument(`addEventListener("beforeunload", (e) => e.stopImmediatePropagation(), true)`)
			window.keepAxe()
			for _, language := range languages {
				t.Run(cmp.Or(language, "en"), func(t *testing.T) {
					h := newFixture(t)
					if screen.house != nil {
						screen.house(t, h)
					}
					p := &tab{t, window.ctx}
					// The end of the fixture waits for its requests.
					t.Cleanup(h.CloseClientConnections)
					t.Cleanup(func() { p.do(chromedp.Navigate("about:blank")) })
					p.setView(view{width: desktop.width, height: desktop.height, reduced: true})
					p.setLanguage(language)
					p.do(chromedp.Navigate(h.URL + screen.path))
					p.waitFor(`document.querySelector("h1")`)
					if screen.walk != nil {
						screen.walk(p)
					}
					check(p, screen.name, language)
				})
			}
		})
	}
}

// TestCodeAmongRightToLeftWords: an error code keeps its left-to-right order in right-to-left text, so that a
// person can read it to the operator.
func TestCodeAmongRightToLeftWords(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
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
