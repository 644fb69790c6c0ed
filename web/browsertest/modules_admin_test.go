package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestModules uses the screen Modules of a house in which Announcements is off, and Calendar has a value that
// is no longer allowed. The tests change the same decisions, so they run one after another.
func TestModules(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	d.blockSome(t)
	h := d.front(t)
	p := h.openAs("owner@example.org", "/#/admin/modules", desktop)
	p.waitForHeading("Modules")
	for _, test := range []struct {
		name string
		run  func(t *testing.T, d *devServer, h *fixture, p *tab)
	}{
		{"List", testModuleList},
		{"Refused", testSwitchingRefused},
		{"Switching", testSwitching},
		{"Changes", testModuleChanges},
		{"Page", testModulePage},
		{"SettingsAlone", testModulesForSettingsAlone},
	} {
		t.Run(test.name, func(t *testing.T) {
			p.t = t
			test.run(t, d, h, p)
		})
	}
}

// blockSome switches Announcements off, which Countdown needs, and gives Calendar a value that it does not
// know.
func (d *devServer) blockSome(t *testing.T) {
	t.Helper()
	d.exec(t, `
		INSERT INTO core.module_enablement (module_id, enabled) VALUES ('announcements', false);
		INSERT INTO core.module_configuration (module_id, key, value)
		VALUES ('calendar', 'weekStartsOn', '"never"')`)
	d.restart(t)
}

// testModuleList: blocked modules are first, each with the reason and the next step.
func testModuleList(t *testing.T, _ *devServer, _ *fixture, p *tab) {
	p.waitForText("4 running, 2 blocked, 1 off")
	p.waitForText("First day of the week has a value that is no longer allowed.")
	p.waitForText("Needs Announcements, which is switched off.")
	order := eval[string](p,
		`[...document.querySelectorAll("tbody .d-name")].map((name) => name.innerText).join()`)
	if order != "Calendar,Countdown,Checklists,Home,Rota,Stage,Announcements" {
		t.Errorf("the modules stand as %s", order)
	}
	p.click("link", "Open: Announcements")
	p.waitForHeading("Announcements")
	if title := eval[string](p, "document.title"); title != "Announcements - Dashboard" {
		t.Errorf("the page is called %q", title)
	}
	p.click("link", "Modules")
	p.find("radio", "Off 1")
	p.enter("searchbox", "Filter", "home")
	p.waitForNone("link", "Settings of Rota")
	p.enter("searchbox", "Filter", "nobody")
	p.waitForText("Nothing matches.")
	p.click("button", "Clear the filter")
	p.click("link", "Settings of Calendar")
	p.waitFor(`location.hash === "#/admin/modules/calendar/settings/weekStartsOn"`)
	p.runScript(`location.hash = "#/admin/modules"`)
	p.waitForHeading("Modules")
}

const stageSwitch = `document.querySelector("[aria-label='Start after restart: Stage']")`

// testSwitchingRefused: a refusal is reported, and the switch returns to the server's state.
func testSwitchingRefused(t *testing.T, d *devServer, h *fixture, p *tab) {
	const decide = "PUT /api/v1/module-lifecycle/stage/enabled"
	for _, row := range []struct {
		fault func()
		words string
	}{
		{func() { h.respond(decide, 404, `{"code":"MODULE_NOT_INSTALLED"}`) },
			"This module is no longer installed."},
		{func() { h.respond(decide, 503, `{"code":"STORE_UNAVAILABLE"}`) }, "That did not work just now."},
	} {
		row.fault()
		p.click("switch", "Start after restart: Stage")
		p.click("button", "Switch off")
		p.waitForVisibleText(row.words)
		p.waitFor(stageSwitch + `.checked`)
	}
	h.restore(decide)
	p.offline(true)
	p.click("switch", "Start after restart: Stage")
	p.waitForVisibleText("You are offline. Nothing is lost, nothing is saved yet.")
	p.find("link", "Stage") // what was loaded stays
	p.offline(false)
	p.waitFor(stageSwitch + `.checked`)

	const mayDecide = "core.modules.lifecycle.manage"
	email := d.member(t, "Bob", mayDecide)
	of := d.front(t)
	other := of.openAs(email, "/#/admin/modules", desktop)
	other.find("switch", "Start after restart: Stage")
	defer of.withdraw(other, email, mayDecide, "GET /api/v1/module-lifecycle")()
	other.click("switch", "Start after restart: Stage")
	other.waitForVisibleText("You no longer have access (See modules, and switch them on and off).")
}

