package browsertest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/narthex-platform/narthex/services/waittest"
)

// engine is any browser, as far as the walk below needs it. What names an element is an expression in
// JavaScript.
type engine interface {
	goTo(address string)
	eval(expression string) (json.RawMessage, error)
	click(expression string) error
	enter(expression, text string) error
	picture() ([]byte, error)
}

// TestEngines walks through the whole house in browsers of other engines, and in the oldest ones for which
// the platform is made (README.md). A browser that is too old says so.
func TestEngines(t *testing.T) {
	leaveToProof(t, "its browsers are installed by make proof")
	d, table := startHouse(t), &browserTable{}
	for _, name := range []string{"firefox", "webkit"} {
		t.Run(name, func(t *testing.T) {
			b := visit(t, d, name, func() engine { return startWebDriver(t, name) })
			b.table, b.browser = table, map[string]string{"firefox": "Firefox ESR", "webkit": "WebKitGTK"}[name]
			b.walkDashboard()
			b.walkDisplays()
		})
	}
	for _, old := range []struct {
		version             string
		dashboard, displays bool
	}{{"92", false, false}, {"103", false, true}, {"109", true, true}} {
		t.Run("chromium "+old.version, func(t *testing.T) {
			b := visit(t, d, "chromium-"+old.version, func() engine { return startOldChromium(t, old.version) })
			b.table, b.browser = table, "Chromium "+old.version
			if old.dashboard {
				b.walkDashboard()
			} else {
				b.goTo(d.address)
				b.waitForText("This browser is too old for this page. It needs Chrome or Edge 109, Firefox 115, " +
					"Safari 16.4 (iOS 16.4) or newer.")
				b.tooOld("Sign in")
			}
			if old.displays {
				b.walkDisplays()
			} else {
				b.goTo(d.address + "/display/announcements")
				b.waitForText("This browser is too old for this page. It needs Chromium 94 or newer.")
				b.tooOld("Display of announcements")
			}
		})
	}
	if !t.Failed() {
		table.compare(t, "Screens")
	}
}

// TestFirefoxWithoutCookies: a Firefox that blocks cookies throws for storage and channels. The Dashboard
// says why nobody can sign in, and a screen says what it needs; it shows no code, which would be lost.
func TestFirefoxWithoutCookies(t *testing.T) {
	if testing.Short() {
		t.Skip("make proof installs Firefox")
	}
	d := startHouse(t)
	v := visit(t, d, "firefox-without-cookies", func() engine {
		return &webDriver{t: t, send: startFirefox(t, `user_pref("network.cookie.cookieBehavior", 2);`)}
	})
	v.open("/display/stage")
	v.waitForText("A screen keeps its pairing in a cookie.")
	v.save("display")
	shown, err := v.eval(`document.querySelector(".host-digits") !== null`)
	if err != nil || string(shown) != "false" {
		t.Errorf("a code is shown: %s %v", shown, err)
	}
	v.assertQuiet("the display")
	v.open("/")
	v.fill("E-mail", "owner@example.org")
	v.fill("Password", d.password)
	v.press("button", "Sign in")
	v.waitForText("cookies")
	v.save("sign-in")
	v.assertQuiet("the Dashboard")
}

// visitor is somebody who uses the house in a browser.
type visitor struct {
	t *testing.T
	engine
	d     *devServer
	name  string
	start func() engine

	table   *browserTable // nil: what works is not noted
	browser string        // its name in the table
}

func visit(t *testing.T, d *devServer, name string, start func() engine) *visitor {
	return &visitor{t: t, engine: start(), d: d, name: name, start: start}
}

// works notes that a screen works, and saves its picture.
func (v *visitor) works(screen string) {
	v.t.Helper()
	v.table.note(screen, v.browser, "works")
	v.save(strings.ReplaceAll(strings.ToLower(screen), " ", "-"))
}

// tooOld notes that the browser is told to be too old for a screen, and saves its picture.
func (v *visitor) tooOld(screen string) {
	v.t.Helper()
	v.table.note(screen, v.browser, "says that it is too old")
	v.save("too-old-" + strings.ToLower(screen))
}

