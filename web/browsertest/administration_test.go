package browsertest

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
)

// everyPermission are all permissions of the platform's own, which the owner has.
var everyPermission = []string{
	"core.authorization.grants.manage", "core.dashboard.navigation.manage", "core.devices.manage",
	"core.house.manage", "core.modules.configuration.manage", "core.modules.lifecycle.manage",
}

// countWrites counts the requests that change data.
func (h *fixture) countWrites() (n int) {
	for _, asked := range h.requests() {
		if !strings.HasPrefix(asked, "GET ") && !strings.Contains(asked, "/api/auth/") &&
			!strings.HasSuffix(asked, "/preview") {
			n++
		}
	}
	return n
}

const rotaSettings = "/#/admin/modules/rota/settings"

// startAdministration starts a house in which modules are in every state: Home, Rota and Stage run, Calendar
// and Countdown are blocked, and Announcements is off. Stage stops at the next restart, and Rota takes other
// settings.
func startAdministration(t *testing.T) *devServer {
	t.Helper()
	d := startNamedHouse(t)
	d.exec(t, `
		INSERT INTO core.module_enablement (module_id, enabled) VALUES ('announcements', false);
		INSERT INTO core.module_configuration (module_id, key, value)
		VALUES ('calendar', 'weekStartsOn', '"never"');
		INSERT INTO core.backup_run (verified_at) VALUES ('2026-11-15T03:04:05Z')`)
	d.addScreens(t, `('Foyer', 'stage', interval '1 minute'), ('Choir', 'stage', interval '1 minute'),
		('Hall left', 'announcements', interval '72 hours 1 minute')`)
	d.restart(t)
	d.call(t, "PUT", "/api/v1/module-lifecycle/stage/enabled", object{"enabled": false})
	d.configureRota(t, "teamName", "Welcome team")
	return d
}

// configureRota changes one setting of Rota, as another administrator would.
func (d *devServer) configureRota(t *testing.T, key, value string) {
	t.Helper()
	settings := d.configurationOf(t, "rota")
	settings["values"].(object)[key] = value
	d.call(t, "PUT", "/api/v1/module-configuration/rota", settings)
}

