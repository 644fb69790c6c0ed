package browsertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// kept stores the context in window, so that a test can use it.
const kept = `window.context = context; container.innerHTML = "<p>Here are the notes.</p>";`

// runScript runs statements in the page and waits for them; they may use await.
func (p *tab) runScript(statements string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](`(async () => {`+statements+`})().then(() => undefined)`,
		chromedp.EvalAwaitPromise))
}

// TestModulePages uses a module of the tests in the Dashboard of a house. Each test supplies the script of
// its UI.
func TestModulePages(t *testing.T) {
	t.Parallel()
	d := startNotes(t)
	for name, test := range map[string]func(t *testing.T, d *devServer){
		"Context":                         testContext,
		"MenuOpenedRightAfterANavigation": testMenuOpenedRightAfterANavigation,
		"Unmount":                         testUnmount,
		"RefusedModuleAsksOnce":           testRefusedModuleAsksOnce,
		"EndedSession":                    testEndedSession,
		"FailingMounts":                   testFailingMounts,
		"Upgrade":                         testUpgrade,
		"Gone":                            testGone,
		"RestlessInventory":               testRestlessInventory,
		"ImportThatFailed":                testImportThatFailed,
		"UnsavedWork":                     testUnsavedWork,
		"HomeModuleFails":                 testHomeModuleFails,
		"MountErrorReachesTheConsole":     testMountErrorReachesTheConsole,
		"MountErrorIsOnThePageInDev":      testMountErrorIsOnThePageInDev,
		"NewVersion":                      testNewVersion,
		"LastModuleIsPreloaded":           testLastModuleIsPreloaded,
		"PreloadedNavigationIsDropped":    testPreloadedNavigationIsDropped,
		"PreloadedModuleIsGone":           testPreloadedModuleIsGone,
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "Context", "Unmount", "RefusedModuleAsksOnce", "EndedSession", "FailingMounts",
				"Upgrade", "UnsavedWork", "HomeModuleFails", "NewVersion")
			t.Parallel()
			test(t, d)
		})
	}
}

