package browsertest

import (
	"fmt"
	"testing"
)

// impatient makes intervals of up to 15 seconds fire at once, and longer ones never.
const impatient = `(() => {
	const real = window.setInterval;
	window.setInterval = (run, after = 0, ...more) =>
		real(run, after < 1000 ? after : after <= 15000 ? 100 : 1e9, ...more);
})();`

// withoutPolling makes intervals of 15 seconds and longer never fire.
const withoutPolling = `(() => {
	const real = window.setInterval;
	window.setInterval = (run, after = 0, ...more) => real(run, after < 15000 ? after : 1e9, ...more);
})();`

// othersChange is a change that another administrator makes.
type othersChange struct {
	before, after string // what is true of the page
	make          func()
}

// TestChangesOfOthers: a change by another administrator appears in every screen of the administration within
// 15 seconds, and at once when the person returns to the page. All changes are made in one house, so they
// follow one another.
func TestChangesOfOthers(t *testing.T) {
	t.Parallel()
	d := startNamedHouse(t)
	d.addScreens(t, `('Foyer', 'stage', interval '1 minute')`)
	ada := d.signIn(t, d.member(t, "Ada", everyPermission...))
	bob := d.signIn(t, d.member(t, "Bob", "core.modules.configuration.manage"))
	carlID := d.addPerson(t, "carl@example.org", "Carl")
	team := d.configurationOf(t, "rota")["values"].(object)["teamName"].(string)
	says := func(words string) string { return fmt.Sprintf("document.body.innerText.includes(%q)", words) }
	const stops = "Stops at the next restart"
	switchOff := func(module string) {
		d.call(t, "PUT", "/api/v1/module-lifecycle/"+module+"/enabled", object{"enabled": false})
	}
	for name, row := range map[string]struct {
		path    string
		prepare func(h *fixture) othersChange
	}{
		"modules": {"/#/admin/modules", func(*fixture) othersChange {
			return othersChange{says("7 running"), says(stops), func() { switchOff("calendar") }}
		}},
		"a module": {"/#/admin/modules/stage", func(*fixture) othersChange {
			return othersChange{says("Started once."), says(stops), func() { switchOff("stage") }}
		}},
		"a process": {"/#/admin/modules/stage", func(*fixture) othersChange {
			calls := d.call(t, "GET", "/api/v1/module-lifecycle/stage/process", nil)["requests"].(float64)
			counts := func(calls float64) string { return says(fmt.Sprint(calls, " since the platform started")) }
			return othersChange{counts(calls), counts(calls + 1),
				func() { d.call(t, "GET", stageRoot+"/services", nil) }}
		}},
		"the restart banner of another screen": {"/#/account", func(*fixture) othersChange {
			switchOff("countdown")
			return othersChange{says("1 change waits for a restart."), says("2 changes wait for a restart."),
				func() { switchOff("calendar") }}
		}},
		// A version really changes when the platform restarts, and then the page is loaded anew.
		"modules for settings alone": {"/#/admin/modules", func(h *fixture) othersChange {
			h.session = bob
			return othersChange{says("1.0.0"), says("2.0.0"), func() {
				h.respondJSON("GET /api/v1/module-configuration", 200, object{"modules": []object{
					{"moduleId": "rota", "name": "Rota", "version": "2.0.0", "restartRequired": false},
				}})
			}}
		}},
		"settings": {rotaSettings, func(*fixture) othersChange {
			set := func(name string) { d.configureRota(t, "teamName", name) }
			has := func(name string) string {
				return fmt.Sprintf(`document.querySelector("[data-key=teamName]")?.value === %q`, name)
			}
			set("Ours")
			return othersChange{has("Ours"), has("Theirs"), func() { set("Theirs") }}
		}},
		"permissions": {permissionsPath, func(*fixture) othersChange {
			d.exec(t, `UPDATE core.permission_grant SET revoked_at = now() WHERE person_id = '`+carlID+`'`)
			return othersChange{says("2 people hold 6 permissions"), says("3 people hold 7 permissions"), func() {
				d.call(t, "POST", "/api/v1/grants", object{"userId": carlID, "permissionId": "stage.plan.edit"})
			}}
		}},
		"navigation": {navigationScreen, func(*fixture) othersChange {
			name := func(label string) {
				d.call(t, "PUT", navigationPath+"/groups/sunday", object{"label": label, "order": 1024})
			}
			name("Sunday")
			return othersChange{says("Sunday"), says("Lord's Day"), func() { name("Lord's Day") }}
		}},
		"screens": {devicesScreen, func(*fixture) othersChange {
			id := d.query(t, `SELECT id::text FROM core.device`)
			name := func(label string) { d.call(t, "PUT", "/api/v1/devices/"+id, object{"label": label}) }
			name("Foyer")
			return othersChange{says("Foyer"), says("Entrance"), func() { name("Entrance") }}
		}},
		"house": {houseScreenPath, func(*fixture) othersChange {
			d.setHouse(t, "Hill Street Church", "copper", "en")
			return othersChange{says("Hill Street Church"), says("Theirs"),
				func() { d.setHouse(t, "Theirs", "olive", "en") }}
		}},
		"backups": {houseScreenPath, func(*fixture) othersChange {
			verify := func(at string) {
				d.exec(t, `TRUNCATE core.backup_run; INSERT INTO core.backup_run (verified_at) VALUES ('`+at+`')`)
			}
			verify("2026-11-15T03:04:05Z")
			return othersChange{says("Nov 15, 2026"), says("Nov 20, 2026"),
				func() { verify("2026-11-20T03:04:05Z") }}
		}},
	} {
		for when, come := range map[string]func(p *tab){
			"15 s":  func(*tab) {},
			"focus": func(p *tab) { p.runScript(`dispatchEvent(new Event("focus"))`) },
		} {
			t.Run(name+", "+when, func(t *testing.T) {
				usually(t, name, "modules")
				d.exec(t, `TRUNCATE core.module_enablement`)
				d.configureRota(t, "teamName", team) // no other change waits for a restart
				h := d.front(t)
				h.session = ada
				change := row.prepare(h)
				p := openPage(t, "about:blank", desktop)
				if when == "15 s" {
					p.onNewDocument(impatient)
				}
				h.load(p, row.path)
				p.waitFor(`document.querySelector("main h1")`) // the text may also be beside the screen
				p.waitFor(change.before)
				h.awaitRead(p) // every later read has the timer or the focus as its cause
				change.make()
				come(p)
				p.waitFor(change.after)
			})
		}
	}
}
