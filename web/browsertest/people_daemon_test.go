package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// waitForOption waits until a combobox offers an option with this text, and no other one.
func (p *tab) waitForOption(words string) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf(`(() => {
		const shown = [...document.querySelectorAll("[role=option]")].filter((one) => one.checkVisibility());
		return shown.length === 1 && shown[0].innerText.includes(%q);
	})()`, words))
}

// testPeopleByFamilyName: whoever is sought by family name or by a part of the address is found in People,
// Permissions, Activity and with Ctrl+K.
func testPeopleByFamilyName(t *testing.T, d *peopleHouse) {
	anna := d.addPerson(t, "a.k.mueller@example.org", "Anna Katharina Müller-Özdemir")
	d.addPerson(t, "bert@example.org", "Bert Klein")
	owner := d.signIn(t, "owner@example.org")

	p := d.openIn(t, chromium, owner, "/#/admin/people", desktop)
	const onlyAnna = `[...document.querySelectorAll("main tbody tr")]
		.map((row) => row.dataset.row).join() === %q`
	for _, search := range []string{"ozdemir", "MULLER kath", "mueller"} {
		p.enter("searchbox", "Name, e-mail or ID", search)
		p.waitFor(fmt.Sprintf(onlyAnna, anna))
	}

	p.do(chromedp.Navigate(d.address + "/#/admin/permissions"))
	p.enter("combobox", "Person or permission", "ozdemir")
	p.waitForOption("Anna Katharina")

	p.do(chromedp.Navigate(d.address + "/#/admin/activity"))
	for _, search := range []string{"ozdemir", "mueller"} {
		p.enter("combobox", "Person", search)
		p.waitForOption("Anna Katharina")
	}

	p.key("\x1b")
	p.key("k", chromedp.ModifierCtrl)
	p.waitFor(inPalette)
	p.enter("combobox", "Search or go to", "ozdemir")
	p.waitForOption("a.k.mueller@example.org")
	p.screenshot("people-palette")
	p.key("\r")
	p.waitForHeading("People")
	p.waitFor(fmt.Sprintf(onlyAnna, anna))
	p.waitForText("Only one person is shown.")
	p.screenshot("people-one")
	p.assertAccessible("People with one person")
	p.click("button", "Show everybody")
	p.waitForText("Bert Klein")
}

// testPaletteForPermissions: for a person who may only manage permissions, the palette leads to
// the permissions of whom they find.
func testPaletteForPermissions(t *testing.T, d *peopleHouse) {
	leaveToProof(t, "the case ByFamilyName finds people in the palette, too")
	zoe := d.addPerson(t, "zoe@example.org", "Zoe Brandt")
	d.grant(t, zoe, "core.authorization.grants.manage", "NULL")
	bert := d.addPerson(t, "bert@example.org", "Bert Klein")
	d.grant(t, bert, "stage.plan.edit", "NULL")
	p := d.openAs(t, "zoe@example.org", "/", desktop)
	p.find("button", findField)
	p.key("k", chromedp.ModifierCtrl)
	p.waitFor(inPalette)
	p.enter("combobox", "Search or go to", "klein")
	p.waitForOption("bert@example.org")
	p.key("\r")
	p.waitForHeading("Permissions")
	p.find("button", "Withdraw stage.plan.edit from Bert Klein (bert@example.org)")
	p.waitForNone("button", "Withdraw core.authorization.grants.manage from Zoe Brandt (zoe@example.org)")
}