// testContext checks everything in the context that a mounted module gets.
func testContext(t *testing.T, d *devServer) {
	h := d.notes(t, kept)
	// Clock has no server.
	h.handle("GET /api/v1/modules/clock/echo", func(w http.ResponseWriter, r *http.Request) {
		reply(w, 200, fmt.Sprintf("%q", r.URL.RawQuery))
	})
	h.respond("GET /api/v1/modules/clock/forbidden", 403, `{"code":"PERMISSION_DENIED"}`)
	p := h.open("/#/m/notes/shelf/3", desktop)
	p.waitForText("Here are the notes.")
	for _, c := range []struct{ expression, want string }{
		{`[context.module, context.permissions]`,
			`[{"id":"notes","name":"Notes","version":"1.0.0"},["notes.read","notes.write"]]`},
		{`[context.locale.slice(0, 2), context.dir, context.theme, context.subpath]`,
			`["en","ltr","light","shelf/3"]`},
		{`context.contributions.map(({id, version, capability}) => [id, version, capability])`,
			`[["clock.slide","1.1.0","notes.slides"],["clock.old","1.0.0","notes.slides"]]`},
		{`await context.contributions[0].load()`, `{"label":"Clock"}`},
		{`await context.contributions[0].load() === await context.contributions[0].load()`, `true`},
		{`await context.contributions[1].load().catch(error => error.code)`,
			`"MODULE_UI_ABI_INCOMPATIBLE"`},
		{`await (await context.contributions[0].api("/echo?b=2")).json()`, `"b=2"`},
		{`(await context.contributions[0].api("/forbidden")).status`, `403`},
		{`await context.contributions[0].api("/../notes/x").catch(error => error.name)`, `"TypeError"`},
		{`Math.abs(context.serverNow() - Date.now()) < 60000`, `true`}, // its header has whole seconds, and is late
		{`await (await context.api("/echo?a=1", {method: "PUT", body: "{}", ` +
			`headers: {"Content-Type": "application/json"}})).json()`, `"a=1 application/json"`},
		{`(await context.api("/nothing")).status`, `404`},
		{`await context.api("/../stage/x").catch(error => error.name)`, `"TypeError"`},
		{`await context.api("/x", {headers: {"X-Other": "1"}}).catch(error => error.name)`, `"TypeError"`},
		{`Object.isFrozen(context) && Object.isFrozen(context.module)`, `true`},
	} {
		got, err := chromedp.Run(p.ctx,
			chromedp.Evaluate[string](`(async () => JSON.stringify(`+c.expression+`))()`, chromedp.EvalAwaitPromise))
		if err != nil || got != c.want {
			t.Errorf("%s is %s, want %s %v", c.expression, got, c.want, err)
		}
	}

	p.runScript(`await new Promise(resolve => setTimeout(resolve, 100))`)
	if n := h.countRequests("GET /api/v1/principal"); n != 1 {
		t.Errorf("asked %d times who is signed in, want once: a contribution's 403 is no reason", n)
	}
	p.runScript(`context.setTitle("Shelf three")`)
	p.find("heading", "Shelf three")
	p.waitFor(`document.title === "Shelf three - Dashboard"`)
	p.runScript(`context.announce("Saved")`)
	p.waitForAnnouncement("Saved")
	p.runScript(`context.announce("Gone", "assertive")`)
	p.waitForAnnouncement("Gone")

	p.runScript(`addEventListener("hashchange", () => window.seen = context.subpath); ` +
		`context.navigate("shelf/größe 4")`)
	p.waitFor(`window.seen === "shelf/größe 4" && location.hash.startsWith("#/m/notes/shelf/")`)
	p.waitFor(`document.activeElement.tagName === "H1"`)
	p.do(chromedp.NavigateBack())
	p.waitFor(`window.seen === "shelf/3"`)
	p.runScript(`document.activeElement.blur(); context.navigate("elsewhere", {replace: true})`)
	p.waitFor(`window.seen === "elsewhere"`)
	p.waitFor(`document.activeElement.tagName === "H1"`)

	p.runScript(`context.addStyle("p { color: rgb(1, 2, 3) }")`)
	p.waitFor(`getComputedStyle(document.querySelector(".host-module p")).color === "rgb(1, 2, 3)"`)
	p.runScript(`document.querySelector("[aria-controls=account-panel]").click()`)
	p.click("link", "Account and settings")
	p.waitForHeading("Account")
	p.waitFor(`context.signal.aborted && !document.adoptedStyleSheets.some(({ cssRules }) =>
		[...cssRules].some(({ cssText }) => cssText.includes("rgb(1, 2, 3)")))`)
	p.runScript(`context.setTitle("No more"); context.setDirty(true); context.navigate("x")`)
	p.waitForHeading("Account")
	p.waitFor(`document.title === "Account - Dashboard" && location.hash === "#/account"`)
}

// testMenuOpenedRightAfterANavigation checks that a menu stays open that is opened in the moment in which
// another place appears. The navigation of a phone is such a menu, too.
func testMenuOpenedRightAfterANavigation(t *testing.T, d *devServer) {
	for _, c := range []struct {
		controls string
		view     view
	}{{"account-panel", desktop}, {"navigation", phone}} {
		p := d.notes(t, kept).open("/#/m/notes", c.view)
		p.waitForText("Here are the notes.")
		p.runScript(`
			const button = document.querySelector("[aria-controls=` + c.controls + `]");
			document.activeElement.blur();
			const opened = new Promise(resolve => addEventListener("focusin",
				() => queueMicrotask(() => { button.click(); resolve(); }), {once: true}));
			context.navigate("elsewhere");
			await opened;
			await new Promise(resolve => setTimeout(resolve, 200));
			window.stayed = button.getAttribute("aria-expanded");`)
		p.waitFor(`window.stayed === "true"`)
	}
}

// testUnmount: a module is removed completely even if its unmount throws.
func testUnmount(t *testing.T, d *devServer) {
	h := d.notes(t, kept+`addEventListener("error", event => { window.reported = event.message; `+
		`event.preventDefault(); }); return () => { throw new Error("no"); };`)
	p := h.open("/#/m/notes", desktop)
	p.waitForText("Here are the notes.")
	p.runScript(`addEventListener("error", event => event.preventDefault()); location.hash = "#/account"`)
	p.waitForHeading("Account")
	p.assertNoText("Here are the notes.")
	p.waitFor(`window.reported.includes("no")`)
}

