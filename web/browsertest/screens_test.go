package browsertest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// screenCase is a state of a screen, with the steps that lead to it.
type screenCase struct {
	name  string
	path  string
	house func(t *testing.T, h *fixture)
	walk  func(p *tab)
}

// usual are the screens that are looked at with -short: each as most people see it.
var usual = map[string]bool{
	"W1-sign-in": true, "W4-choose": true, "W5-home": true, "W6-navigation": true, "S-account": true,
	"A1-list": true, "A1-reader": true, "A2-errors": true, "W7-modules": true, "W8-settings": true,
	"W9-permissions": true, "W9-give": true, "W10-navigation": true, "W11-screens": true, "W12-house": true,
	"W14-people": true, "W14-invite": true, "W15-activity": true, "rota-month": true, "rota-volunteers": true,
	"rota-mine": true,
}

// screensOf are all screens in all states, with the steps that lead to each, in a house. The steps find
// elements by selector and not by text, so that they work in every language; other tests check the text.
func screensOf(t *testing.T, d *devServer) []screenCase {
	t.Helper()
	const unverified = "unverified@example.org"
	d.addPerson(t, unverified, "Unverified")
	d.exec(t, `UPDATE core.person SET email_verified = false WHERE email = '`+unverified+`'`)
	welcome := d.query(t, `SELECT id::text FROM module_announcements.slides WHERE title = 'Welcome'`)
	for _, module := range []string{"rota", "stage"} {
		d.call(t, "PUT", "/api/v1/module-lifecycle/"+module+"/enabled", object{"enabled": false})
	}
	const script = "GET /api/v1/module-ui/announcements/1.0.0"
	writers := func(fault func(h *fixture)) func(t *testing.T, h *fixture) {
		return func(t *testing.T, h *fixture) {
			h.session = d.signIn(t, d.member(t, "Reader 1", "announcements.slides.manage"))
			if fault != nil {
				fault(h)
			}
		}
	}
	broken := func(text string) func(t *testing.T, h *fixture) {
		return writers(func(h *fixture) { h.setModuleScript("announcements", text) })
	}
	anyone := func(t *testing.T, h *fixture) { h.session = d.signIn(t, d.member(t, "Reader 1")) }
	failing := func(route string, status int, code string) func(t *testing.T, h *fixture) {
		return func(_ *testing.T, h *fixture) { h.respond(route, status, `{"code":"`+code+`"}`) }
	}
	const signInRoute, askRoute = "POST /api/auth/sign-in/email", "POST /api/auth/request-password-reset"
	const confirm, choose = "/?service_auth=verify-email&token=t", "/?service_auth=reset-password&token=t"
	alert := func(p *tab) { p.waitFor(`document.querySelector("main [role=alert], [role=main] [role=alert]")`) }
	pressConfirm := func(kind string) func(p *tab) {
		return func(p *tab) {
			p.clickSelector("button.d-primary")
			p.waitFor(`document.querySelector(".d-note.` + kind + `[role=alert]")`)
		}
	}
	save := func(kind string) func(p *tab) {
		return func(p *tab) {
			p.typeInto("input", "long enough")
			p.clickSelector("[type=submit]")
			p.waitFor(`document.querySelector(".d-note.` + kind + `[role=alert]")`)
		}
	}
	ask := func(kind string) func(p *tab) {
		return func(p *tab) {
			forgot(p)
			p.typeInto("[type=email]", "owner@example.org")
			p.clickSelector("[role=main] [type=submit]")
			p.waitFor(`document.querySelector(".d-note.` + kind + `[role=alert]")`)
		}
	}
	notices := func(p *tab) { p.waitFor(`document.querySelectorAll(".notice").length >= 4`) }
	editor := func(p *tab) { p.waitFor(`document.querySelector(".announcements [required]")`) }
	return []screenCase{
		{"W1-sign-in", "/", nil, nil},
		{"W1-refused", "/", nil, signIn},
		{"W1-unverified", "/", nil, func(p *tab) {
			p.submit(unverified, d.password)
			p.waitFor(`document.querySelector(".d-note")`)
		}},
		{"W1-slower", "/", func(_ *testing.T, h *fixture) {
			h.handle(signInRoute, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Retry-After", "600") // the real one would be over before the check is
				reply(w, 429, `{"code":"TOO_MANY_REQUESTS"}`)
			})
		}, func(p *tab) {
			p.submit("owner@example.org", "wrong")
			p.waitFor(`document.querySelector("[type=submit]").disabled`)
		}},
		{"W1-failed", "/", failing(signInRoute, 500, "IDENTITY_FAILED"), signIn},
		{"W1-fields", "/", nil, func(p *tab) {
			p.submit("nobody", "")
			p.waitFor(`document.querySelector("[aria-invalid=true]")`)
		}},
		{"W2-forgot", "/", nil, forgot},
		{"W2-sent", "/", nil, ask("d-ok")},
		{"W2-failed", "/", failing(askRoute, 500, "IDENTITY_FAILED"), ask("d-bad")},
		{"W3-confirm", confirm, nil, nil},
		{"W3-dead", confirm, nil, pressConfirm("d-bad")},
		{"W3-failed", confirm, failing("GET /api/auth/verify-email", 500, "IDENTITY_FAILED"),
			pressConfirm("d-bad")},
		{"W3-confirmed", "", func(t *testing.T, h *fixture) {
			h.begin = d.askForConfirmation(t, d.member(t, "Reader 1"))
		}, pressConfirm("d-ok")},
		{"W4-choose", choose, nil, nil},
		{"W4-short", choose, nil, func(p *tab) {
			p.typeInto("input", "short")
			p.clickSelector("[type=submit]")
			p.waitFor(`document.querySelector("[aria-invalid=true]")`)
		}},
		{"W4-dead", choose, nil, save("d-bad")},
		{"W4-failed", choose, failing("POST /api/auth/reset-password", 500, "IDENTITY_FAILED"), save("d-bad")},
		{"W4-saved", "", func(t *testing.T, h *fixture) {
			h.begin = d.askForPassword(t, d.member(t, "Reader 1"))
		}, save("d-ok")},
		{"S-bad-build", "/", func(_ *testing.T, h *fixture) { h.setOrigin("church") }, nil},
		{"S-unreachable", "/", failing("GET /api/v1/principal", 503, "PRINCIPAL_RESOLUTION_FAILED"), alert},
		{"S-forbidden", "/", writers(func(h *fixture) {
			h.respond("GET /api/v1/dashboard/navigation", 403, `{"code":"PERMISSION_DENIED"}`)
		}), alert},
		{"S-nowhere", "/#/m/gone", anyone, nil},
		{"S-account", "/#/account", anyone,
			func(p *tab) { p.waitFor(`document.querySelector(".host-name-form")`) }},
		{"W5-home", "/", anyone, func(p *tab) { p.waitFor(`document.querySelector(".host-doorway")`) }},
		{"W5-menu", "/", anyone, func(p *tab) {
			p.waitFor(`document.querySelector(".host-doorway")`)
			p.waitFor(`document.querySelector("[data-module=home] .d-card")`)
			p.clickSelector(".host-account > button")
		}},
		{"W5-module-failed", "/#/m/announcements", broken(`throw new Error("no");`), alert},
		{"W5-module-old", "/#/m/announcements",
			broken(`export default { narthex: "module-ui", abi: 0, definition: {} };`), alert},
		{"W5-module-gone", "/#/m/announcements", writers(func(h *fixture) {
			h.respond(script, 404, `{"code":"NOT_FOUND"}`)
		}), alert},
		{"W5-restart", "/#/m/announcements", func(t *testing.T, h *fixture) {
			h.session = d.signIn(t, d.member(t, "Ada", "core.modules.lifecycle.manage", "announcements.slides.manage"))
		}, func(p *tab) {
			p.waitFor(`document.querySelector(".restart") && document.querySelector(".notice")`)
			p.clickSelector(".restart button")
		}},
		{"W6-navigation", "/#/m/announcements", writers(nil), func(p *tab) {
			p.waitFor(`document.querySelector(".notice")`)
			p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".host-menu-button").click()`))
		}},
		{"S-loading", "/#/m/announcements", writers(func(h *fixture) { _ = h.hold(script) }),
			func(p *tab) { p.waitFor(`document.querySelector(".d-skeleton i")`) }},
		{"S-leaving", "/#/m/announcements/new", writers(nil), func(p *tab) {
			editor(p)
			p.typeInto(".announcements [required]", "Half")
			p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[href='#/account']").click()`))
			p.waitFor(`document.querySelector(".d-toast:not([data-empty])")`)
		}},
		{"A1-list", "/#/m/announcements", writers(nil), notices},
		{"A1-menu", "/#/m/announcements", writers(nil), func(p *tab) {
			notices(p)
			p.clickSelector("[aria-haspopup=menu]")
		}},
		{"A1-toast", "/#/m/announcements", writers(nil), func(p *tab) {
			notices(p)
			p.clickSelector("td.d-actions > button")
			p.waitFor(`document.querySelector(".d-toast:not([data-empty])")`)
		}},
		{"A1-reader", "/#/m/announcements", anyone,
			func(p *tab) { p.waitFor(`document.querySelectorAll(".read > li").length >= 4`) }},
		{"A2-editor", "/#/m/announcements/edit/" + welcome, writers(nil), editor},
		{"A2-errors", "/#/m/announcements/new", writers(nil), func(p *tab) {
			editor(p)
			p.clickSelector("[type=submit]")
			p.waitFor(`document.querySelector("[aria-invalid=true]")`)
		}},
		{"A3-delete", "/#/m/announcements/edit/" + welcome, writers(nil), func(p *tab) {
			p.waitFor(`document.querySelector(".editor button.end")`)
			p.clickSelector(".editor button.end")
			p.waitFor(`document.querySelector("dialog[open]")`)
		}},
	}
}

