package browsertest

import "testing"

// TestOneOfEach: a number of one has the words for one, in both languages, in the Dashboard and in modules.
func TestOneOfEach(t *testing.T) {
	leaveToProof(t, "it opens several screens in two languages")
	t.Parallel()
	d := startHouse(t)
	d.exec(t, `INSERT INTO core.module_enablement (module_id, enabled)
		SELECT id, false
		FROM unnest(ARRAY['announcements', 'calendar', 'checklists', 'countdown', 'home', 'rota']) AS id
		ON CONFLICT (module_id) DO UPDATE SET enabled = false`)
	d.exec(t, `DELETE FROM core.permission_grant`)
	d.grant(t, d.addPerson(t, "anna@example.org", "Anna"), "core.people.manage", "NULL")
	d.exec(t, `DELETE FROM module_stage.items WHERE id NOT IN (
		SELECT DISTINCT ON (service_id) id FROM module_stage.items ORDER BY service_id, position)`)
	d.restart(t)
	p := d.openAs(t, "owner@example.org", "/#/admin/modules", desktop)
	p.waitForText("1 running, 0 blocked, 6 off")
	p.runScript(`location.hash = "#/admin/permissions"`)
	p.waitForText("1 person holds 1 permission")
	p.runScript(`location.hash = "#/m/stage"`)
	p.waitForText("1 item")
	p.assertNoText("1 items")
	p.setLanguage("de")
	p.reload()
	p.waitForText("1 Programmpunkt")
	p.assertNoText("1 Programmpunkte")
	p.runScript(`location.hash = "#/admin/permissions"`)
	p.waitForText("1 Person hat 1 Berechtigung")
	p.screenshot("plurals-permissions-de")
	p.runScript(`location.hash = "#/admin/modules"`)
	p.waitForText("1 läuft, 0 blockiert, 6 aus")
	p.screenshot("plurals-modules-de")
}
