package browsertest

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

const (
	teamSettings       = "/#/admin/modules/team/settings"
	teamConfiguration  = "/api/v1/module-configuration/team"
	writeConfiguration = "PUT " + teamConfiguration
)

// teamKeys are settings of all six types.
const teamKeys = `"entrypoints": { "server": "bin/{os}-{arch}/team" },
	"configuration": [
		{ "key": "teamName", "type": "string", "required": true, "minLength": 1, "maxLength": 60 },
		{ "key": "replyTo", "type": "string", "minLength": 0, "maxLength": 254,
			"description": "Answers to the reminders go here." },
		{ "key": "remindDaysBefore", "type": "integer", "default": 3, "minimum": 1, "maximum": 21 },
		{ "key": "remindOnTheDay", "type": "boolean", "default": true },
		{ "key": "weekStartsOn", "type": "enum", "values": ["monday", "sunday"], "default": "monday" },
		{ "key": "dashboardLink", "type": "url", "required": true },
		{ "key": "linkSigningKey", "type": "secret", "required": true },
		{ "key": "colour", "type": "enum", "values": ["red", "green", "blue", "dark_blue", "grey"] }
	]`

// TestSettingsScreen changes the settings of a module. All tests change the same ones, so they run one after
// another.
func TestSettingsScreen(t *testing.T) {
	t.Parallel()
	folder := install(t)
	writeModules(t, folder, map[string]string{
		"team/module.json": fmt.Sprintf(testManifest, "team", "Team", teamKeys),
	})
	platform := runtime.GOOS + "-" + runtime.GOARCH
	build(t, filepath.Join(folder, "modules", "team", "bin", platform, "team"), "./testdata/rota")
	d := startIn(t, folder)
	for name, test := range map[string]func(t *testing.T, d *devServer){
		"Form":     testSettings,
		"Keyboard": testSettingsByKeyboard,
		"Conflict": testSettingsConflict,
		"OfTwo":    testSettingsOfTwo,
		"Refused":  testSettingsRefused,
		"Preview":  testSettingsPreview,
	} {
		t.Run(name, func(t *testing.T) {
			// Keys that this version does not know outlive a save through the API.
			d.exec(t, `DELETE FROM core.module_configuration WHERE module_id = 'team'`)
			d.setTeam(t, object{"replyTo": "office@example.org"})
			test(t, d)
		})
	}
}

// setTeam replaces the settings, as another administrator would.
func (d *devServer) setTeam(t *testing.T, values object) {
	t.Helper()
	rev := d.call(t, "GET", teamConfiguration, nil)["rev"]
	d.call(t, "PUT", teamConfiguration, object{"values": values, "rev": rev})
}

// storedTeam returns what is stored: "key=value key=value".
func (d *devServer) storedTeam(t *testing.T) string {
	t.Helper()
	return d.query(t, `
		SELECT coalesce(string_agg(key || '=' || value, ' ' ORDER BY key COLLATE "C"), '')
		FROM core.module_configuration
		WHERE module_id = 'team'`)
}

// administrator is a front for somebody who may change settings and what starts.
func (d *devServer) administrator(t *testing.T) *fixture {
	t.Helper()
	h := d.front(t)
	h.email = d.member(t, "Ada", "core.modules.configuration.manage", "core.modules.lifecycle.manage")
	h.session = d.signIn(t, h.email)
	return h
}

// testSettings fills in a form with all six types, starting with the first field that is incomplete.
func testSettings(t *testing.T, d *devServer) {
	d.exec(t, `
		INSERT INTO core.module_configuration
		VALUES ('team', 'colour', 'purple'), ('team', 'oldColour', 'red')`) // as an older version had them
	h := d.administrator(t)
	p := h.open(teamSettings+"/teamName", desktop)
	p.find("heading", "Settings: Team")
	p.waitForText("Needed before Team can start")
	p.waitForText("Text, 1 to 60")
	p.waitForText("Colour has a value that is no longer allowed.")
	p.waitForText("SERVICE_MODULE_SECRET__TEAM__LINK_SIGNING_KEY")
	p.waitForText("Set on the server")
	p.waitForText("oldColour")
	p.waitFor(`document.activeElement.dataset.key === "teamName"`)
	p.fill("Team name", strings.Repeat("x", 61))
	p.fill("Remind days before", "22")
	p.fill("Dashboard link", "church.example.org")
	p.click("button", "Save")
	p.waitForText("At most 60 characters.")
	p.waitForText("At most 21.")
	p.waitForText("A whole address that begins with https:// or http://.")
	p.waitFor(`document.activeElement.dataset.key === "teamName"`)
	if n := h.countRequests(writeConfiguration); n != 0 {
		t.Errorf("%d writes of what the server would refuse, want none", n)
	}
	p.fill("Team name", "Welcome team")
	p.fill("Remind days before", "7")
	p.fill("Dashboard link", "https://church.example.org")
	p.click("radio", "Off")
	p.click("radio", "Sunday")
	p.click("button", "Use default: Reply to")
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	// What this version does not know is kept for the one that does.
	want := `dashboardLink=https://church.example.org oldColour=red remindDaysBefore=7 remindOnTheDay=false ` +
		`teamName=Welcome team weekStartsOn=sunday`
	if got := d.storedTeam(t); got != want {
		t.Errorf("stored: %s, want %s", got, want)
	}
	p.waitForText("1 change waits for a restart.")
	p.click("radio", "Default (on)")
	p.click("button", "Use default: Remind days before")
	p.click("button", "Save")
	p.waitUntil("a document without the defaults", func() bool {
		return !strings.Contains(d.storedTeam(t), "remind")
	})
}