// named finds an element that is shown, by what assistive technology calls it.
const named = `((selector, name) => [...document.querySelectorAll(selector)].find((element) =>
	(element.getAttribute("aria-label") ?? element.innerText).trim() === name &&
	element.getClientRects().length > 0))`

// labelled finds the field of a label.
const labelled = `((name) => [...document.querySelectorAll("label")].find((label) =>
	label.innerText.trim().startsWith(name))?.control)`

// failuresKept keeps what goes wrong in the page from now on.
const failuresKept = `((window) => {
	if (window.failures) return;
	window.failures = [];
	window.addEventListener("error", (event) => { window.failures.push(String(event.message)); });
	window.addEventListener("unhandledrejection", (event) => { window.failures.push(String(event.reason)); });
})(window)`

// open goes to an address. A hash alone changes the screen without loading the page again.
func (v *visitor) open(path string) {
	v.t.Helper()
	v.goTo(v.d.address + path)
	if _, err := v.eval(failuresKept); err != nil {
		v.t.Error(err)
	}
}

func (v *visitor) until(what string, holds func() error) {
	v.t.Helper()
	var err error
	defer func() {
		if err != nil {
			v.save("failed")
			text, _ := v.eval(`location.href + document.body.innerText.slice(0, 2000)`)
			v.t.Logf("%v; the page says %s", err, text)
		}
	}()
	waittest.Until(v.t, what, func() bool {
		err = holds()
		return err == nil
	})
}

func (v *visitor) waitForText(words string) {
	v.t.Helper()
	v.until(words, func() error {
		text, err := v.eval(`document.body.innerText + [...document.querySelectorAll(".host-stage *")]
			.map((element) => element.shadowRoot?.textContent ?? "").join(" ")`)
		if err == nil && !strings.Contains(string(text), strings.Trim(jsonOf(v.t, words), `"`)) {
			err = os.ErrNotExist
		}
		return err
	})
}

func (v *visitor) press(role, name string) {
	v.t.Helper()
	v.until("press "+name, func() error { return v.click(named + `("` + role + `", "` + name + `")`) })
}

func (v *visitor) fill(label, text string) {
	v.t.Helper()
	v.until("fill "+label, func() error { return v.enter(labelled+`("`+label+`")`, text) })
}

// save saves a picture where NARTHEX_SCREENSHOTS says.
func (v *visitor) save(name string) {
	v.t.Helper()
	folder := os.Getenv("NARTHEX_SCREENSHOTS")
	if folder == "" {
		return
	}
	taken, err := v.picture()
	if err != nil {
		v.t.Log(err)
		return
	}
	image, err := base64.StdEncoding.DecodeString(string(taken))
	if err != nil {
		v.t.Log(err)
		return
	}
	if err := os.WriteFile(filepath.Join(folder, v.name+"-"+name+".png"), image, 0o600); err != nil {
		v.t.Error(err)
	}
}

// assertQuiet fails the test if a script of the page has failed.
func (v *visitor) assertQuiet(where string) {
	v.t.Helper()
	failures, err := v.eval(`JSON.stringify(window.failures ?? [])`)
	if err != nil || string(failures) != `"[]"` {
		v.t.Errorf("%s: uncaught %s %v", where, failures, err)
	}
}

