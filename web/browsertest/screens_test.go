package browsertest

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
)

// screen is one to be looked at, with what has to be done to see it.
type screen struct {
	name  string
	path  string
	house func(t *testing.T, h *house)
	walk  func(p *tab)
}

// screens are all there are, with what has to be done to see each. Words are the reader's business
// elsewhere: here they are looked for by what they are part of, so that every language passes.
var screens = []screen{
	{"W1-sign-in", "/", nil, nil},
	{"W1-refused", "/", func(_ *testing.T, h *house) {
		h.answer("POST /api/auth/sign-in/email", 401, `{"code":"INVALID_EMAIL_OR_PASSWORD"}`)
	}, signIn},
	{"W1-unverified", "/", func(_ *testing.T, h *house) {
		h.answer("POST /api/auth/sign-in/email", 403, `{"code":"EMAIL_NOT_VERIFIED"}`)
	}, signIn},
	{"W1-slower", "/", func(_ *testing.T, h *house) {
		h.on("POST /api/auth/sign-in/email", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Retry-After", "600") // for as long as it is looked at
			reply(w, 429, `{"code":"TOO_MANY_REQUESTS"}`)
		})
	}, func(p *tab) {
		p.submit("owner@example.org", "wrong")
		p.wait(`document.querySelector("[type=submit]").disabled`)
	}},
	{"W1-failed", "/", func(_ *testing.T, h *house) {
		h.answer("POST /api/auth/sign-in/email", 500, `{"code":"IDENTITY_FAILED"}`)
	}, signIn},
	{"W1-fields", "/", nil, func(p *tab) {
		p.submit("nobody", "")
		p.wait(`document.querySelector("[aria-invalid=true]")`)
	}},
	{"W2-forgot", "/", nil, forgot},
	{"W2-sent", "/", func(_ *testing.T, h *house) {
		h.answer("POST /api/auth/request-password-reset", 200, `{"status":true}`)
	}, func(p *tab) {
		forgot(p)
		p.typeInto("[type=email]", "owner@example.org")
		p.click("[role=main] [type=submit]")
		p.wait(`document.querySelector(".note.ok[role=alert]")`)
	}},
	{"W2-failed", "/", func(_ *testing.T, h *house) {
		h.answer("POST /api/auth/request-password-reset", 500, `{"code":"IDENTITY_FAILED"}`)
	}, func(p *tab) {
		forgot(p)
		p.typeInto("[type=email]", "owner@example.org")
		p.click("[role=main] [type=submit]")
		p.wait(`document.querySelector(".note.bad[role=alert]")`)
	}},
	{"W3-confirm", "/?service_auth=verify-email&token=t", nil, nil},
	{"W3-dead", "/?service_auth=verify-email&token=t", func(_ *testing.T, h *house) {
		h.answer("GET /api/auth/verify-email", 401, `{"code":"TOKEN_EXPIRED"}`)
	}, func(p *tab) {
		p.click("button.primary")
		p.wait(`document.querySelector(".note.bad[role=alert]")`)
	}},
	{"W3-failed", "/?service_auth=verify-email&token=t", func(_ *testing.T, h *house) {
		h.answer("GET /api/auth/verify-email", 500, `{"code":"IDENTITY_FAILED"}`)
	}, func(p *tab) {
		p.click("button.primary")
		p.wait(`document.querySelector(".note.bad[role=alert]")`)
	}},
	{"W3-confirmed", "/?service_auth=verify-email&token=t", func(_ *testing.T, h *house) {
		h.answer("GET /api/auth/verify-email", 200, `{"status":true,"user":null}`)
	}, func(p *tab) {
		p.click("button.primary")
		p.wait(`document.querySelector(".note.ok[role=alert]")`)
	}},
	{"W4-choose", "/?service_auth=reset-password&token=t", nil, nil},
	{"W4-short", "/?service_auth=reset-password&token=t", nil, func(p *tab) {
		p.typeInto("input", "short")
		p.click("[type=submit]")
		p.wait(`document.querySelector("[aria-invalid=true]")`)
	}},
	{"W4-dead", "/?service_auth=reset-password&token=t", func(_ *testing.T, h *house) {
		h.answer("POST /api/auth/reset-password", 400, `{"code":"INVALID_TOKEN"}`)
	}, func(p *tab) {
		p.typeInto("input", "long enough")
		p.click("[type=submit]")
		p.wait(`document.querySelector(".note.bad[role=alert]")`)
	}},
	{"W4-failed", "/?service_auth=reset-password&token=t", func(_ *testing.T, h *house) {
		h.answer("POST /api/auth/reset-password", 500, `{"code":"IDENTITY_FAILED"}`)
	}, func(p *tab) {
		p.typeInto("input", "long enough")
		p.click("[type=submit]")
		p.wait(`document.querySelector(".note.bad[role=alert]")`)
	}},
	{"W4-saved", "/?service_auth=reset-password&token=t", func(_ *testing.T, h *house) {
		h.answer("POST /api/auth/reset-password", 200, `{"status":true}`)
	}, func(p *tab) {
		p.typeInto("input", "long enough")
		p.click("[type=submit]")
		p.wait(`document.querySelector(".note.ok[role=alert]")`)
	}},
	{"S-bad-build", "/", func(_ *testing.T, h *house) { h.content("church") }, nil},
	{"S-unreachable", "/", func(_ *testing.T, h *house) {
		h.answer("GET /api/v1/principal", 503, `{"code":"PRINCIPAL_RESOLUTION_FAILED"}`)
	}, func(p *tab) { p.wait(`document.querySelector("main [role=alert], [role=main] [role=alert]")`) }},
	{"S-empty", "/", func(_ *testing.T, h *house) {
		h.signedIn(person)
		h.navigation(nil, nil)
	}, nil},
	{"S-forbidden", "/", func(_ *testing.T, h *house) {
		h.signedIn(person)
		h.answer("GET /api/v1/dashboard/navigation", 403, `{"code":"PERMISSION_DENIED"}`)
	}, func(p *tab) { p.wait(`document.querySelector("main [role=alert]")`) }},
	{"S-nowhere", "/#/m/gone", announcements, nil},
	{"S-account", "/#/account", func(t *testing.T, h *house) {
		owned(h)
		announcements(t, h)
	}, func(p *tab) { p.wait(`document.querySelector(".name-form")`) }},
	{"W5-home", "/", func(_ *testing.T, h *house) {
		h.signedIn(person)
		owned(h)
		sunday(h)
	}, func(p *tab) { p.wait(`document.querySelector(".doorway")`) }},
	{"W5-menu", "/#/m/announcements", announcements, func(p *tab) {
		p.wait(`document.querySelector(".notice")`)
		p.click(".account > button")
	}},
	{"W5-module-failed", "/#/m/announcements", func(t *testing.T, h *house) {
		announcements(t, h)
		h.script("announcements", `throw new Error("no");`)
	}, func(p *tab) { p.wait(`document.querySelector("main [role=alert]")`) }},
	{"W5-module-old", "/#/m/announcements", func(t *testing.T, h *house) {
		announcements(t, h)
		h.script("announcements", `export default { narthex: "module-ui", abi: 0, definition: {} };`)
	}, func(p *tab) { p.wait(`document.querySelector("main [role=alert]")`) }},
	{"W5-module-gone", "/#/m/announcements", func(t *testing.T, h *house) {
		announcements(t, h)
		h.answer("GET /api/v1/module-ui/announcements/1.0.0", 404, `{"code":"NOT_FOUND"}`)
	}, func(p *tab) { p.wait(`document.querySelector("main [role=alert]")`) }},
	{"W5-restart", "/#/m/announcements", func(t *testing.T, h *house) {
		announcements(t, h)
		waiting(h)
	}, func(p *tab) {
		p.wait(`document.querySelector(".restart") && document.querySelector(".notice")`)
		p.click(".restart button")
	}},
	{"W6-navigation", "/#/m/announcements", announcements, func(p *tab) {
		p.wait(`document.querySelector(".notice")`)
		p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".menu-button").click()`))
	}},
	{"S-loading", "/#/m/announcements", func(t *testing.T, h *house) {
		announcements(t, h)
		h.on("GET /api/v1/module-ui/announcements/1.0.0",
			func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	}, func(p *tab) { p.wait(`document.querySelector(".skeleton i")`) }},
	{"S-leaving", "/#/m/announcements/new", announcements, func(p *tab) {
		p.wait(`document.querySelector(".announcements [required]")`)
		p.typeInto(".announcements [required]", "Half")
		p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[href='#/account']").click()`))
		p.wait(`document.querySelector("dialog[open]")`)
	}},
	{"A1-list", "/#/m/announcements", announcements,
		func(p *tab) { p.wait(`document.querySelectorAll(".notice").length === 4`) }},
	{"A1-menu", "/#/m/announcements", announcements, func(p *tab) {
		p.wait(`document.querySelectorAll(".notice").length === 4`)
		p.click("[aria-haspopup=menu]")
	}},
	{"A1-toast", "/#/m/announcements", announcements, func(p *tab) {
		p.wait(`document.querySelectorAll(".notice").length === 4`)
		p.click("td.actions > button")
		p.wait(`document.querySelector(".toast:not([data-empty])")`)
	}},
	{"A1-reader", "/#/m/announcements", func(t *testing.T, h *house) {
		h.signedIn(person)
		board(t, h, "announcements.slides.read")
	}, func(p *tab) { p.wait(`document.querySelectorAll(".read > li").length === 4`) }},
	{"A2-editor", "/#/m/announcements/edit/00000000-0000-4000-8000-000000000001", announcements, func(p *tab) {
		p.wait(`document.querySelector(".announcements [required]")`)
	}},
	{"A2-errors", "/#/m/announcements/new", announcements, func(p *tab) {
		p.wait(`document.querySelector(".announcements [required]")`)
		p.click("[type=submit]")
		p.wait(`document.querySelector("[aria-invalid=true]")`)
	}},
	{"A3-delete", "/#/m/announcements/edit/00000000-0000-4000-8000-000000000001", announcements, func(p *tab) {
		p.wait(`document.querySelector(".editor button.end")`)
		p.click(".editor button.end")
		p.wait(`document.querySelector("dialog[open]")`)
	}},
}