// testRefusedModuleAsksOnce: any number of refused requests cause one request for the principal, and only the
// response "anonymous" signs out.
func testRefusedModuleAsksOnce(t *testing.T, d *devServer) {
	const somebody = "7d0f5b1e-5a55-4c3e-9a6a-1c9a3f0f6f10"
	for _, status := range []int{401, 403} {
		for name, principal := range map[string]struct {
			reply  func(w http.ResponseWriter, status int, body string)
			status int
			body   string
		}{
			"still here": {reply, 200, `{"kind":"authenticated","userId":"` + somebody + `"}`},
			"unknown":    {reply, 503, `{"code":"PRINCIPAL_RESOLUTION_FAILED"}`},
			"malformed":  {replyStrange, 200, `{}`},
			"no JSON":    {replyStrange, 500, `oh`},
		} {
			t.Run(fmt.Sprint(status, " ", name), func(t *testing.T) {
				usually(t, name, "still here")
				t.Parallel()
				h := d.notes(t, kept)
				h.respond("GET /api/v1/modules/notes/x", status, `{"code":"PERMISSION_DENIED"}`)
				p := h.open("/#/m/notes", desktop)
				p.waitForText("Here are the notes.")
				release := make(chan struct{})
				h.handle("GET /api/v1/principal", func(w http.ResponseWriter, _ *http.Request) {
					<-release
					principal.reply(w, principal.status, principal.body)
				})
				p.runScript(`window.statuses = (await Promise.all([1, 2, 3, 4].map(() => ` +
					`context.api("/x")))).map(({status}) => status)`)
				close(release)
				p.waitFor(fmt.Sprintf(`statuses.every(status => status === %d)`, status))
				p.waitUntil("the question", func() bool { return h.countRequests("GET /api/v1/principal") == 2 })
				p.runScript(`await new Promise(resolve => setTimeout(resolve, 100))`)
				p.waitForText("Here are the notes.")
				if n := h.countRequests("GET /api/v1/principal"); n != 2 {
					t.Errorf("asked %d times", n)
				}
			})
		}
	}
}

// testEndedSession is M4: the sign-in form is shown, and afterwards the place and the draft are restored.
// Another person gets no draft.
func testEndedSession(t *testing.T, d *devServer) {
	h := d.notes(t, kept+`container.append(context.drafts.get("note") ?? "no draft");`)
	p := h.open("/#/m/notes/shelf/3", desktop)
	p.waitForText("no draft")
	p.runScript(`context.drafts.set("note", "half a note"); context.setDirty(true)`)
	h.endSession()
	p.runScript(`await context.api("/x")`)
	p.waitForHeading("Sign in")
	p.assertNoText("Here are the notes.")
	p.waitFor("context.signal.aborted")
	enter := func() {
		p.fill("E-mail", h.email)
		p.fill("Password", d.password)
		p.click("button", "Sign in")
	}
	enter()
	p.waitForText("half a note")
	p.waitFor(`location.hash === "#/m/notes/shelf/3"`)

	h.endSession()
	h.respond("GET /api/v1/modules/clock/x", 401, `{"code":"AUTHENTICATION_REQUIRED"}`) // Clock has no server
	p.runScript(`await context.contributions[0].api("/x")`)
	p.waitForHeading("Sign in")
	h.email = d.member(t, "Bob")
	enter()
	p.waitForText("no draft")
}

