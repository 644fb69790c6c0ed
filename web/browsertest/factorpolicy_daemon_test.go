package browsertest

import "testing"

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
		"Add a passkey under Account first."`
	for _, screen := range []string{"modules", "permissions", "screens", "activity", "people"} {
		p.runScript(`location.hash = "#/admin/` + screen + `"`)
		p.waitFor(`location.hash.endsWith("` + screen + `") && ` + refused)
	}
	p.assertAccessible("a screen that waits for a passkey")
	p.assertFits()
	p.screenshot("passkey-first")
	p.setLanguage("de")
	p.reload()
	p.waitForText("Fügen Sie zuerst unter „Konto“ einen Passkey hinzu.")
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
