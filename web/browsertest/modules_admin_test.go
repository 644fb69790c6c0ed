package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// offPreview is the preview of the next start with Stage switched off.
var offPreview = object{
	"modules": []object{
		{"moduleId": "rota", "name": "Rota", "now": object{"state": "running"},
			"then": blocked("required_dependency_disabled", needs("stage"))},
		{"moduleId": "stage", "name": "Stage", "now": running, "then": object{"state": "disabled"}},
	},
	"waiting": []object{},
	"screens": []object{{"moduleId": "stage", "count": 2}},
}

// TestModules: blocked modules are first, each with the reason and the next step.
func TestModules(t *testing.T) {
	t.Parallel()
	o := newModulesFixture(t)
	p := openPage(t, o.URL+"/#/admin/modules", desktop)
	p.waitForHeading("Modules")
	p.waitForText("2 running, 3 blocked, 1 off")
	p.waitForText("Needs file storage (“images”). Whoever runs the server sets it up.")
	p.waitForText("Needed by: Countdown")
	p.waitForText("Team name has no value. teamName")
	p.waitForText("Waits for Announcements, which is blocked.")
	order := eval[string](p,
		`[...document.querySelectorAll("tbody .d-name")].map((name) => name.innerText).join()`)
	if order != "Announcements,Rota,Countdown,Songs,Stage,Visitors" {
		t.Errorf("the modules stand as %s", order)
	}
	p.click("link", "Open: Announcements")
	p.waitForHeading("Announcements")
	if title := eval[string](p, "document.title"); title != "Announcements - Dashboard" {
		t.Errorf("the page is called %q", title)
	}
	p.click("link", "Modules")
	p.find("radio", "Off 1")
	p.enter("searchbox", "Filter", "songs")
	p.waitForNone("link", "Rota")
	p.enter("searchbox", "Filter", "nobody")
	p.waitForText("Nothing matches.")
	p.click("button", "Clear the filter")
	p.click("link", "Settings of Rota")
	p.waitFor(`location.hash === "#/admin/modules/rota/settings/teamName"`)
}

// TestModuleReasons checks the text for each reason.
func TestModuleReasons(t *testing.T) {
	t.Parallel()
	for reason, row := range map[string]struct {
		fields object
		words  string
	}{
		"required_dependency_disabled": {needs("visitors"), "Needs Visitors, which is switched off."},
		"required_dependency_blocked":  {needs("rota"), "Waits for Rota, which is blocked."},
		"configuration_missing": {object{"configurationKey": "teamName"},
			"Team name has no value. teamName"},
		"configuration_invalid": {object{"configurationKey": "days"},
			"Days has a value that is no longer allowed."},
		"secret_missing": {object{"configurationKey": "linkSigningKey"},
			"Link signing key is missing. Whoever runs the server sets this secret."},
		"storage_unavailable": {object{"storageBucketId": "files"}, "Needs file storage (“files”)."},
	} {
		t.Run(reason, func(t *testing.T) {
			usually(t, reason, "configuration_missing")
			t.Parallel()
			o := newModulesFixture(t)
			o.setModule("countdown", object{"runtime": blocked(reason, row.fields)})
			openPage(t, o.URL+"/#/admin/modules", desktop).waitForText(row.words)
		})
	}
}

// TestSwitching: the consequences are shown first, with the safe choice focused; then the decision waits for
// a restart.
func TestSwitching(t *testing.T) {
	t.Parallel()
	o := newModulesFixture(t)
	o.respondPreview("stage", offPreview)
	p := openPage(t, o.URL+"/#/admin/modules", desktop)
	p.click("switch", "Start after restart: Stage")
	p.find("dialog", "Switch off Stage?")
	p.waitForText("Stage stops at the next restart.")
	p.waitForText("Rota stops at the next restart. Needs Stage, which is switched off.")
	p.waitForText("2 screens show Stage and will say “switched off here”.")
	p.waitForText("Nothing happens before the next restart.")
	p.waitFor(`document.activeElement.innerText === "Leave it on"`)
	p.key("\r")
	p.waitForNone("dialog", "Switch off Stage?")
	if n := o.countWrites(); n != 0 {
		t.Errorf("%d writes before anybody agreed, want none", n)
	}
	p.waitFor(`document.querySelector("[aria-label='Start after restart: Stage']").checked`)
	p.runScript(`document.querySelector("[aria-label='Start after restart: Stage']").focus()`)
	p.key(" ")
	p.find("dialog", "Switch off Stage?")
	p.waitFor(`document.activeElement.innerText === "Leave it on"`)
	p.key(kb.Tab)
	p.key("\r")
	p.waitForAnnouncement("Stage is switched off. It waits for a restart.")
	p.waitForText("Stops at the next restart")
	p.waitForText("Rota needs it.")
	p.waitForText("1 change waits for a restart.")
	p.waitFor(`!document.querySelector("[aria-label='Start after restart: Stage']").checked`)
	p.waitFor(`document.activeElement.ariaLabel === "Start after restart: Stage"`)
}