// announcements signs somebody in who writes notices.
func announcements(t *testing.T, h *house) {
	h.signedIn(person)
	board(t, h, "announcements.slides.read", "announcements.slides.manage")
}

// sunday lets the person open a few modules.
func sunday(h *house) {
	named := func(id, name, icon string) object { return module(id, name, object{"icon": icon}) }
	h.navigation(nil, []object{named("library", "Library", "book"), named("prayer", "Prayer list", "heart")},
		group("sunday", "Sunday", named("stage", "Stage", "lectern"), named("rota", "Rota", "rota"),
			named("songs", "Songs", "music")),
		group("foyer", "Foyer", named("announcements", "Announcements", "megaphone"),
			named("countdown", "Countdown", "timer"), module("rooms", "Rooms", nil)))
}

// waiting lets two decisions wait for a restart.
func waiting(h *house) {
	entry := func(id, name, state string, enabled bool) object {
		return object{"id": id, "name": name, "version": "1.0.0",
			"configured":      object{"enabled": enabled, "explicit": true},
			"runtime":         object{"state": state},
			"restartRequired": true, "dependencies": []object{}}
	}
	h.json("GET /api/v1/module-lifecycle", 200, object{"modules": []object{
		entry("rota", "Rota", "running", false), entry("stage", "Stage", "disabled", true),
	}})
	h.navigation([]string{"core.modules.lifecycle.manage"}, nil, group("foyer", "Foyer",
		module("announcements", "Announcements",
			object{"permissions": []string{"announcements.slides.read", "announcements.slides.manage"}})))
}