// testSwitching: the consequences are shown first, with the safe choice focused; then the decision waits for
// a restart.
func testSwitching(t *testing.T, d *devServer, h *fixture, p *tab) {
	d.addScreens(t, `('Foyer', 'stage', interval '0'), ('Hall', 'stage', interval '0')`)
	before := h.countWrites()
	p.click("switch", "Start after restart: Stage")
	p.find("dialog", "Switch off Stage?")
	p.waitForText("Stage stops at the next restart.")
	p.waitForText("Rota stops at the next restart. Needs Stage, which is switched off.")
	p.waitForText("2 screens show Stage and will say “switched off here”.")
	p.waitForText("Nothing happens before the next restart.")
	p.waitFor(`document.activeElement.innerText === "Leave it on"`)
	p.key("\r")
	p.waitForNone("dialog", "Switch off Stage?")
	if n := h.countWrites() - before; n != 0 {
		t.Errorf("%d writes before anybody agreed, want none", n)
	}
	p.waitFor(stageSwitch + `.checked`)
	p.runScript(stageSwitch + `.focus()`)
	p.key(" ")
	p.find("dialog", "Switch off Stage?")
	p.waitFor(`document.activeElement.innerText === "Leave it on"`)
	p.key(kb.Tab)
	p.key("\r")
	p.waitForAnnouncement("Stage is switched off. It waits for a restart.")
	p.waitForText("Stops at the next restart")
	p.waitForText("Rota needs it.")
	p.waitForText("2 changes wait for a restart.")
	p.waitFor(`!` + stageSwitch + `.checked`)
	p.waitFor(`document.activeElement.ariaLabel === "Start after restart: Stage"`)
}

// testModuleChanges: the pending changes are those that the server says: another administrator switches Stage
// on again, removes a setting of Rota, so that it will be blocked, and changes one of Stage.
func testModuleChanges(t *testing.T, d *devServer, _ *fixture, p *tab) {
	d.call(t, "PUT", "/api/v1/module-lifecycle/stage/enabled", object{"enabled": true})
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitFor(stageSwitch + `.checked`)
	d.exec(t, `
		DELETE FROM core.module_configuration WHERE module_id = 'rota' AND key = 'teamName';
		INSERT INTO core.module_configuration (module_id, key, value) VALUES ('stage', 'fontScale', '120')`)
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForText("Name of the team has no value. teamName")
	p.waitForText("Takes new settings at the next restart")
	p.runScript(`location.hash = "#/admin/people"`) // under what was begun with, the notice does not come and go
	p.waitForHeading("People")
	p.runScript(`location.hash = "#/admin/modules"`)
	p.click("button", "What changes?")
	p.waitForVisibleText("Rota stops at the next restart.")
	p.waitForVisibleText("Stage takes new settings at the next restart.")
	p.runScript(`location.hash = "#/admin/modules/rota"`)
	p.waitForHeading("Rota")
	p.waitForText("Name of the team has no value. teamName")
}

// testModulePage: the page has the facts about a module, and the state of its process.
func testModulePage(_ *testing.T, _ *devServer, h *fixture, p *tab) {
	p.runScript(`location.hash = "#/admin/modules/stage"`)
	p.waitForHeading("Stage")
	p.waitForText("Started once.")
	p.waitForText(" of 256 MB")
	p.waitForText("0 waiting")
	p.waitFor(`/^Memory since this page was opened: now [\d.]+ MB, the bound is 256 MB\.$/.test(
		document.querySelector(".host-chart title")?.textContent)`)
	p.find("link", "Rota")
	h.respondJSON("GET /api/v1/module-lifecycle/stage/process", 200, process) // no sample needs so much memory
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForText("Started 3 times.")
	p.waitForText("It needed more memory than it may use.")
	p.waitForText("narthex modules:logs -- --module stage")
	p.click("link", "Settings")
	p.waitFor(`location.hash === "#/admin/modules/stage/settings"`)
}

// process has ended because of its memory.
var process = object{
	"state": "ready", "since": "2026-11-22T05:30:00.000Z", "starts": 3,
	"lastEnd":     object{"at": "2026-11-22T05:29:58.000Z", "kind": "memory", "code": nil},
	"memoryBytes": 61 << 20, "memoryLimitBytes": 256 << 20,
	"hostMemoryBytes": 2 << 20, "hostMemoryLimitBytes": 64 << 20,
	"cpuSeconds": 12.5, "inFlight": 2, "waiting": 0, "requests": 1840, "failures": 3,
}

// testModulesForSettingsAlone: a person who may not switch modules sees only those with settings, without
// switches.
func testModulesForSettingsAlone(t *testing.T, d *devServer, _ *fixture, _ *tab) {
	h := d.front(t)
	p := h.openAs(d.member(t, "Ada", "core.modules.configuration.manage"), "/#/admin/modules", desktop)
	p.find("link", "Settings of Rota")
	p.waitForNone("switch", "")
	if n := h.countRequests("GET /api/v1/module-lifecycle"); n != 0 {
		t.Errorf("the lifecycle was asked for %d times by somebody who may not read it", n)
	}
}
