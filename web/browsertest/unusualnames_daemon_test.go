package browsertest

import (
	"strings"
	"testing"
)

// unusual is SQL of a name with all that people and importers put into one: markup, both directions of
// writing, a mark that turns the direction, 300 letters without a place to break; then what makes it unique.
const unusual = `$$<b class="hurt">&amp;</b> مرحبا بكم $$ || chr(8238) || $$ %s {0} $$ || repeat('Ww', 150)
	|| left(id::text, 8)`

// TestUnusualNames: names of 300 letters, in two directions, with markup, are shown as they are and break no
// screen: not the account's, the house's, nor those of what the modules keep.
func TestUnusualNames(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	for column, table := range map[string]string{
		"name":  "core.person module_calendar.rooms module_rota.roles",
		"label": "module_rota.volunteers",
		"title": "module_announcements.slides module_calendar.events module_checklists.lists " +
			"module_stage.services module_stage.songs",
	} {
		for table := range strings.FieldsSeq(table) {
			d.exec(t, `UPDATE `+table+` SET `+column+` = `+unusual)
		}
	}
	d.exec(t, `UPDATE module_stage.items SET title = `+unusual+` WHERE title <> ''`)
	d.exec(t, `UPDATE module_checklists.lists SET items = (SELECT jsonb_agg(jsonb_build_object('id',
		i->>'id', 'text', left(`+unusual+`, 200))) FROM jsonb_array_elements(items) i)`)
	d.exec(t, `UPDATE core.house SET name = '<b class="hurt">' || repeat('Ww', 32)`)
	d.exec(t, `INSERT INTO core.navigation_group (id, label, position)
		SELECT id, `+unusual+`, 0 FROM gen_random_uuid() AS id`)
	d.exec(t, `INSERT INTO core.navigation_placement (module_id, group_id, position)
		SELECT 'rota', id, 0 FROM core.navigation_group`)
	d.addScreens(t, `(repeat('Ww', 150), 'announcements', interval '1 minute')`)
	d.addPerson(t, "anna@example.org", strings.Repeat("Ww", 150))
	addresses := d.houseAddresses(t)
	screens := append([]string{"account", "admin/house", "m/calendar/rooms", "m/rota/roles"}, screensOfHouse...)
	if testing.Short() {
		screens = []string{"account", "", "admin/people", "m/announcements", "m/calendar/rooms", "m/checklists",
			"m/stage/songs"}
	}
	p := d.openAs(t, "owner@example.org", "/", desktop)
	p.waitForHome()
	for _, path := range screens {
		p.runScript(`location.hash = "#/` + addresses.Replace(path) + `"`)
		p.waitFor(`document.querySelector("main h1") && document.activeElement.tagName === "H1" &&
			!document.querySelector("main [aria-busy=true], main .d-skeleton")`)
		for name, view := range map[string]view{"desktop": desktop, "phone": phone} {
			p.setView(view)
			over := eval[int](p, `document.documentElement.scrollWidth - innerWidth`)
			if over > 0 {
				t.Errorf("%q, %s: %d pixels too wide: %s", path, name, over, eval[string](p, tooWide))
			}
			if faults := eval[string](p, illegible); faults != "" {
				t.Errorf("%q, %s:\n%s", path, name, faults)
			}
			p.screenshot("names-" + strings.ReplaceAll(path, "/", "-") + "-" + name)
		}
		if eval[bool](p, `document.querySelector(".hurt") !== null`) {
			t.Errorf("%q: a name became an element", path)
		}
	}
}
