package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// impatient makes intervals of up to 15 seconds fire at once, and longer ones never.
const impatient = `(() => {
	const real = window.setInterval;
	window.setInterval = (run, after = 0, ...more) =>
		real(run, after < 1000 ? after : after <= 15000 ? 100 : 1e9, ...more);
})();`

// TestChangesOfOthers: a change by another administrator appears in every screen of the administration within
// 15 seconds, and at once when the person returns to the page.
func TestChangesOfOthers(t *testing.T) {
	t.Parallel()
	// Each row opens a fixture and returns the change that the other administrator makes.
	for name, row := range map[string]struct {
		path   string
		open   func(t *testing.T, h *fixture) (change func())
		before string
		after  string
	}{
		"modules": {"/#/admin/modules", func(t *testing.T, h *fixture) func() {
			o := setModulesFixture(t, h)
			return func() {
				o.setModule("songs", decidedToStop)
			}
		}, "2 running, 3 blocked, 1 off", "Stops at the next restart"},
		"a module": {"/#/admin/modules/stage", func(t *testing.T, h *fixture) func() {
			o := setModulesFixture(t, h)
			o.respondJSON("GET /api/v1/module-lifecycle/stage/process", 200, process)
			return func() {
				o.setModule("stage", decidedToStop)
			}
		}, "Started 3 times.", "Stops at the next restart"},
		"a process": {"/#/admin/modules/stage", func(t *testing.T, h *fixture) func() {
			o := setModulesFixture(t, h)
			o.respondJSON("GET /api/v1/module-lifecycle/stage/process", 200, process)
			return func() {
				ended := object{}
				for field, value := range process {
					ended[field] = value
				}
				ended["starts"] = 4
				o.respondJSON("GET /api/v1/module-lifecycle/stage/process", 200, ended)
			}
		}, "Started 3 times.", "Started 4 times."},
		"the restart banner of another screen": {"/#/account", func(t *testing.T, h *fixture) func() {
			o := setModulesFixture(t, h)
			o.setModule("songs", decidedToStop)
			return func() {
				o.setModule("stage", decidedToStop)
			}
		}, "1 change waits for a restart.", "2 changes wait for a restart."},
		"modules for settings alone": {"/#/admin/modules", func(t *testing.T, h *fixture) func() {
			setModulesFixture(t, h)
			h.setNavigation([]string{"core.modules.configuration.manage"}, nil)
			return func() {
				h.respondJSON("GET /api/v1/module-configuration", 200, object{"modules": []object{
					{"moduleId": "rota", "name": "Rota", "version": "2.0.0", "restartRequired": false},
				}})
			}
		}, "1.0.0", "2.0.0"},
		"settings": {rotaSettings, func(t *testing.T, h *fixture) func() {
			s := newSettingsFixture(t, h)
			s.changeByAnother(object{"colour": "red"})
			return func() { s.changeByAnother(object{"colour": "red", "linkSigningKey": ""}) }
		}, "Not set on the server", "Set on the server"},
		"permissions": {"/#/admin/permissions", func(t *testing.T, h *fixture) func() {
			r := newGrantsFixture(t, h)
			return func() {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.add(sound, "stage.plan.edit", "")
			}
		}, "2 people hold 3 permissions", "2 people hold 4 permissions"},
		"navigation": {navigationScreen, func(t *testing.T, h *fixture) func() {
			n := setNavigationFixture(t, h)
			return func() { n.changeByAnother(func() { n.putGroup("sunday", "Lord's Day", 1024) }) }
		}, "Sunday", "Lord's Day"},
		"screens": {"/#/admin/screens", func(t *testing.T, h *fixture) func() {
			wl := newScreensFixture(t, h)
			return func() {
				wl.mu.Lock()
				defer wl.mu.Unlock()
				wl.devices[0]["label"] = "Entrance"
			}
		}, "Foyer", "Entrance"},
		"house": {"/#/admin/house", func(t *testing.T, h *fixture) func() {
			k := newHouseFixture(t, h)
			return func() {
				k.mu.Lock()
				defer k.mu.Unlock()
				k.stored = `{"name":"Theirs","accent":"olive","language":"en","timeZone":null,"rev":2}`
			}
		}, "Hill Street Church", "Theirs"},
		"backups": {"/#/admin/house", func(t *testing.T, h *fixture) func() {
			k := newHouseFixture(t, h)
			return func() {
				k.mu.Lock()
				defer k.mu.Unlock()
				k.backup = `{"lastVerifiedAt":"2026-11-20T03:04:05.000Z","verdict":null}`
			}
		}, "Nov 15, 2026", "Nov 20, 2026"},
	} {
		for when, come := range map[string]func(p *tab){
			"15 s":  func(*tab) {},
			"focus": func(p *tab) { p.runScript(`dispatchEvent(new Event("focus"))`) },
		} {
			t.Run(name+", "+when, func(t *testing.T) {
				usually(t, name, "modules")
				t.Parallel()
				h := newFixture(t)
				change := row.open(t, h)
				p := openPage(t, "about:blank", desktop)
				if when == "15 s" {
					p.onNewDocument(impatient)
				}
				p.do(chromedp.Navigate(h.URL + row.path))
				p.waitFor(`document.querySelector("main h1")`) // the text may also be beside the screen
				p.waitForText(row.before)
				h.awaitRead(p) // every later read has the timer or the focus as its cause
				change()
				come(p)
				p.waitForText(row.after)
			})
		}
	}
}
