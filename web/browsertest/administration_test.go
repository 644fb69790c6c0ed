package browsertest

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// everyPermission are all permissions of the platform's own, which the owner has.
var everyPermission = []string{
	"core.authorization.grants.manage", "core.dashboard.navigation.manage", "core.devices.manage",
	"core.house.manage", "core.modules.configuration.manage", "core.modules.lifecycle.manage",
}

// modulesFixture replaces the platform's administration of modules: some run, some are blocked and some are
// off.
type modulesFixture struct {
	*fixture
	mu      sync.Mutex
	modules []object
}

// setModulesFixture signs in a person with every permission, and adds modules in many states.
func setModulesFixture(t *testing.T, h *fixture) *modulesFixture {
	t.Helper()
	o := &modulesFixture{fixture: h}
	o.setSignedIn(person)
	o.setNavigation(everyPermission, nil,
		group("sunday", "Sunday", module("stage", "Stage", object{"icon": "lectern"}),
			module("songs", "Songs", object{"icon": "music"})))
	o.modules = []object{
		installed("announcements", "Announcements",
			blocked("storage_unavailable", object{"storageBucketId": "images"})),
		installed("countdown", "Countdown",
			blocked("required_dependency_blocked", needs("announcements")), dependsOn("announcements")),
		installed("rota", "Rota", blocked("configuration_missing", object{"configurationKey": "teamName"}),
			dependsOn("stage")),
		installed("songs", "Songs", running),
		installed("stage", "Stage", running),
		installed("visitors", "Visitors", object{"state": "disabled"},
			object{"configured": object{"enabled": false, "explicit": true}}),
	}
	o.handle("GET /api/v1/module-lifecycle", func(w http.ResponseWriter, _ *http.Request) { o.serveList(w) })
	o.handle("POST /api/v1/module-lifecycle/*", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, jsonOf(t, nothingChanges))
	})
	o.respondJSON("GET /api/v1/module-configuration", 200, object{"modules": []object{
		{"moduleId": "rota", "name": "Rota", "version": "1.0.0", "restartRequired": false},
	}})
	return o
}

var running = object{"state": "running"}

func blocked(reason string, more object) object {
	runtime := object{"state": "blocked", "reason": reason}
	for field, value := range more {
		runtime[field] = value
	}
	return runtime
}

func needs(moduleID string) object {
	return object{"dependency": object{"kind": "module", "moduleId": moduleID}}
}

func dependsOn(moduleID string) object {
	return object{"dependencies": []object{
		{"kind": "module", "id": moduleID, "moduleId": moduleID, "required": true},
	}}
}

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

// decidedToStop are the fields of a module that stops at the next restart.
var decidedToStop = object{"configured": object{"enabled": false, "explicit": true}, "restartRequired": true}

// installed returns one entry of the module list; more replaces fields of it.
func installed(id, name string, runtime object, more ...object) object {
	entry := object{
		"id": id, "name": name, "version": "1.0.0", "configured": object{"enabled": true, "explicit": false},
		"runtime": runtime, "restartRequired": false, "dependencies": []object{},
	}
	for _, fields := range more {
		for field, value := range fields {
			entry[field] = value
		}
	}
	return entry
}

func (o *modulesFixture) serveList(w http.ResponseWriter) {
	o.mu.Lock()
	listed := []object{}
	for _, entry := range o.modules {
		entry["next"] = nextOf(entry)
		entry = maps.Clone(entry)
		delete(entry, "then") // it is for nextOf
		listed = append(listed, entry)
	}
	text, err := json.Marshal(object{"modules": listed})
	o.mu.Unlock()
	if err != nil {
		o.t.Error(err)
	}
	reply(w, 200, string(text))
}

// nextOf returns what a restart makes of a module with pending changes, if that differs: it runs if it is
// switched on, unless its field "then" sets another state.
func nextOf(entry object) any {
	enabled, _ := entry["configured"].(object)["enabled"].(bool)
	then, known := entry["then"].(object)
	if !known {
		then = object{"state": "disabled"}
		if enabled {
			then = running
		}
	}
	if entry["restartRequired"] == true && entry["runtime"].(object)["state"] != then["state"] {
		return then
	}
	return nil
}

// nothingChanges is a preview.
var nothingChanges = object{"modules": []object{}, "waiting": []object{}, "screens": []object{}}

