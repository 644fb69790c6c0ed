package browsertest

import (
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/waittest"
)

// TestAdministratorWithoutAPasskey: where the house asks for a passkey, each screen that reads something with
// one of the platform's own permissions says so to whoever has none, and leads to where they add one. With it
// the screens open.
func TestAdministratorWithoutAPasskey(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	stored := d.call(t, "GET", "/api/v1/house", nil)
	d.call(t, "PUT", "/api/v1/house", object{"name": stored["name"], "accent": stored["accent"],
		"language": stored["language"], "timeZone": stored["timeZone"], "secondFactor": "administrators",
		"rev": stored["rev"]})
	p := d.openAs(t, "owner@example.org", "/#/admin/people", phone)
	p.addAuthenticator()
	const refused = `document.querySelector("main [role=alert]")?.innerText ===
		"Whoever administers this house needs a passkey. Add one under Account first."`
	for _, screen := range []string{"modules", "permissions", "screens", "activity", "people"} {
		p.runScript(`location.hash = "#/admin/` + screen + `"`)
		p.waitFor(`location.hash.endsWith("` + screen + `") && ` + refused)
	}
	p.runScript(`location.hash = "#/admin/house"`) // everybody may read the house itself
	p.waitForHeading("House")
	p.waitForText("Whoever administers this house needs a passkey. Add one under Account first.")
	p.assertNoText("That did not work just now.")
	p.runScript(`location.hash = "#/admin/people"`)
	p.waitFor(refused)
	p.assertAccessible("a screen that waits for a passkey")
	p.assertFits()
	p.screenshot("passkey-first")
	p.setLanguage("de")
	p.reload()
	p.waitForText("Wer dieses Haus verwaltet, braucht einen Passkey. " +
		"Fügen Sie zuerst unter „Konto“ einen hinzu.")
	p.assertFits()
	p.screenshot("passkey-first-german")
	p.setLanguage("en")
	p.reload()
	p.waitFor(refused)
	p.click("link", "Account")
	p.waitForHeading("Account")
	p.waitForText("Without one the administration stays shut for you.")
	p.click("button", "Add a passkey")
	p.fill("Name", "Owner's phone")
	p.runScript(`document.querySelector("dialog[open] button.d-primary").click()`)
	p.waitForText("Your recovery codes")
	p.click("button", "I have kept them")
	p.runScript(`location.hash = "#/admin/people"`)
	p.waitForHeading("People")
}

// TestPasskeysOfOthers: administrators see who has a passkey, remind by mail who has none, and are told whom
// the policy of the house would stop before they choose it.
func TestPasskeysOfOthers(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	d.addPerson(t, "rea@example.org", "Rea")
	ada := d.addPerson(t, "ada@example.org", "Ada")
	d.grant(t, ada, managePeople, "NULL")
	d.grant(t, ada, "core.house.manage", "NULL")
	session := d.signIn(t, "ada@example.org")
	d.exec(t, `UPDATE core.person SET has_passkey = true WHERE email = 'ada@example.org'`)
	p := d.openIn(t, chromium, session, peoplePath, desktop)
	p.waitForText("no passkey")
	for person, words := range map[string]string{"Ada": "has a passkey", "Rea": "no passkey"} {
		row := eval[string](p, `[...document.querySelectorAll("main tr")]
			.find((row) => row.innerText.includes("`+strings.ToLower(person)+`@example.org")).innerText`)
		if !strings.Contains(row, words) {
			t.Errorf("the row of %s is %q, want %q", person, row, words)
		}
	}
	p.assertAccessible("People with passkeys")
	p.screenshot("people-passkeys")
	p.chooseMenuItem("More for Rea", "Remind of the passkey")
	p.waitForAnnouncement("A mail asks Rea (rea@example.org) to add a passkey")
	waittest.Until(t, "Rea gets a mail", func() bool {
		return strings.Contains(d.text(), "── mail to rea@example.org ──")
	})
	p.chooseMenuItem("More for Rea", "Remind of the passkey")
	p.waitForAnnouncement("Rea (rea@example.org) has had this mail within a day. Try again tomorrow.")

	p.runScript(`location.hash = "#/admin/house"`)
	p.waitForHeading("House")
	choose := func(value string) {
		p.runScript(`const select = [...document.querySelectorAll("main select")].at(-1);
			select.value = "` + value + `"; select.dispatchEvent(new Event("change", { bubbles: true }))`)
	}
	p.assertNoText("Shut out of the administration")
	choose("administrators")
	const named = `[...document.querySelectorAll("main .d-note li")].map((li) => li.innerText).join() ===
		"Owner (owner@example.org)"`
	p.waitFor(named)
	p.waitForText("Shut out of the administration until they add a passkey:")
	p.assertAccessible("House with the policy")
	p.screenshot("house-policy")
	if chosen := d.query(t, `SELECT second_factor FROM core.house`); chosen != "optional" {
		t.Errorf("before it is saved, the house stores %s", chosen)
	}
	choose("optional")
	p.waitFor(`!document.body.innerText.includes("Shut out of the administration")`)
	d.exec(t, `UPDATE core.person SET has_passkey = true WHERE email = 'owner@example.org'`)
	choose("administrators")
	p.waitForText("Everybody who administers has a passkey.")
	p.setLanguage("de")
	p.setView(phone)
	p.reload()
	d.exec(t, `UPDATE core.person SET has_passkey = false WHERE email = 'owner@example.org'`)
	p.waitForText("Passkeys")
	choose("optional")
	choose("administrators")
	p.waitFor(named)
	p.waitForText("Von der Verwaltung ausgesperrt, bis sie einen Passkey hinzufügen:")
	p.assertFits()
	p.screenshot("house-policy-german")
	p.runScript(`location.hash = "#/admin/people"`)
	p.waitForText("kein Passkey")
	p.assertFits()
	p.screenshot("people-passkeys-german")
}