// testSettingsByKeyboard saves a form by keyboard only.
func testSettingsByKeyboard(t *testing.T, d *devServer) {
	p := d.administrator(t).open(teamSettings+"/teamName", desktop)
	p.waitFor(`document.activeElement.dataset.key === "teamName"`)
	p.key("Tea")
	for range 3 { // replyTo, its default, remindDaysBefore
		p.key(kb.Tab)
	}
	p.waitFor(`document.activeElement.dataset.key === "remindDaysBefore"`)
	p.key("5")
	p.key("\r")
	p.waitForAnnouncement("Saved")
	if got := strings.Split(d.storedTeam(t), " "); !slices.Contains(got, "remindDaysBefore=5") ||
		!slices.Contains(got, "teamName=Tea") {
		t.Errorf("stored: %s", got)
	}
}

// testSettingsConflict: values that somebody else has saved meanwhile are shown beside the typed ones, and
// neither are lost.
func testSettingsConflict(t *testing.T, d *devServer) {
	p := d.administrator(t).open(teamSettings, desktop)
	p.fill("Team name", "Mine")
	p.fill("Reply to", "mine@example.org")
	d.setTeam(t, object{"teamName": "Theirs", "replyTo": "theirs@example.org", "weekStartsOn": "sunday"})
	p.click("button", "Save")
	p.waitForText("Somebody else has changed these settings meanwhile.")
	p.waitForText("Saved meanwhile: Theirs")
	p.waitFor(`document.querySelector("[data-key=teamName]").value === "Mine"`)
	p.click("button", "Take theirs: Reply to")
	p.waitFor(`document.querySelector("[data-key=replyTo]").value === "theirs@example.org"`)
	p.click("button", "Save")
	p.waitForAnnouncement("Saved, together with what somebody else has changed meanwhile: Week starts on")
	const want = `replyTo=theirs@example.org teamName=Mine weekStartsOn=sunday`
	if got := d.storedTeam(t); got != want {
		t.Errorf("stored: %s, want %s", got, want)
	}
}

// testSettingsOfTwo: values that another administrator saves appear in an unchanged form, and beside the
// typed values in a changed one.
func testSettingsOfTwo(t *testing.T, d *devServer) {
	p := d.administrator(t).open(teamSettings, desktop)
	p.find("textbox", "Team name")
	d.setTeam(t, object{"teamName": "First"})
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitFor(`document.querySelector("[data-key=teamName]").value === "First"`)
	p.fill("Team name", "Mine")
	d.setTeam(t, object{"teamName": "Second"})
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForText("Saved meanwhile: Second")
	p.waitFor(`document.querySelector("[data-key=teamName]").value === "Mine"`)
}

// testSettingsRefused: a refusal is shown above the form and gets the focus, and every typed value stays.
func testSettingsRefused(t *testing.T, d *devServer) {
	const mayConfigure = "core.modules.configuration.manage"
	answer := func(status int, code string) func(h *fixture, p *tab) {
		return func(h *fixture, _ *tab) { h.respond(writeConfiguration, status, `{"code":"`+code+`"}`) }
	}
	for name, row := range map[string]struct {
		before func(h *fixture, p *tab)
		words  string
	}{
		"invalid": {answer(400, "CONFIGURATION_VALUE_INVALID"),
			"The server refused these settings. Nothing was saved."},
		"undeclared": {answer(400, "CONFIGURATION_KEY_UNDECLARED"),
			"The module no longer knows one of these keys."},
		"forbidden": {func(h *fixture, _ *tab) { d.revoke(t, h.email, mayConfigure) },
			"You no longer have access (See and change the settings of modules)."},
		"store": {answer(503, "STORE_UNAVAILABLE"), "That did not work just now."},
		"offline": {func(_ *fixture, p *tab) { p.offline(true) },
			"You are offline. Nothing is lost, nothing is saved yet."},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "forbidden")
			h := d.administrator(t)
			p := h.open(teamSettings, desktop)
			p.fill("Team name", "Kept by "+name)
			row.before(h, p)
			p.click("button", "Save")
			p.waitForVisibleText(row.words)
			p.waitFor(`document.activeElement.className === "host-refused"`)
			typed := `document.querySelector("[data-key=teamName]").value === "Kept by ` + name + `"`
			p.waitFor(typed)
			if name == "forbidden" {
				p.runScript(`dispatchEvent(new Event("focus"))`)
				p.waitFor(`document.querySelector(".host-stale")`)
				p.waitFor(typed)
				d.grant(t, d.query(t, `SELECT id::text FROM core.person WHERE email = $1`, h.email), mayConfigure,
					"NULL")
			}
			h.restore(writeConfiguration)
			p.offline(false)
			p.click("button", "Save")
			p.waitForAnnouncement("Saved")
		})
	}
}

// testSettingsPreview shows what the next start would do with the typed values, and writes nothing.
func testSettingsPreview(t *testing.T, d *devServer) {
	h := d.administrator(t)
	p := h.open(teamSettings, desktop)
	p.fill("Team name", "Half")
	p.fill("Dashboard link", "https://church.example.org")
	p.click("button", "What would change?")
	p.waitForText("Team starts at the next restart.")
	p.click("button", "Close")
	if n := h.countRequests(writeConfiguration); n != 0 {
		t.Errorf("%d writes by a preview, want none", n)
	}
	p.click("button", "Cancel")
	p.find("dialog", "Discard what you have typed?")
	p.click("button", "Discard")
	p.waitForHeading("Modules")
}
