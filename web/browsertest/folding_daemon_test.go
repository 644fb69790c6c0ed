package browsertest

import "testing"

// TestUmlautsAreFound: "o" finds "ö", in a combobox as in the list of a screen, and the combobox marks it.
func TestUmlautsAreFound(t *testing.T) {
	leaveToProof(t, "it types the umlauts of each list")
	t.Parallel()
	d := startHouse(t)
	d.addPerson(t, "joerg@example.org", "Jörg Öffner")
	d.query(t, `
		WITH screen AS (
			INSERT INTO core.device (label, module_id, credential_hash, last_seen_at)
			SELECT label, 'stage', sha256(label::bytea), now()
			FROM (SELECT 'Hall ' || n FROM generate_series(1, 12) AS n UNION ALL SELECT 'Kueche') AS known (label)
			RETURNING id)
		INSERT INTO core.device_permission (device_id, permission_id)
		SELECT id, 'stage.display.view' FROM screen
		RETURNING device_id::text`)
	d.query(t, `UPDATE core.device SET label = 'Küche Straße' WHERE label = 'Kueche' RETURNING id::text`)
	owner := d.signIn(t, "owner@example.org")

	p := d.openIn(t, chromium, owner, "/#/admin/permissions", desktop)
	p.click("button", "Give permission")
	p.enter("combobox", "Person", "offner jorg")
	p.waitForOption("Jörg Öffner")
	p.enter("combobox", "Person", "jorg")
	p.waitFor(`document.querySelector("dialog [role=option] mark")?.innerText === "Jörg"`)

	p = d.openIn(t, chromium, owner, "/#/admin/screens", desktop)
	p.enter("searchbox", "Filter", "strasse kuche")
	p.waitFor(`[...document.querySelectorAll("main table tbody tr")].length === 1 &&
		document.querySelector("main table tbody tr").innerText.includes("Küche Straße")`)
}