// walkDashboard signs in, sees every page, and writes something on each that has something to write.
func (v *visitor) walkDashboard() {
	v.t.Helper()
	v.open("/")
	v.fill("E-mail", "owner@example.org")
	v.fill("Password", v.d.password)
	v.works("Sign in")
	v.press("button", "Sign in")
	v.waitForText("Modules")
	v.waitForText("Latest notice") // a tile of a module
	v.works("Home")

	title := "Written in " + v.name
	v.open("/#/m/announcements")
	v.press("button", "Write a notice")
	v.fill("Title", title)
	v.press("button", "Save")
	v.waitForText(title)
	v.until("move up", func() error { // a scroll, which a driver makes before it clicks, closes the menu again
		up := named + `("[role=menuitem]", "Move up")`
		if shown, err := v.eval(`Boolean(` + up + `)`); err != nil || string(shown) != "true" {
			return errors.Join(os.ErrNotExist, v.click(named+`("button", "More for `+title+`")`))
		}
		v.save("menu")
		return v.click(up)
	})
	v.waitForText(title + " moved")
	v.works("Notices")

	// a day of each browser's own: one with many events hides some
	days := map[string]string{"firefox": "06", "webkit": "07", "chromium-109": "08"}
	v.open("/#/m/calendar/new/2031-01-" + days[v.name])
	v.fill("Title", title)
	v.works("New event")
	v.press("button", "Save")
	v.waitForText(title)
	v.works("Calendar")

	v.open("/#/m/rota/volunteers/new")
	v.waitForText("Add a volunteer")
	v.fill("Name", title)
	v.press("button", "Save")
	v.waitForText(title)
	v.works("Rota")

	v.open("/#/m/stage")
	v.press("button", "New service")
	v.fill("Title", title)
	v.press("button", "Save")
	v.press("button", "Add an item")
	v.until("the kind", func() error {
		_, err := v.eval(`((select) => {
			select.value = "reading";
			for (const event of ["input", "change"]) select.dispatchEvent(new Event(event, { bubbles: true }));
		})(` + labelled + `("Kind"))`)
		return err
	})
	v.fill("Title", strings.Repeat("Psalm 23, ", 15))
	v.fill("Text", "The LORD is my shepherd")
	v.press("button", "Save")
	v.waitForText("Psalm 23")
	v.until("a long name beside its mark", func() error {
		below, err := v.eval(`((summary) =>
			summary.offsetHeight - summary.querySelector(".about-item").offsetHeight)(
			document.querySelector(".about-text > summary"))`)
		if err == nil && len(below) > 1 {
			err = fmt.Errorf("it is %s px below", below)
		}
		return err
	})
	v.works("Stage")

	for _, screen := range [][3]string{
		{"People", "/#/admin/people", "Invite"}, {"Modules", "/#/admin/modules", "Countdown"},
		{"Permissions", "/#/admin/permissions", "Permissions"},
		{"Settings of a module", "/#/admin/modules/rota/settings", "Name of the team"},
		{"House", "/#/admin/house", "Colour"}, {"Activity", "/#/admin/activity", "Action"},
		{"Screens", "/#/admin/screens", "Screens"}, {"Navigation", "/#/admin/navigation", "Add group"},
	} {
		v.open(screen[1])
		v.waitForText(screen[2])
		v.works(screen[0])
	}
	v.open("/#/account")
	v.press(".d-segments label", "Dark")
	v.until("dark", func() error {
		theme, err := v.eval(`document.documentElement.dataset.theme`)
		if err == nil && string(theme) != `"dark"` {
			err = os.ErrNotExist
		}
		return err
	})
	v.works("Account")
	v.assertQuiet("the Dashboard")
}

// walkDisplays pairs a screen with each display and sees what it shows.
func (v *visitor) walkDisplays() {
	v.t.Helper()
	for _, module := range []string{"announcements", "calendar", "stage"} {
		v.engine = v.start() // a screen of its own
		v.open("/display/" + module)
		var code string
		v.until("a code", func() error {
			digits, err := v.eval(`document.querySelector(".host-digits").innerText.replace(/\D/g, "")`)
			if code = strings.Trim(string(digits), `"`); err == nil && len(code) != 6 {
				err = os.ErrNotExist
			}
			return err
		})
		v.save("code-" + module)
		v.d.call(v.t, "POST", "/api/v1/device-pairing/"+code+"/approve", object{"label": v.name + " " + module})
		v.until("the picture of "+module, func() error {
			// the stage's is a drawing until somebody drives a service
			shown, err := v.eval(`document.querySelector(".host-digits") === null && /\S/.test(
				(function words(root) {
					return [...root.querySelectorAll("*")].map((element) =>
						element.shadowRoot ? words(element.shadowRoot) : element.innerText ?? element.tagName).join("");
				})(document.querySelector(".host-stage [data-module]")))`)
			if err == nil && string(shown) != "true" {
				err = os.ErrNotExist
			}
			return err
		})
		v.works("Display of " + module)
		v.assertQuiet("the display " + module)
	}
}