// administrationScreensOf are the screens below "admin/", except those with tests of their own.
func administrationScreensOf(t *testing.T, d *devServer) []screenCase {
	t.Helper()
	coordinator := d.member(t, "Coordinator", everyPermission...)
	ada := d.signIn(t, coordinator)
	configurator := d.signIn(t, d.member(t, "Bob", "core.modules.configuration.manage"))
	sound := d.idOf(t, d.member(t, "Sound 1", manageNotices))
	d.grant(t, sound, "stage.live.control", "'2030-12-31T17:00:00Z'")
	house := func(_ *testing.T, h *fixture) { h.session = ada }
	answering := func(route string, status int, body string) func(t *testing.T, h *fixture) {
		return func(t *testing.T, h *fixture) {
			house(t, h)
			h.respond(route, status, body)
		}
	}
	const modules, lifecycle = "/#/admin/modules", "GET /api/v1/module-lifecycle"
	teamName := func(p *tab) { p.waitFor(`document.querySelector("[data-key=teamName]")`) }
	accent := func(p *tab) { p.waitFor(`document.querySelector(".host-house-facts .d-chip")`) }
	// The page keeps a field with the focus in sight. How much of the links above it the header then covers
	// depends on the font alone.
	leave := func(p *tab) { p.runScript(`document.activeElement.blur(); scrollTo(0, 0)`) }
	var conflicts atomic.Int32
	return []screenCase{
		{"W7-modules", modules, house, waitForTableRow},
		{"W7-filtered", modules, house, func(p *tab) {
			waitForTableRow(p)
			p.typeInto("[type=search]", "nobody")
			p.waitFor(`!document.querySelector("tbody .d-name")`)
		}},
		{"W7-none", modules, answering(lifecycle, 200, `{"modules":[]}`), // a house has the samples
			func(p *tab) { p.waitFor(`document.querySelector(".d-empty")`) }},
		{"W7-failed", modules, answering(lifecycle, 503, `{"code":"STORE_UNAVAILABLE"}`),
			func(p *tab) { p.waitFor(`document.querySelector("main [role=alert]")`) }},
		{"W7-switch", modules, house, func(p *tab) {
			waitForTableRow(p)
			p.clickSelector("[role=switch]")
			p.waitFor(`document.querySelector("dialog[open]")`)
		}},
		{"W7-module", modules + "/stage", house,
			func(p *tab) { p.waitFor(`document.querySelector(".host-chart")`) }},
		{"W7-settings-alone", modules, func(_ *testing.T, h *fixture) { h.session = configurator },
			func(p *tab) { p.waitFor(`document.querySelector(".d-list-row")`) }},
		{"W8-settings", rotaSettings, house, teamName},
		{"W8-errors", rotaSettings, house, func(p *tab) {
			teamName(p)
			p.typeInto("[data-key=remindDaysBefore]", "99")
			p.clickSelector(".host-save-bar .d-primary")
			p.waitFor(`document.querySelector("[data-key=remindDaysBefore][aria-invalid=true]")`)
			p.waitFor(`document.activeElement.getAttribute("aria-invalid") === "true"`)
			leave(p)
		}},
		{"W8-conflict", rotaSettings, house, func(p *tab) {
			teamName(p)
			p.typeInto("[data-key=teamName]", "Mine")
			d.configureRota(p.t, "teamName", fmt.Sprint("Theirs ", conflicts.Add(1)))
			p.runScript(`dispatchEvent(new Event("focus"))`)
			p.waitFor(`document.querySelector(".host-theirs")`)
			leave(p)
		}},
		{"W9-permissions", permissionsPath, house, waitForTableRow},
		{"W9-give", permissionsPath, house, func(p *tab) {
			waitForTableRow(p)
			p.clickSelector(".d-page-header .d-primary")
			p.waitFor(`document.querySelector("dialog [role=combobox]")`)
			p.runScript(`document.querySelectorAll("dialog [role=combobox]")[1].click()`)
			p.waitFor(`document.querySelector("dialog [role=option]")`)
		}},
		// The other screens need people who hold permissions.
		{"W9-empty", permissionsPath, answering("GET /api/v1/grants", 200, `{"grants":[],"nextCursor":null}`),
			func(p *tab) { p.waitFor(`document.querySelector(".d-empty")`) }},
		{"W10-navigation", navigationScreen, house,
			func(p *tab) { p.waitFor(`document.querySelector("[data-row]")`) }},
		{"W11-screens", devicesScreen, house, waitForTableRow},
		{"W11-found", "", func(t *testing.T, h *fixture) {
			house(t, h)
			_, code := newScreen(t, h, "stage")
			h.begin = devicesScreen + "/" + code
		}, func(p *tab) {
			p.waitFor(`document.querySelector(".host-found")`)
			p.clickSelector(".host-found .d-primary")
			p.waitFor(`document.querySelector(".host-found [aria-invalid=true]")`)
		}},
		{"W11-rename", devicesScreen, house, func(p *tab) {
			waitForTableRow(p)
			p.clickSelector("[aria-haspopup=menu]")
			p.clickSelector("[role=menuitem]")
			p.waitFor(`document.querySelector("dialog input")`)
		}},
		{"W12-house", houseScreenPath, house, accent},
		// The other screens of the house have a backup that is whole.
		{"W12-refused", houseScreenPath, func(t *testing.T, h *fixture) {
			house(t, h)
			h.respond("GET /api/v1/house/backup", 200,
				`{"lastVerifiedAt":"2026-11-09T03:04:05.000Z","verdict":"BACKUP_INCOMPLETE"}`)
			h.respond(houseRoute, 400, `{"code":"REQUEST_INVALID"}`)
		}, func(p *tab) {
			accent(p)
			p.typeInto(".host-house-form input", " again")
			p.clickSelector(".host-house-form .d-primary[type=submit]")
			p.waitFor(`document.querySelector(".host-house-form [aria-invalid=true]")`)
		}},
	}
}

// waitForTableRow waits for the first row.
func waitForTableRow(p *tab) { p.waitFor(`document.querySelector("tbody .d-name")`) }

// TestAdministrationScreens checks every screen of the administration as TestScreens checks the other
// screens.
func TestAdministrationScreens(t *testing.T) {
	t.Parallel()
	d := startAdministration(t)
	assertHouseScreens(t, d, administrationScreensOf(t, d))
}

// TestAdministrationWithEveryFont: the administration screens hold their text, and their targets are large
// enough, with every system font. German has the longest words.
func TestAdministrationWithEveryFont(t *testing.T) {
	leaveToProof(t, "it opens every screen of the administration in each font")
	t.Parallel()
	d := startAdministration(t)
	screens := administrationScreensOf(t, d)
	eachFont(t, func(t *testing.T, browser context.Context) {
		check := func(p *tab, screen, _ string) {
			p.assertHoldsText(screen + "-" + strings.ReplaceAll(strings.Split(t.Name(), "/")[1], " ", "-"))
		}
		walkScreens(t, browser, d, screens, check, "de")
	})
}
