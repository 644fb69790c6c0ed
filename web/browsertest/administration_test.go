package browsertest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// everyPermission is what the owner holds of the platform's own.
var everyPermission = []string{
	"core.authorization.grants.manage", "core.dashboard.navigation.manage", "core.devices.manage",
	"core.house.manage", "core.modules.configuration.manage", "core.modules.lifecycle.manage",
}

// office stands in for the platform's administration: modules that run, are blocked and are off.
type office struct {
	*house
	mu      sync.Mutex
	modules []object
}

// administration signs in somebody who may do everything.
func administration(t *testing.T) *office {
	t.Helper()
	return fill(t, setup(t))
}

// fill makes a house an office.
func fill(t *testing.T, h *house) *office {
	t.Helper()
	o := &office{house: h}
	o.signedIn(person)
	o.navigation(everyPermission, nil,
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
			object{"configured": object{"enabled": false}}),
	}
	o.on("GET /api/v1/module-lifecycle", func(w http.ResponseWriter, _ *http.Request) { o.list(w) })
	o.json("GET /api/v1/module-configuration", 200, object{"modules": []object{
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

// installed is one entry of the lifecycle; more replaces fields of it.
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

func (o *office) list(w http.ResponseWriter) {
	o.mu.Lock()
	text, err := json.Marshal(object{"modules": o.modules})
	o.mu.Unlock()
	if err != nil {
		o.t.Error(err)
	}
	reply(w, 200, string(text))
}

// set replaces fields of one module's entry and returns the entry.
func (o *office) set(id string, fields object) object {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := slices.IndexFunc(o.modules, func(entry object) bool { return entry["id"] == id })
	for field, value := range fields {
		o.modules[at][field] = value
	}
	return o.modules[at]
}

// switches lets a module be switched: the preview answers with what is given, the write is kept.
func (o *office) switches(id string, preview object) {
	o.json("POST /api/v1/module-lifecycle/"+id+"/preview", 200, preview)
	o.on("PUT /api/v1/module-lifecycle/"+id+"/enabled", func(w http.ResponseWriter, r *http.Request) {
		var sent struct{ Enabled bool }
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			o.t.Error(err)
		}
		entry := o.set(id, object{"configured": object{"enabled": sent.Enabled}, "restartRequired": true})
		text, err := json.Marshal(entry)
		if err != nil {
			o.t.Error(err)
		}
		reply(w, 200, string(text))
	})
}

// writes counts the requests that change something.
func (h *house) writes() (n int) {
	for _, asked := range h.requests() {
		if !strings.HasPrefix(asked, "GET ") && !strings.Contains(asked, "/api/auth/") &&
			!strings.HasSuffix(asked, "/preview") {
			n++
		}
	}
	return n
}

// administrationScreens are those below "admin/".
var administrationScreens = []screen{
	{"W7-modules", "/#/admin/modules", modulesInEveryState, thing},
	{"W7-filtered", "/#/admin/modules", modulesInEveryState, func(p *tab) {
		thing(p)
		p.typeInto("[type=search]", "nobody")
		p.wait(`!document.querySelector("tbody .name")`)
	}},
	{"W7-none", "/#/admin/modules", func(t *testing.T, h *house) {
		modulesInEveryState(t, h)
		h.answer("GET /api/v1/module-lifecycle", 200, `{"modules":[]}`)
	}, func(p *tab) { p.wait(`document.querySelector(".empty")`) }},
	{"W7-failed", "/#/admin/modules", func(t *testing.T, h *house) {
		modulesInEveryState(t, h)
		h.answer("GET /api/v1/module-lifecycle", 503, `{"code":"STORE_UNAVAILABLE"}`)
	}, func(p *tab) { p.wait(`document.querySelector("main [role=alert]")`) }},
	{"W7-switch", "/#/admin/modules", modulesInEveryState, func(p *tab) {
		thing(p)
		p.click("[role=switch]")
		p.wait(`document.querySelector("dialog[open]")`)
	}},
	{"W7-module", "/#/admin/modules/stage", modulesInEveryState,
		func(p *tab) { p.wait(`document.querySelector(".chart")`) }},
	{"W7-settings-alone", "/#/admin/modules", func(t *testing.T, h *house) {
		modulesInEveryState(t, h)
		h.navigation([]string{"core.modules.configuration.manage"}, nil)
	}, func(p *tab) { p.wait(`document.querySelector(".list-row")`) }},
	{"W8-settings", rotaSettings, formOfSettings, keyed},
	{"W8-errors", rotaSettings, formOfSettings, func(p *tab) {
		keyed(p)
		p.typeInto("[data-key=remindDaysBefore]", "99")
		p.click(".save-bar .primary")
		p.wait(`document.querySelector("[data-key=remindDaysBefore][aria-invalid=true]")`)
	}},
	{"W8-conflict", rotaSettings, formOfSettings, func(p *tab) {
		keyed(p)
		p.typeInto("[data-key=teamName]", "Mine")
		p.run(`await fetch("/api/v1/other"); dispatchEvent(new Event("focus"))`)
		p.wait(`document.querySelector(".theirs")`)
	}},
	{"W9-permissions", "/#/admin/permissions", grantsOfHouse, thing},
	{"W9-give", "/#/admin/permissions", grantsOfHouse, func(p *tab) {
		thing(p)
		p.click(".page-header .primary")
		p.wait(`document.querySelector("dialog [role=combobox]")`)
		p.run(`document.querySelectorAll("dialog [role=combobox]")[1].click()`)
		p.wait(`document.querySelector("dialog [role=option]")`)
	}},
	{"W9-empty", "/#/admin/permissions", func(t *testing.T, h *house) {
		granting(t, h).grants = nil
	}, func(p *tab) { p.wait(`document.querySelector(".empty")`) }},
	{"W10-navigation", "/#/admin/navigation", grantsOfHouse,
		func(p *tab) { p.wait(`document.querySelector("[data-row]")`) }},
	{"W11-screens", "/#/admin/screens", wallOfHouse, thing},
	{"W11-found", "/#/admin/screens/482913", wallOfHouse, func(p *tab) {
		p.wait(`document.querySelector(".found")`)
		p.click(".found .primary")
		p.wait(`document.querySelector(".found [aria-invalid=true]")`)
	}},
	{"W11-rename", "/#/admin/screens", wallOfHouse, func(p *tab) {
		thing(p)
		p.click("[aria-haspopup=menu]")
		p.click("[role=menuitem]")
		p.wait(`document.querySelector("dialog input")`)
	}},
	{"W12-house", "/#/admin/house", houseScreen, swatches},
	{"W12-refused", "/#/admin/house", func(t *testing.T, h *house) {
		k := keptHouse(t, h)
		k.backup = `{"lastVerifiedAt":"2026-11-09T03:04:05.000Z","verdict":"BACKUP_INCOMPLETE"}`
		k.status, k.code = 400, "INVALID_REQUEST"
	}, func(p *tab) {
		swatches(p)
		p.typeInto(".house-form input", " again")
		p.click(".house-form .primary[type=submit]")
		p.wait(`document.querySelector(".house-form [aria-invalid=true]")`)
	}},
}

func houseScreen(t *testing.T, h *house) { keptHouse(t, h) }

func swatches(p *tab) { p.wait(`document.querySelector(".house-facts .chip")`) }

func wallOfHouse(t *testing.T, h *house) { screensOf(t, h) }

func grantsOfHouse(t *testing.T, h *house) { granting(t, h) }

func keyed(p *tab) { p.wait(`document.querySelector("[data-key=teamName]")`) }

func formOfSettings(t *testing.T, h *house) {
	s := settings(t, h)
	h.on("GET /api/v1/other", func(w http.ResponseWriter, _ *http.Request) {
		s.other(object{"teamName": "Theirs"})
		reply(w, 200, "{}")
	})
}

// thing waits for the first row.
func thing(p *tab) { p.wait(`document.querySelector("tbody .name")`) }

func modulesInEveryState(t *testing.T, h *house) {
	o := fill(t, h)
	o.switches("announcements", offPreview)
	o.json("GET /api/v1/module-lifecycle/stage/process", 200, process)
	o.set("stage", object{"configured": object{"enabled": false}, "restartRequired": true})
	o.set("songs", object{"restartRequired": true})
}

// TestAdministrationScreens looks at every screen of the administration as TestScreens looks at the others.
func TestAdministrationScreens(t *testing.T) {
	t.Parallel()
	lookAt(t, administrationScreens)
}
