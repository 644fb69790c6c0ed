package browsertest

import (
	"fmt"
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

// TestPeopleByFamilyName: whoever is sought by family name or by a part of the address is found in People,
// Permissions, Activity and with Ctrl+K.
func TestPeopleByFamilyName(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
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

// TestPaletteFindsPeopleForPermissions: for a person who may only manage permissions, the palette leads to
// the permissions of whom they find.
func TestPaletteFindsPeopleForPermissions(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
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
	p.find("button", "Withdraw stage.plan.edit from Bert Klein")
	p.waitForNone("button", "Withdraw core.authorization.grants.manage from Zoe Brandt")
}
