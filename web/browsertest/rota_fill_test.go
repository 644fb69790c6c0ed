package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// count returns what a statement counts.
func (d *devServer) count(t *testing.T, statement string) string {
	t.Helper()
	return d.query(t, `SELECT count(*)::text FROM module_rota.`+statement)
}

// TestRotaFill: a coordinator has a plan proposed, with a reason for each choice, leaves one choice out, and
// applies the rest. Nothing is stored before, and nobody is asked before they send the requests.
func TestRotaFill(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	d.exec(t, `DELETE FROM module_rota.assignments; DELETE FROM module_rota.mail_log`)
	p := d.openAs(t, d.member(t, "Ada", coordinator...), "/#/m/rota", desktop)
	const fill = `[...document.querySelectorAll(".rota .toolbar button")].find((button) =>
		button.innerText.startsWith("Fill empty places"))`
	p.waitFor(fill)
	p.runScript(fill + `.click()`)
	p.waitForHeading("Fill empty places")
	p.waitFor(`document.querySelector(".rota .part li")`)
	if bare := eval[int](p, `[...document.querySelectorAll(".rota .part li")].filter((one) =>
		one.querySelector(".d-second")?.innerText.trim() === "").length`); bare != 0 {
		t.Errorf("%d choices have no reason", bare)
	}
	proposed := eval[int](p, `document.querySelectorAll(".rota .part li").length`)
	if stored := d.count(t, `assignments`); stored != "0" || proposed < 2 {
		t.Fatalf("%d choices, of which %s are stored already; want some and none", proposed, stored)
	}
	p.assertFits()
	p.screenshot("rota-fill-proposed")
	left := eval[string](p, `document.querySelector(".rota .part li label").innerText.trim()`)
	p.click("checkbox", left)
	p.screenshot("rota-fill-changed")
	p.click("button", fmt.Sprintf("Apply (%d)", proposed-1))
	p.waitForAnnouncement(fmt.Sprintf("%d people are planned", proposed-1))
	p.waitForHeading("Rota")
	p.find("button", fmt.Sprintf("Send requests (%d)", proposed-1))
	p.screenshot("rota-fill-applied")
	role, name, _ := strings.Cut(left, ": ")
	if stored := d.count(t, `assignments WHERE status = 'planned'`); stored != fmt.Sprint(proposed-1) {
		t.Errorf("%s are planned, want %d", stored, proposed-1)
	}
	if there := d.count(t, `assignments AS a JOIN module_rota.roles AS r ON r.id = a.role_id
		JOIN module_rota.volunteers AS v ON v.id = a.volunteer_id
		JOIN module_rota.known_services AS k USING (service_ref)
		WHERE r.name = '`+role+`' AND v.label = '`+name+`'
		AND k.starts_at = (SELECT min(starts_at) FROM module_rota.known_services)`); there != "0" {
		t.Errorf("%q was left out and is stored all the same", left)
	}
	if mails := d.count(t, `mail_log`); mails != "0" {
		t.Errorf("%s mails were written before anybody pressed Send requests", mails)
	}
	p.click("button", fmt.Sprintf("Send requests (%d)", proposed-1))
	p.waitForAnnouncement("The requests are on their way")
	p.waitForNone("button", fmt.Sprintf("Send requests (%d)", proposed-1))
}

// TestRotaSubstitute: a volunteer who has accepted asks for a substitute on a phone, another one takes the
// date, a third one is told that it is taken, and the coordinator sees who serves.
func TestRotaSubstitute(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	volunteer := func(name, label string) (email string) {
		email = d.member(t, name, "rota.own.read", "rota.own.respond")
		d.query(t, `UPDATE module_rota.volunteers SET per_month = NULL, user_id =
			(SELECT id::text FROM core.person WHERE email = $1) WHERE label = $2 RETURNING label`, email, label)
		return email
	}
	hannah, peter := volunteer("Ada", "Hannah"), volunteer("Ben", "Peter")
	miriam := volunteer("Cora", "Miriam")
	d.exec(t, `DELETE FROM module_rota.assignments; DELETE FROM module_rota.away;
		DELETE FROM module_rota.pairs;
		INSERT INTO module_rota.assignments (service_ref, role_id, volunteer_id, status)
		SELECT s.id::text, r.id, v.id, 'yes'
		FROM (SELECT id FROM module_stage.services WHERE starts_at > now() ORDER BY starts_at LIMIT 1) AS s,
		     module_rota.volunteers AS v, module_rota.roles AS r
		WHERE v.label = 'Hannah' AND r.name = 'Reader'`)
	board := d.openAs(t, d.member(t, "Dora", coordinator...), "/#/m/rota", desktop)
	board.waitForText("Hannah")
	p := d.openAs(t, hannah, "/#/m/rota/mine", phone)
	p.waitForText("You accepted")
	p.runScript(`document.querySelector(".dates .d-menu-button-holder > button").click()`)
	p.click("menuitem", "Ask for a substitute")
	p.waitForText("Looks for a substitute")
	p.assertFits()
	p.screenshot("rota-substitute-asked-phone")
	board.waitForText("Looks for a substitute")

	slow := d.openAs(t, miriam, "/#/m/rota/mine", phone)
	slow.waitForText("Can you step in?")
	quick := d.openAs(t, peter, "/#/m/rota/mine", phone)
	quick.waitForText("Can you step in?")
	quick.assertFits()
	quick.screenshot("rota-substitute-page-phone")
	const take = `document.querySelector("[aria-labelledby=rota-stand-ins] button").click()`
	quick.runScript(take)
	quick.waitForAnnouncement("Thank you, the date is yours")
	quick.waitForText("You accepted")
	slow.runScript(take)
	slow.waitForAnnouncement("Somebody else was faster.")
	slow.waitFor(`!document.querySelector("#rota-stand-ins")`)
	slow.screenshot("rota-substitute-late-phone")
	board.waitForText("Peter takes over: Reader")
	board.waitFor(`[...document.querySelectorAll(".rota .cell li")].some((one) =>
		one.innerText.includes("Peter") && one.innerText.includes("Accepted"))`)
	board.screenshot("rota-substitute-board")
	p.reload()
	p.waitForText("You declined")
}