// testTwoOfOneName: of two people with the same name, each irreversible act and "Who could do it" tell by the
// address which one is meant.
func testTwoOfOneName(t *testing.T, d *peopleHouse) {
	leaveToProof(t, "two people seldom have one name")
	d.addPerson(t, "anna.baker@example.org", "Anna Klein")
	gone := d.addPerson(t, "anna.cook@example.org", "Anna Klein")
	d.query(t, `UPDATE core.person SET deactivated_at = now() WHERE id = $1::uuid RETURNING email`, gone)
	d.grant(t, gone, "stage.plan.edit", "NULL")
	d.exec(t, `UPDATE core.permission_grant SET created_at = now() - interval '1 day'`)
	owner := d.signIn(t, "owner@example.org")
	d.send(t, owner, "POST", "/api/v1/invitations",
		strings.NewReader(jsonOf(t, object{"email": "anna.new@example.org", "name": "Anna Klein"})))

	p := d.openIn(t, chromium, owner, "/#/admin/people", desktop)
	p.enter("searchbox", "Name, e-mail or ID", "baker")
	p.waitFor(`document.querySelectorAll("main tbody tr").length === 1`)
	p.chooseMenuItem("More for Anna Klein", "Deactivate …")
	p.find("dialog", "Deactivate Anna Klein (anna.baker@example.org)?")
	p.click("button", "Leave active")

	p.enter("searchbox", "Name, e-mail or ID", "cook")
	p.waitForText("Deactivated")
	p.chooseMenuItem("More for Anna Klein", "Erase …")
	p.find("dialog", "Erase Anna Klein (anna.cook@example.org)?")
	p.screenshot("people-erase")
	p.assertAccessible("Erase")
	p.click("button", "Keep")

	p.click("radio", "Invited 4")
	p.chooseMenuItem("More for Anna Klein (anna.new@example.org)", "Withdraw …")
	p.find("dialog", "Withdraw the invitation of Anna Klein (anna.new@example.org)?")
	p.click("button", "Keep")

	p.do(chromedp.Navigate(d.address + "/#/admin/activity"))
	p.click("radio", "Who could do it")
	p.enter("combobox", "Permission", "stage.plan.edit")
	p.key("\r")
	p.waitForText("anna.cook@example.org")
	p.screenshot("people-holders")
	p.assertAccessible("Who could do it")
}

// testWhoCanDoTheRest: for what an administrator cannot do with a person, such as exporting their data, the
// person's row tells who can, also in the rows of the owner and of oneself.
func testWhoCanDoTheRest(t *testing.T, d *peopleHouse) {
	leaveToProof(t, "it reads the menus of many rows")
	anna := d.addPerson(t, "anna@example.org", "Anna Brandt")
	d.grant(t, anna, "core.people.manage", "NULL")
	bert := d.addPerson(t, "bert@example.org", "Bert Klein")
	d.addPerson(t, "carl's`id`@example.org", "Carl Kern")
	const menuItem = "Export data …"
	p := d.openAs(t, "anna@example.org", "/#/admin/people", desktop)
	p.chooseMenuItem("More for Bert Klein", menuItem)
	p.find("dialog", "What others can do for Bert Klein (bert@example.org)")
	p.waitForVisibleText("They do it themselves: Account, “Download my data”.")
	p.waitForVisibleText("Or the person who runs the server does it with this command:")
	p.waitForVisibleText("narthexctl identity:export --user-id " + bert + " --to data.json")
	p.waitForVisibleText("narthexctl identity:reset-link --email bert@example.org")
	p.waitForVisibleText("Somebody who manages permissions gives and withdraws them; so does the owner.")
	p.screenshot("people-others")
	p.assertAccessible("who can do the rest")
	p.click("button", "Close")

	p.chooseMenuItem("More for Carl Kern", menuItem)
	p.waitForVisibleText(`--email 'carl'\''s` + "`id`@example.org'") // the shell runs nothing of it
	p.click("button", "Close")
	p.chooseMenuItem("More for Owner", menuItem)
	p.waitForVisibleText("The owner’s account stays")
	p.click("button", "Close")
	p.chooseMenuItem("More for Anna Brandt", menuItem)
	p.waitForVisibleText("Somebody else who manages people can do it.")
	p.click("button", "Close")

	p.do(chromedp.Navigate(d.address + "/#/admin/house"))
	p.waitForText("The owner, or somebody who manages permissions, can give it to you.")

	p = d.openIn(t, chromium, d.signIn(t, "anna@example.org"), "/", narrow)
	p.setLanguage("de")
	p.do(chromedp.Navigate(d.address + "/#/admin/people"))
	p.reload()
	p.chooseMenuItem("Mehr zu Bert Klein", "Daten exportieren …")
	p.waitForVisibleText("Das kann die Person selbst: Konto, „Meine Daten herunterladen“.")
	p.assertFits()
	p.screenshot("people-others-de-narrow")
}