// TestModuleChanges: the pending changes are those that the server says, and are not computed in the browser:
// here a setting of Stage was removed, so Stage will be blocked.
func TestModuleChanges(t *testing.T) {
	t.Parallel()
	o := newModulesFixture(t)
	o.setModule("stage", object{"restartRequired": true,
		"then": blocked("configuration_missing", object{"configurationKey": "defaultTitle"})})
	o.setModule("songs", object{"restartRequired": true})
	p := openPage(t, o.URL+"/#/admin/modules", desktop)
	p.waitForText("Stops at the next restart")
	p.waitForText("Default title has no value. defaultTitle")
	p.waitForText("Rota needs it.")
	p.waitForText("Takes new settings at the next restart")
	p.click("button", "What changes?")
	p.waitForVisibleText("Stage stops at the next restart.")
	p.waitForVisibleText("Songs takes new settings at the next restart.")
	o.respondJSON("GET /api/v1/module-lifecycle/stage/process", 200, process)
	p.runScript(`document.querySelector("[data-row=stage] a.d-name").click()`)
	p.waitForHeading("Stage")
	p.waitForText("Default title has no value. defaultTitle")
}

// TestSwitchingRefused: a refusal is reported, and the switch returns to the server's state.
func TestSwitchingRefused(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		route, body string
		status      int
		words       string
	}{
		"preview forbidden": {"POST %s/preview", `{"code":"PERMISSION_DENIED"}`, 403,
			"You no longer have access (See modules, and switch them on and off)."},
		"write gone": {"PUT %s/enabled", `{"code":"MODULE_NOT_INSTALLED"}`, 404,
			"This module is no longer installed."},
		"write failed": {"PUT %s/enabled", `{"code":"STORE_UNAVAILABLE"}`, 503, "That did not work just now."},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "write failed")
			t.Parallel()
			o := newModulesFixture(t)
			o.respondPreview("stage", offPreview)
			o.respond(fmt.Sprintf(row.route, "/api/v1/module-lifecycle/stage"), row.status, row.body)
			p := openPage(t, o.URL+"/#/admin/modules", desktop)
			p.click("switch", "Start after restart: Stage")
			if strings.HasPrefix(row.route, "PUT") {
				p.click("button", "Switch off")
			}
			p.waitForVisibleText(row.words)
			p.waitFor(`document.querySelector("[aria-label='Start after restart: Stage']").checked`)
		})
	}
}

// TestModulesOffline: loaded data stay, a switch reports why it failed, and it works again later.
func TestModulesOffline(t *testing.T) {
	t.Parallel()
	o := newModulesFixture(t)
	o.respondPreview("stage", offPreview)
	p := openPage(t, o.URL+"/#/admin/modules", desktop)
	p.find("switch", "Start after restart: Stage")
	p.offline(true)
	p.click("switch", "Start after restart: Stage")
	p.waitForVisibleText("You are offline. Nothing is lost, nothing is saved yet.")
	p.find("link", "Stage")
	p.offline(false)
	p.click("button", "Try again")
	p.click("button", "Switch off")
	p.waitForAnnouncement("Stage is switched off. It waits for a restart.")
}

// TestModulesOfTwo: a decision by another administrator appears when the person returns to the page.
func TestModulesOfTwo(t *testing.T) {
	t.Parallel()
	o := newModulesFixture(t)
	p := openPage(t, o.URL+"/#/admin/modules", desktop)
	p.find("switch", "Start after restart: Songs")
	o.setModule("songs", decidedToStop)
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForText("Stops at the next restart")
	p.waitFor(`!document.querySelector("[aria-label='Start after restart: Songs']").checked`)
}

// TestModulePage: the page has the facts about a module, and the state of its process.
func TestModulePage(t *testing.T) {
	t.Parallel()
	o := newModulesFixture(t)
	o.respondJSON("GET /api/v1/module-lifecycle/stage/process", 200, process)
	p := openPage(t, o.URL+"/#/admin/modules/stage", desktop)
	p.waitForHeading("Stage")
	p.waitForText("Started 3 times.")
	p.waitForText("It needed more memory than it may use.")
	p.waitForText("61 MB of 256 MB")
	p.waitForText("2 in flight, 0 waiting")
	p.waitForText("narthex modules:logs -- --module stage")
	p.find("image", "Memory since this page was opened: now 61 MB, the bound is 256 MB.")
	p.find("link", "Rota")
	p.click("link", "Settings")
	p.waitFor(`location.hash === "#/admin/modules/stage/settings"`)
}

var process = object{
	"state": "ready", "since": "2026-11-22T05:30:00.000Z", "starts": 3,
	"lastEnd":     object{"at": "2026-11-22T05:29:58.000Z", "kind": "memory", "code": nil},
	"memoryBytes": 61 << 20, "memoryLimitBytes": 256 << 20,
	"hostMemoryBytes": 2 << 20, "hostMemoryLimitBytes": 64 << 20,
	"cpuSeconds": 12.5, "inFlight": 2, "waiting": 0, "requests": 1840, "failures": 3,
}

// TestModulesForSettingsAlone: a person who may not switch modules sees only those with settings, without
// switches.
func TestModulesForSettingsAlone(t *testing.T) {
	t.Parallel()
	o := newModulesFixture(t)
	o.setNavigation([]string{"core.modules.configuration.manage"}, nil)
	o.respond("GET /api/v1/module-lifecycle", 403, `{"code":"PERMISSION_DENIED"}`)
	p := openPage(t, o.URL+"/#/admin/modules", desktop)
	p.find("link", "Settings of Rota")
	p.waitForNone("switch", "")
	if n := o.countRequests("GET /api/v1/module-lifecycle"); n != 0 {
		t.Errorf("the lifecycle was asked for %d times by somebody who may not read it", n)
	}
}