// setSession gives the page the session of a fixture, and no other one.
func (p *tab) setSession(h *fixture) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.ClearBrowserCookies, cdp.Empty{})
		if err != nil || h.session == nil {
			return err
		}
		_, err = cdp.Call(ctx, t, network.SetCookie, network.SetCookieParams{
			Name: h.session.Name, Value: h.session.Value, URL: h.URL, HTTPOnly: new(true),
		})
		return err
	}))
}

func signIn(p *tab) {
	p.submit("owner@example.org", "wrong")
	p.waitFor(`document.querySelector(".d-note")`)
}

// askForConfirmation asks for a link to confirm an address, and returns its path.
func (d *devServer) askForConfirmation(t *testing.T, email string) string {
	t.Helper()
	d.query(t, `UPDATE core.person SET email_verified = false WHERE email = $1 RETURNING email`, email)
	d.send(t, nil, "POST", "/api/auth/send-verification-email",
		strings.NewReader(jsonOf(t, object{"email": email})))
	return d.emailedLink(t, email)
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

// clickSelector clicks where the first such element is, once it has stopped moving: what is loading may move
// it.
func (p *tab) clickSelector(selector string) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf(`((element) => {
		if (!element || [...document.images].some((i) => !i.complete && i.loading !== "lazy")) return false;
		const { x, y } = element.getBoundingClientRect();
		const stays = element.wasAt === x + "," + y;
		element.wasAt = x + "," + y;
		return stays;
	})(document.querySelector(%q))`, selector))
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