func signIn(p *tab) {
	p.submit("owner@example.org", "wrong")
	p.wait(`document.querySelector(".note")`)
}

func forgot(p *tab) { p.click("button.text.wide") }

// submit sends the sign-in.
func (p *tab) submit(email, password string) {
	p.typeInto("[type=email]", email)
	p.typeInto("[autocomplete=current-password]", password)
	p.click("[type=submit]")
}

// speak chooses the language of the pages that are loaded from now on.
func (p *tab) speak(h *house, language string) {
	p.t.Helper()
	p.do(chromedp.Navigate(h.URL + "/assets/service-dashboard/app.js")) // any page of this origin
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`localStorage.setItem("narthex.language", %q)`, language)))
}

// typeInto and click find by selector, for walks that pass in every language.
func (p *tab) typeInto(selector, text string) {
	p.do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

func (p *tab) click(selector string) { p.do(chromedp.Click(chromedp.CSS(selector))) }

// TestScreens looks at every screen in every size, in both directions of writing. Each language has a load
// of its own, so that a screen is what somebody of that language gets.
func TestScreens(t *testing.T) {
	t.Parallel()
	lookAt(t, screens)
}

func lookAt(t *testing.T, screens []screen) {
	t.Helper()
	for _, language := range []string{"", "de", "ar-XB"} {
		for _, screen := range screens {
			t.Run(screen.name+language, func(t *testing.T) {
				t.Parallel()
				h := setup(t)
				if screen.house != nil {
					screen.house(t, h)
				}
				p := open(t, "about:blank", view{width: desktop.width, height: desktop.height, reduced: true})
				p.speak(h, language)
				p.do(chromedp.Navigate(h.URL + screen.path))
				p.wait(`document.querySelector("h1")`)
				if screen.walk != nil {
					screen.walk(p)
				}
				p.shows(screen.name+language, language != "")
			})
		}
	}
}

// TestCodeAmongRightToLeftWords: what a person reads to the operator is not turned round.
func TestCodeAmongRightToLeftWords(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.answer("GET /api/v1/principal", 503, `{"code":"PRINCIPAL_RESOLUTION_FAILED"}`)
	p := open(t, "about:blank", phone)
	p.speak(h, "ar-XB")
	p.do(chromedp.Navigate(h.URL))
	p.wait(`document.querySelector("small")`)
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