// testFailingMounts: whatever a module does when it is mounted, the shell stays and reports it.
func testFailingMounts(t *testing.T, d *devServer) {
	for name, row := range map[string]struct{ script, words, code string }{
		"throws":  {`throw new Error("no");`, "Notes could not be shown.", "MODULE_UI_FAILED"},
		"rejects": {`return Promise.reject("no");`, "Notes could not be shown.", "MODULE_UI_FAILED"},
		"older ABI": {`export default { narthex: "module-ui", abi: 0, definition: { mount() {} } };`,
			"Not built for this platform. Rebuild it.", "MODULE_UI_ABI_INCOMPATIBLE"},
		"other kind": {`export default { narthex: "display", abi: 1, definition: { mount() {} } };`,
			"Not built for this platform. Rebuild it.", "MODULE_UI_ABI_INCOMPATIBLE"},
		"not stamped": {`export default { mount() {} };`, "Not built for this platform. Rebuild it.",
			"MODULE_UI_ABI_INCOMPATIBLE"},
		"exports none": {`export const mount = 1;`, "Not built for this platform. Rebuild it.",
			"MODULE_UI_ABI_INCOMPATIBLE"},
		"no mount": {`export default { narthex: "module-ui", abi: 1, definition: {} };`,
			"Notes could not be shown.", "MODULE_UI_FAILED"},
		"breaks": {`export default (() => { throw new Error("no"); })();`, "Notes could not be loaded.",
			"ARTIFACT_UNAVAILABLE"},
		"no JavaScript": {`export default <html>`, "Notes could not be loaded.", "ARTIFACT_UNAVAILABLE"},
		"never mounts": {`container.textContent = "half"; return new Promise(() => {});`,
			"Notes did not start in time.", "MODULE_UI_TIMEOUT"},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "throws", "older ABI", "breaks")
			t.Parallel()
			h := d.notes(t, row.script)
			p := openPage(t, "about:blank", desktop)
			p.onNewDocument(
				`const later = setTimeout; window.setTimeout = (run, after, ...more) => later(run, after === ` +
					`10000 ? 500 : after, ...more);`,
			)
			h.load(p, "/#/m/notes") // here ten seconds pass in half a second
			p.waitForText(row.words)
			p.waitForText(row.code)
			p.assertNoText("half")
			p.find("heading", "Notes")
			p.find("navigation", "Modules")
		})
	}
}

// testUpgrade is O3: the old artifact is gone, so the inventory is read once more and the current version is
// mounted.
func testUpgrade(t *testing.T, d *devServer) {
	h := d.notes(t, `container.textContent = "Version " + context.module.version;`)
	h.setNavigation(module("notes", "Notes",
		object{"version": "0.9.0", "artifactUrl": "/api/v1/module-ui/notes/0.9.0"}))
	var gone atomic.Bool
	h.handle("GET /api/v1/module-ui/notes/0.9.0", func(w http.ResponseWriter, _ *http.Request) {
		gone.Store(true)
		h.restore(navigationRoute)
		reply(w, 404, `{"code":"NOT_FOUND"}`)
	})
	p := h.open("/#/m/notes", desktop)
	p.waitForText("Version 1.0.0")
	if n := h.countRequests("GET /api/v1/dashboard/navigation"); n != 2 || !gone.Load() {
		t.Errorf("read %d times", n)
	}
}

// testGone: an artifact that stays missing is reported once, and not requested for ever.
func testGone(t *testing.T, d *devServer) {
	h := d.notes(t, kept)
	h.respond("GET /api/v1/module-ui/notes/1.0.0", 404, `{"code":"NOT_FOUND"}`)
	p := h.open("/#/m/notes", desktop)
	p.waitForText("Notes is no longer running.")
	p.waitUntil(
		"the second look",
		func() bool { return h.countRequests("GET /api/v1/dashboard/navigation") == 2 },
	)
	h.setModuleScript("notes", kept)
	p.click("button", "Try again")
	p.waitForText("Here are the notes.")
	if n := h.countRequests("GET /api/v1/dashboard/navigation"); n != 2 {
		t.Errorf("read %d times", n)
	}
}