// setModule replaces fields of one module's entry and returns the entry.
func (o *modulesFixture) setModule(id string, fields object) object {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := slices.IndexFunc(o.modules, func(entry object) bool { return entry["id"] == id })
	for field, value := range fields {
		o.modules[at][field] = value
	}
	return o.modules[at]
}

// respondPreview allows a module to be switched: the preview returns the given object, and the write is
// stored.
func (o *modulesFixture) respondPreview(id string, preview object) {
	o.respondJSON("POST /api/v1/module-lifecycle/"+id+"/preview", 200, preview)
	o.handle("PUT /api/v1/module-lifecycle/"+id+"/enabled", func(w http.ResponseWriter, r *http.Request) {
		var sent struct{ Enabled bool }
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			o.t.Error(err)
		}
		entry := o.setModule(id, object{
			"configured": object{"enabled": sent.Enabled, "explicit": true}, "restartRequired": true,
		})
		entry["next"] = nextOf(entry)
		text, err := json.Marshal(entry)
		if err != nil {
			o.t.Error(err)
		}
		reply(w, 200, string(text))
	})
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

// administrationScreens are the screens below "admin/".
var administrationScreens = []screenCase{
	{"W7-modules", "/#/admin/modules", modulesInEveryState, waitForTableRow},
	{"W7-filtered", "/#/admin/modules", modulesInEveryState, func(p *tab) {
		waitForTableRow(p)
		p.typeInto("[type=search]", "nobody")
		p.waitFor(`!document.querySelector("tbody .d-name")`)
	}},
	{"W7-none", "/#/admin/modules", func(t *testing.T, h *fixture) {
		modulesInEveryState(t, h)
		h.respond("GET /api/v1/module-lifecycle", 200, `{"modules":[]}`)
	}, func(p *tab) { p.waitFor(`document.querySelector(".d-empty")`) }},
	{"W7-failed", "/#/admin/modules", func(t *testing.T, h *fixture) {
		modulesInEveryState(t, h)
		h.respond("GET /api/v1/module-lifecycle", 503, `{"code":"STORE_UNAVAILABLE"}`)
	}, func(p *tab) { p.waitFor(`document.querySelector("main [role=alert]")`) }},
	{"W7-switch", "/#/admin/modules", modulesInEveryState, func(p *tab) {
		waitForTableRow(p)
		p.clickSelector("[role=switch]")
		p.waitFor(`document.querySelector("dialog[open]")`)
	}},
	{"W7-module", "/#/admin/modules/stage", modulesInEveryState,
		func(p *tab) { p.waitFor(`document.querySelector(".host-chart")`) }},
	{"W7-settings-alone", "/#/admin/modules", func(t *testing.T, h *fixture) {
		modulesInEveryState(t, h)
		h.setNavigation([]string{"core.modules.configuration.manage"}, nil)
	}, func(p *tab) { p.waitFor(`document.querySelector(".d-list-row")`) }},
	{"W8-settings", rotaSettings, formOfSettings, waitForTeamName},
	{"W8-errors", rotaSettings, formOfSettings, func(p *tab) {
		waitForTeamName(p)
		p.typeInto("[data-key=remindDaysBefore]", "99")
		p.clickSelector(".host-save-bar .d-primary")
		p.waitFor(`document.querySelector("[data-key=remindDaysBefore][aria-invalid=true]")`)
		// The page has scrolled to the error. How much of the links above it the header then covers depends on the
		// font alone.
		p.waitFor(`document.activeElement.getAttribute("aria-invalid") === "true"`)
		p.runScript(`scrollTo(0, 0)`)
	}},
	{"W8-conflict", rotaSettings, formOfSettings, func(p *tab) {
		waitForTeamName(p)
		p.typeInto("[data-key=teamName]", "Mine")
		p.runScript(`await fetch("/api/v1/other"); dispatchEvent(new Event("focus"))`)
		p.waitFor(`document.querySelector(".host-theirs")`)
	}},
	{"W9-permissions", "/#/admin/permissions", grantsOfHouse, waitForTableRow},
	{"W9-give", "/#/admin/permissions", grantsOfHouse, func(p *tab) {
		waitForTableRow(p)
		p.clickSelector(".d-page-header .d-primary")
		p.waitFor(`document.querySelector("dialog [role=combobox]")`)
		p.runScript(`document.querySelectorAll("dialog [role=combobox]")[1].click()`)
		p.waitFor(`document.querySelector("dialog [role=option]")`)
	}},
	{"W9-empty", "/#/admin/permissions", func(t *testing.T, h *fixture) {
		newGrantsFixture(t, h).grants = nil
	}, func(p *tab) { p.waitFor(`document.querySelector(".d-empty")`) }},
	{"W10-navigation", "/#/admin/navigation", grantsOfHouse,
		func(p *tab) { p.waitFor(`document.querySelector("[data-row]")`) }},
	{"W11-screens", "/#/admin/screens", wallOfHouse, waitForTableRow},
	{"W11-found", "/#/admin/screens/482913", wallOfHouse, func(p *tab) {
		p.waitFor(`document.querySelector(".host-found")`)
		p.clickSelector(".host-found .d-primary")
		p.waitFor(`document.querySelector(".host-found [aria-invalid=true]")`)
	}},
	{"W11-rename", "/#/admin/screens", wallOfHouse, func(p *tab) {
		waitForTableRow(p)
		p.clickSelector("[aria-haspopup=menu]")
		p.clickSelector("[role=menuitem]")
		p.waitFor(`document.querySelector("dialog input")`)
	}},
	{"W12-house", "/#/admin/house", houseScreen, waitForAccentChip},
	{"W12-refused", "/#/admin/house", func(t *testing.T, h *fixture) {
		k := newHouseFixture(t, h)
		k.backup = `{"lastVerifiedAt":"2026-11-09T03:04:05.000Z","verdict":"BACKUP_INCOMPLETE"}`
		k.status, k.code = 400, "INVALID_REQUEST"
	}, func(p *tab) {
		waitForAccentChip(p)
		p.typeInto(".host-house-form input", " again")
		p.clickSelector(".host-house-form .d-primary[type=submit]")
		p.waitFor(`document.querySelector(".host-house-form [aria-invalid=true]")`)
	}},
}

