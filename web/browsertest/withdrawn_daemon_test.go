package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// permissionOf is the permission that each form needs to be saved; the account needs none.
var permissionOf = map[string]string{
	"settings":  "core.modules.configuration.manage",
	"invite":    "core.people.manage",
	"grant":     "core.authorization.grants.manage",
	"group":     "core.dashboard.navigation.manage",
	"house":     "core.house.manage",
	"notice":    "announcements.slides.manage",
	"event":     "calendar.events.manage",
	"room":      "calendar.events.manage",
	"checklist": "checklists.edit",
	"volunteer": "rota.manage",
	"roles":     "rota.manage",
	"away":      "rota.manage",
	"service":   "stage.plan.edit",
	"item":      "stage.plan.edit",
	"song":      "stage.plan.edit",
	"songs":     "stage.plan.edit",
	"message":   "stage.live.control",
}

// TestPermissionWithdrawnInEveryForm: whose permission is withdrawn while a form is open reads which one it
// was when they save, and finds what they have typed when they have it again.
func TestPermissionWithdrawnInEveryForm(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	addresses := d.houseAddresses(t)
	const email = "ada@example.org"
	ada := d.addPerson(t, email, "Ada")
	given := map[string]bool{}
	for _, permission := range permissionOf {
		if !given[permission] {
			d.grant(t, ada, permission, "NULL")
		}
		given[permission] = true
	}
	p := d.openAs(t, email, "/#/"+addresses.Replace("m/stage/live/{service}"), desktop)
	p.click("button", "Take control")
	p.find("button", "Message")
	for _, form := range forms {
		permission := permissionOf[form.name]
		if permission == "" {
			continue
		}
		t.Run(form.name, func(t *testing.T) {
			usually(t, form.name, "invite", "house", "notice", "event", "roles", "item")
			p.t = t
			value := fmt.Sprintf(`document.querySelector(%q)?.value === %q`, form.field, form.text)
			p.openForm(addresses.Replace(form.path), form.opener, form.field)
			p.runScript(fmt.Sprintf(`const field = document.querySelector(%q); field.value = %q;
				field.dispatchEvent(new Event("input", { bubbles: true }))`, form.field, form.text))
			p.runScript(completed[form.name])
			p.waitFor(value)
			p.runScript(`document.querySelector(".d-toast [aria-label=Close]")?.click()`) // of the form before
			p.waitFor(`!document.querySelector(".d-toast [role=alert]").innerText`)
			d.revoke(t, email, permission)
			switch form.name {
			case "songs":
				p.click("button", "Check the text")
			case "grant":
				p.runScript(`dispatchEvent(new Event("focus"))`) // it lacks a person, so nothing is sent
			default:
				p.runScript(fmt.Sprintf(`document.querySelector(%q).form.requestSubmit()`, form.field))
			}
			words := permission
			if strings.HasPrefix(permission, "core.") {
				words = "You no longer have access (" // and what the permission is for
			}
			p.waitFor(fmt.Sprintf(`[...document.querySelectorAll("[role=alert], [role=status], .d-wrong")]
				.some((one) => one.checkVisibility() && one.innerText.includes(%q))`, words))
			// another read may have been refused before the form's own request
			p.waitFor(`!document.querySelector("form [aria-busy=true], dialog [aria-busy=true]")`)
			p.screenshot("withdrawn-" + form.name)
			d.grant(t, ada, permission, "NULL")
			p.runScript(`location.hash = "#/account"; dispatchEvent(new Event("online"))`)
			p.waitForHeading("Account")
			if part := strings.Split(form.path, "/"); part[0] == "admin" {
				p.waitFor(`document.querySelector('a[href="#/admin/` + part[1] + `"]')`)
			}
			opener := form.opener
			if strings.HasPrefix(form.path, "m/") {
				opener = "" // a dialog with words in it opens with its screen
			}
			p.openForm(addresses.Replace(form.path), opener, form.field)
			p.waitFor(value)
			p.click("button", "Discard")
			p.waitFor(`!(` + value + `)`)
			p.runScript(`location.hash = "#/account"`)
			p.waitForHeading("Account")
		})
	}
}