// TestScreens checks every screen in every size, and in both writing directions. The page is loaded anew for
// each language.
func TestScreens(t *testing.T) {
	t.Parallel()
	d := startNamedHouse(t)
	assertHouseScreens(t, d, screensOf(t, d))
}

// assertHouseScreens opens one window for each screen of a house, because a window costs as much as the page
// in it. Each language has a front of its own at another origin, so that no stored data of the previous one
// remain.
func assertHouseScreens(t *testing.T, d *devServer, screens []screenCase) {
	t.Helper()
	check := func(p *tab, screen, language string) { p.assertScreen(screen+language, language != "") }
	walkScreens(t, chromium, d, screens, check, "", "de", "ar-XB")
}

// walkScreens opens each screen in each language, in a window of this browser, and checks it there.
func walkScreens(
	t *testing.T, browser context.Context, d *devServer, screens []screenCase,
	check func(p *tab, screen, language string), languages ...string,
) {
	t.Helper()
	if testing.Short() {
		screens = slices.DeleteFunc(slices.Clone(screens), func(s screenCase) bool { return !usual[s.name] })
	}
	for _, screen := range screens {
		t.Run(screen.name, func(t *testing.T) {
			t.Parallel()
			window := openPageIn(t, browser, "about:blank", desktop)
			// the question about unsaved changes would keep the window from loading the next language
			window.onNewDocument(`addEventListener("beforeunload", (e) => e.stopImmediatePropagation(), true)`)
			window.keepAxe()
			for _, language := range few(languages...) {
				t.Run(cmp.Or(language, "en"), func(t *testing.T) {
					h := d.front(t)
					if screen.house != nil {
						screen.house(t, h)
					}
					p := &tab{t: t, ctx: window.ctx}
					// The end of the fixture waits for its requests.
					t.Cleanup(h.CloseClientConnections)
					t.Cleanup(func() { p.do(chromedp.Navigate("about:blank")) })
					p.setView(view{width: desktop.width, height: desktop.height, reduced: true})
					p.setLanguage(language)
					p.setSession(h)
					p.do(chromedp.Navigate(h.URL + cmp.Or(h.begin, screen.path)))
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