// testRestlessInventory: the page stops following an inventory that names another missing version each time.
func testRestlessInventory(t *testing.T, d *devServer) {
	h := d.notes(t, kept)
	var version atomic.Int64
	h.handle("GET /api/v1/dashboard/navigation", func(w http.ResponseWriter, _ *http.Request) {
		entry, _ := json.Marshal(module("notes", "Notes",
			object{"artifactUrl": fmt.Sprintf("/api/v1/module-ui/notes/1.0.%d", version.Add(1))}))
		reply(w, 200, `{"groups":[],"ungrouped":[`+string(entry)+`],"permissions":[]}`)
	})
	p := h.open("/#/m/notes", desktop)
	p.waitUntil(
		"the second version",
		func() bool { return h.countRequests("GET /api/v1/module-ui/notes/1.0.2") > 0 },
	)
	p.waitForText("Notes is no longer running.")
	p.runScript(`await new Promise(resolve => setTimeout(resolve, 300))`)
	if n := h.countRequests("GET /api/v1/dashboard/navigation"); n != 2 {
		t.Errorf("read %d times", n)
	}
}

// testImportThatFailed: a failed import is retried with the same URL, then once with a fragment; after that
// only a reload helps.
func testImportThatFailed(t *testing.T, d *devServer) {
	h := d.notes(t, `export default <html>`)
	p := h.open("/#/m/notes", desktop)
	p.waitForText("Notes could not be loaded.")
	p.runScript(`window.first = true`)
	press := func() {
		before := h.countRequests("GET /api/v1/module-ui/notes/1.0.0")
		p.click("button", "Try again")
		p.waitUntil(
			"another try",
			func() bool { return h.countRequests("GET /api/v1/module-ui/notes/1.0.0") > before },
		)
		p.waitFor(`document.querySelector("main [role=alert]")`)
	}
	press()
	press()
	p.find("button", "Reload the page")
	h.setModuleScript("notes", kept)
	p.click("button", "Reload the page")
	p.waitForText("Here are the notes.")
	p.waitFor("window.first === undefined")
}

// testUnsavedWork: every way to leave the module asks first; going back within the module does not.
func testUnsavedWork(t *testing.T, d *devServer) {
	h := d.notes(t, kept)
	p := h.open("/#/m/stage", desktop)
	p.waitForText("On stage.")
	p.click("link", "Notes")
	p.waitForText("Here are the notes.")
	p.runScript(`context.setDirty(true); context.navigate("deep")`)
	p.waitFor(`location.hash === "#/m/notes/deep"`)
	p.waitForNone("dialog", "Leave without saving?")

	p.click("link", "Stage")
	p.find("dialog", "Leave without saving?")
	p.key("\x1b") // Escape means stay
	p.waitForNone("dialog", "Leave without saving?")
	p.waitFor(`location.hash === "#/m/notes/deep" && document.activeElement.textContent === "Stage"`)

	p.runScript(`history.go(-2)`) // the browser's own history, back to Stage
	p.find("dialog", "Leave without saving?")
	p.click("button", "Stay")
	p.waitForNone("dialog", "Leave without saving?")
	p.waitForText("Here are the notes.")
	p.waitFor(`location.hash === "#/m/notes/deep"`)

	p.click("button", "Ada, account")
	p.click("button", "Sign out")
	p.click("button", "Stay")
	if h.countRequests("POST /api/auth/sign-out") != 0 {
		t.Error("signed out unasked")
	}
	p.click("link", "Stage")
	p.click("button", "Leave")
	p.waitForText("On stage.")
	p.click("link", "Notes")
	p.waitForText("Here are the notes.")
	p.waitForNone("dialog", "Leave without saving?")

	// Whoever has left by Back is not led into the module again.
	p.runScript(`context.drafts.set("note", "half a note"); context.setDirty(true); history.back()`)
	p.find("dialog", "Leave without saving?")
	p.click("button", "Leave")
	p.waitForText("On stage.")
	p.runScript(`history.forward()`)
	p.waitForText("Here are the notes.")
	p.waitForNone("dialog", "Leave without saving?")
	if eval[bool](p, `context.drafts.get("note") !== undefined`) {
		t.Error("what is lost, as the question has said, is still there")
	}
}

// testHomeModuleFails: a failure of the module "home" does not hide the links.
func testHomeModuleFails(t *testing.T, d *devServer) {
	h := d.notes(t, kept)
	p := h.open("/", desktop)
	p.waitForText("Cards could not be shown.")
	p.click("link", "Notes")
	p.waitForHeading("Notes")
}