// chromiumEngine is a Chromium, perhaps of years ago, controlled by the protocol that it had then.
type chromiumEngine struct{ *tab }

func startOldChromium(t *testing.T, version string) chromiumEngine {
	t.Helper()
	program, err := filepath.Abs("../../.tools/chromium-" + version + "/chromium")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("%v: make proof installs it", err)
	}
	allocator, stop := chromedp.NewExecAllocator(t.Context(), chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.Headless, chromedp.DisableGPU, chromedp.Flag("single-process", false),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.UserDataDir(t.TempDir()),
		chromedp.WSURLReadTimeout(patience))
	t.Cleanup(stop)
	browser, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	(&tab{t: t, ctx: browser}).do(chromedp.Navigate("about:blank"))
	// The first context keeps its cookies in a file. Without a window an old Chromium has nothing to encrypt
	// them with, and its network service ends at the first cookie; another context keeps them in memory.
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx}
	p.do(chromedp.Navigate("about:blank"))
	return chromiumEngine{p}
}

func (o chromiumEngine) goTo(address string) { o.do(chromedp.Navigate(address)) }

// eval gives an element as true, because it is only found and not kept. It catches what the expression
// throws: an old Chromium tells the page of it too, as if a script of the page had failed.
func (o chromiumEngine) eval(expression string) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(o.ctx, patience/10) // a page that goes away may never answer
	defer cancel()
	answer, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(() => {
		try { return JSON.stringify({ value: `+expression+` }); }
		catch (failure) { return JSON.stringify({ failure: String(failure) }); }
	})()`))
	if err != nil {
		return nil, err
	}
	var read struct {
		Value   json.RawMessage
		Failure string
	}
	if err := json.Unmarshal([]byte(answer), &read); err != nil {
		return nil, err
	}
	if read.Failure != "" {
		return nil, errors.New(read.Failure)
	}
	return read.Value, nil
}

// point returns the middle of an element, when a click there would reach it and it has stopped moving. It
// scrolls only to an element that is out of sight, because a scroll closes an open menu.
func (o chromiumEngine) point(expression string) (x, y float64, err error) {
	answer, err := o.eval(`((element) => {
		const middle = () => {
			const { x, y, width, height } = element.getBoundingClientRect();
			return [x + width / 2, y + height / 2];
		};
		if (!element.contains(document.elementFromPoint(...middle()))) element.scrollIntoView({ block: "center" });
		const at = middle();
		const before = window.pointed;
		window.pointed = at;
		if (String(before) !== String(at)) throw new Error("it moves");
		const hit = document.elementFromPoint(...at);
		if (!element.contains(hit) && !hit.contains(element)) throw new Error("covered by " + hit.outerHTML);
		if (element.disabled || element.ariaDisabled === "true") throw new Error("it cannot be pressed now");
		window.reached = false;
		element.addEventListener("pointerup", () => { window.reached = true; }, { once: true, capture: true });
		return at;
	})(` + expression + `)`)
	if err != nil {
		return 0, 0, err
	}
	var point [2]float64
	err = json.Unmarshal(answer, &point)
	return point[0], point[1], err
}

func (o chromiumEngine) click(expression string) error {
	x, y, err := o.point(expression)
	if err != nil {
		return err
	}
	if err := chromedp.Do(o.ctx, chromedp.MouseClickXY(x, y)); err != nil {
		return err
	}
	// A page that has gone away does not say.
	if reached, err := o.eval(`window.reached !== false`); err == nil && string(reached) != "true" {
		return errMissed
	}
	return nil
}

func (o chromiumEngine) enter(expression, text string) error {
	if err := o.click(expression); err != nil {
		return err
	}
	if _, err := o.eval(expression + `.select()`); err != nil {
		return err
	}
	return chromedp.Do(o.ctx, chromedp.KeyEvent(text))
}

func (o chromiumEngine) picture() ([]byte, error) {
	shot, err := chromedp.Run(o.ctx, chromedp.CaptureScreenshot())
	return []byte(base64.StdEncoding.EncodeToString(shot)), err
}
