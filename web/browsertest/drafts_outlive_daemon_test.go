package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// signInElsewhere ends all sessions, and lets them be there again after a sign-in in another tab, which has
// no limit as sign-ins with a password have. They do not expire meanwhile: the platform removes those that
// have.
func (d *devServer) signInElsewhere(t *testing.T, p *tab) {
	t.Helper()
	d.exec(t, `UPDATE core.session SET token_hash = '\x00' || token_hash`)
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForHeading("Sign in")
	d.exec(t, `UPDATE core.session SET token_hash = substring(token_hash FROM 2)`)
	p.runScript(`new BroadcastChannel("narthex-session").postMessage("arrived")`)
}

// TestFormsOutliveSessionAndReload: what was typed into any form is back after the session has ended and the
// same person has signed in again, and after the page was loaded again. Another person does not get it.
func TestFormsOutliveSessionAndReload(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	addresses := d.houseAddresses(t)
	p := d.openAs(t, "owner@example.org", "/#/"+addresses.Replace("m/stage/live/{service}"), desktop)
	p.click("button", "Take control")
	p.find("button", "Message")
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			usually(t, form.name, "settings", "grant", "notice", "event", "item")
			p.t = t
			value := fmt.Sprintf(`document.querySelector(%q)?.value === %q`, form.field, form.text)
			found := func(after string) {
				t.Helper()
				p.waitFor(value)
				p.screenshot("outlives-" + after + "-" + form.name)
			}
			p.openForm(addresses.Replace(form.path), form.opener, form.field)
			p.runScript(fmt.Sprintf(`const field = document.querySelector(%q); field.value = %q;
				field.dispatchEvent(new Event("input", { bubbles: true }))`, form.field, form.text))
			p.waitFor(value)
			if form.name == "settings" {
				d.signInAgain(t, p)
			} else {
				d.signInElsewhere(t, p)
			}
			found("session")
			p.reload()
			found("reload")
			p.click("button", "Discard")
			p.waitFor(`!(` + value + `)`)
			p.runScript(`location.hash = "#/admin/activity"`)
			p.waitForHeading("Activity")
		})
	}
}

// TestDraftsAreOnePersons: a reload and a sign-in give nobody the words of somebody else, nor does a sign-out
// leave any in a tab of the browser.
func TestDraftsAreOnePersons(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	d.addPerson(t, "anna@example.org", "Anna")
	p := d.openAs(t, "owner@example.org", "/#/account", desktop)
	const field = `document.querySelector(".host-name-form input")`
	p.waitFor(field)
	p.fill("Name", "Half")
	d.exec(t, `DELETE FROM core.session`)
	p.reload()
	p.waitForHeading("Sign in")
	p.reload() // still nobody knows who it will be
	p.waitForHeading("Sign in")
	p.fill("E-mail", "anna@example.org")
	p.fill("Password", d.password)
	p.click("button", "Sign in")
	p.waitFor(field + `?.value === "Anna"`)
	other := p.openTab(d.address + "/#/account")
	for _, tab := range []*tab{p, other} {
		tab.waitFor(field + `?.value === "Anna"`)
		tab.fill("Name", "Anna Half")
		tab.runScript(`dispatchEvent(new Event("visibilitychange"))`) // a phone may end the page at any time
		if got := eval[string](tab, keptDrafts); !strings.Contains(got, "Half") {
			t.Errorf("a hidden page has kept %s, want the draft", got)
		}
	}
	p.runScript(`document.querySelector("[aria-controls=account-panel]").click()`)
	p.click("button", "Sign out")
	p.click("button", "Leave")
	for _, tab := range []*tab{p, other} {
		tab.waitForHeading("Sign in")
		tab.waitFor(`!` + keptDrafts + `.includes("Half")`)
		tab.reload()
		tab.waitForHeading("Sign in")
		if got := eval[string](tab, keptDrafts); strings.Contains(got, "Half") {
			t.Errorf("after a sign-out the browser has %s, want no draft", got)
		}
	}
}

// keptDrafts is what outlives the page in its tab.
const keptDrafts = `JSON.stringify(sessionStorage)`