func houseScreen(t *testing.T, h *fixture) { newHouseFixture(t, h) }

func waitForAccentChip(p *tab) { p.waitFor(`document.querySelector(".host-house-facts .d-chip")`) }

func wallOfHouse(t *testing.T, h *fixture) { newScreensFixture(t, h) }

func grantsOfHouse(t *testing.T, h *fixture) { newGrantsFixture(t, h) }

func waitForTeamName(p *tab) { p.waitFor(`document.querySelector("[data-key=teamName]")`) }

func formOfSettings(t *testing.T, h *fixture) {
	s := newSettingsFixture(t, h)
	h.handle("GET /api/v1/other", func(w http.ResponseWriter, _ *http.Request) {
		s.changeByAnother(object{"teamName": "Theirs"})
		replyStrange(w, 200, "{}") // a signal of the test, and no route of the platform
	})
}

// waitForTableRow waits for the first row.
func waitForTableRow(p *tab) { p.waitFor(`document.querySelector("tbody .d-name")`) }

func modulesInEveryState(t *testing.T, h *fixture) {
	o := setModulesFixture(t, h)
	o.respondPreview("announcements", offPreview)
	o.respondJSON("GET /api/v1/module-lifecycle/stage/process", 200, process)
	o.setModule("stage", decidedToStop)
	o.setModule("songs", object{"restartRequired": true})
}

// TestAdministrationScreens checks every screen of the administration as TestScreens checks the other
// screens.
func TestAdministrationScreens(t *testing.T) {
	t.Parallel()
	assertScreens(t, administrationScreens)
}

// TestAdministrationWithEveryFont: the administration screens hold their text, and their targets are large
// enough, with every system font. German has the longest words.
func TestAdministrationWithEveryFont(t *testing.T) {
	leaveToProof(t, "it opens every screen of the administration in each font")
	t.Parallel()
	eachFont(t, func(t *testing.T, browser context.Context) {
		check := func(p *tab, screen, _ string) {
			p.assertHoldsText(screen + "-" + strings.ReplaceAll(strings.Split(t.Name(), "/")[1], " ", "-"))
		}
		walkScreens(t, browser, newFixture, administrationScreens, check, "de")
	})
}
