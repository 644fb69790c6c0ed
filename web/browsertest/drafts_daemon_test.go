package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// signInAgain ends all sessions, as if they had expired, and signs in on the page that notices it.
func (d *devServer) signInAgain(t *testing.T, p *tab) {
	t.Helper()
	d.exec(t, `DELETE FROM core.session`)
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForHeading("Sign in")
	p.fill("E-mail", "owner@example.org")
	p.fill("Password", d.password)
	p.click("button", "Sign in")
}

// typeKey types a text into the field of a key in Settings.
func (p *tab) typeKey(key, text string) {
	p.runScript(fmt.Sprintf(`const field = document.querySelector("input[data-key=%s]");
		field.value = %q;
		field.dispatchEvent(new Event("input", { bubbles: true }))`, key, text))
}

// saveAsAnother saves one key of the settings of Rota, as another administrator would. The page that is open
// does not notice it.
func (p *tab) saveAsAnother(key, text string) {
	p.runScript(fmt.Sprintf(`const address = "/api/v1/module-configuration/rota";
		const { keys, rev } = await (await fetch(address)).json();
		const values = Object.fromEntries(keys.filter(({ value }) => value !== undefined)
			.map(({ key, value }) => [key, value]));
		values[%q] = %q;
		const headers = { "Content-Type": "application/json" };
		const { ok, status } = await fetch(address, { method: "PUT", headers, 
			body: JSON.stringify({ values, rev }) });
		if (!ok) throw new Error("another's save: status " + status);`, key, text))
}

// settingsOf returns two stored settings of Rota.
func (d *devServer) settingsOf(t *testing.T) string {
	t.Helper()
	return d.query(t, `
		SELECT coalesce(string_agg(value, ' ' ORDER BY key DESC), '')
		FROM core.module_configuration
		WHERE module_id = 'rota' AND key IN ('teamName', 'replyTo')`)
}

const openRotaSettings = "/#/admin/modules/rota/settings"

// TestSettingsOfTwoAdministrators: a save after somebody else has saved another key writes both and says so.
// Of a key that both have changed, nothing is written until the person has seen it.
func TestSettingsOfTwoAdministrators(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	p := d.openAs(t, "owner@example.org", openRotaSettings, desktop)
	p.waitFor(`document.querySelector("input[data-key=teamName]")?.value`)
	p.typeKey("teamName", "Helpers")
	p.saveAsAnother("replyTo", "choir@example.org")
	p.click("button", "Save")
	p.waitForAnnouncement("Saved, together with what somebody else has changed meanwhile: Reply address")
	if got, want := d.settingsOf(t), "Helpers choir@example.org"; got != want {
		t.Errorf("stored are %s, want %s: what both have typed", got, want)
	}
	p.typeKey("teamName", "Mine")
	p.saveAsAnother("teamName", "Theirs")
	p.click("button", "Save")
	p.waitForText("Saved meanwhile: Theirs")
	if got, want := d.settingsOf(t), "Theirs choir@example.org"; got != want {
		t.Errorf("stored are %s, want %s until the conflict was seen", got, want)
	}
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	p.waitUntil("mine is stored", func() bool { return d.settingsOf(t) == "Mine choir@example.org" })
}

// TestHouseOfTwoAdministrators: one administrator's colour does not take another's name back.
func TestHouseOfTwoAdministrators(t *testing.T) {
	leaveToProof(t, "TestSettingsOfTwoAdministrators has the same of settings")
	t.Parallel()
	d := startHouse(t)
	p := d.openAs(t, "owner@example.org", "/#/admin/house", desktop)
	p.click("radio", "Plum")
	p.runScript(`const house = await (await fetch("/api/v1/house")).json();
		await fetch("/api/v1/house", { method: "PUT", headers: { "Content-Type": "application/json" },
			body: JSON.stringify({ ...house, name: "Theirs" }) });`)
	p.click("button", "Save")
	p.waitForAnnouncement("Saved, together with what somebody else has changed meanwhile: Name of the house")
	const stored = `SELECT coalesce(name, '') || ' ' || accent FROM core.house`
	if got := d.query(t, stored); got != "Theirs plum" {
		t.Errorf("the house is %q, want the name of one and the colour of the other", got)
	}
	p.fill("Name of the house optional", "Mine")
	p.runScript(`const house = await (await fetch("/api/v1/house")).json();
		await fetch("/api/v1/house", { method: "PUT", headers: { "Content-Type": "application/json" },
			body: JSON.stringify({ ...house, name: "Theirs again" }) });`)
	p.click("button", "Save")
	p.waitForText("Name of the house, saved meanwhile: Theirs again")
	if got := d.query(t, stored); got != "Theirs again plum" {
		t.Errorf("the house is %q, want theirs until the conflict was seen", got)
	}
}

// forms are the forms of the Dashboard and of the modules: where each is, what opens it, and its first field.
var forms = []struct{ name, path, opener, field, text string }{
	{"settings", "admin/modules/rota/settings", "", "input[data-key=teamName]", "Helpers"},
	{"invite", "admin/people", "Invite people", "dialog textarea", "reader1@example.org"},
	{"grant", "admin/permissions", "Give permission", "dialog input[type=date]", "2031-01-01"},
	{"group", "admin/navigation", "Add group", "dialog input", "Foyer"},
	{"house", "admin/house", "", ".host-house-form input", "Hill Street"},
	{"account", "account", "", ".host-name-form input", "Reader"},
	{"notice", "m/announcements/new", "", "main [required]", "Half"},
	{"event", "m/calendar/new", "", "main [required]", "Half"},
	{"room", "m/calendar/rooms", "", ".calendar form input", "Hall"},
	{"checklist", "m/checklists/lists/new", "", ".checklists form input", "Half"},
	{"volunteer", "m/rota/volunteers/new", "", ".rota form input", "Reader"},
	{"roles", "m/rota/roles", "", ".rota form input", "Doors"},
	{"away", "m/rota/volunteers/{volunteer}/away", "", ".rota form input", "2031-01-01"},
	{"service", "m/stage", "New service", "dialog input", "Evening"},
	{"item", "m/stage/service/{service}", "Add an item", "dialog input[maxlength]", "Half"},
	{"song", "m/stage/songs/new", "", "main [required]", "Half"},
	{"songs", "m/stage/exchange", "", "main textarea", "Half a song"},
	{"message", "m/stage/live/{service}", "Message", "dialog input", "Half"},
}

// houseAddresses fills in the ids of the house in the addresses of forms.
func (d *devServer) houseAddresses(t *testing.T) *strings.Replacer {
	t.Helper()
	return strings.NewReplacer(
		"{volunteer}", d.query(t, `SELECT id::text FROM module_rota.volunteers ORDER BY label LIMIT 1`),
		"{round}", d.query(t,
			`SELECT id::text FROM module_checklists.rounds WHERE due > now() ORDER BY due LIMIT 1`),
		"{service}", d.query(t, `SELECT id::text FROM module_stage.services ORDER BY starts_at LIMIT 1`),
	)
}

// openForm goes to a form and waits until its field is there.
func (p *tab) openForm(path, opener, field string) {
	p.t.Helper()
	p.runScript(`location.hash = "#/` + path + `"`)
	if opener != "" {
		p.click("button", opener)
	}
	p.waitFor(fmt.Sprintf(`document.querySelector(%q)`, field))
}

// draftNote is the note in a form that says that its words are a draft.
const draftNote = `[...document.querySelectorAll(".d-note")]
	.find(({ textContent }) => textContent.startsWith("Your draft is kept."))`

// TestLeftFormsKeepADraft: what was typed into a form that is left is kept. The person is told so, finds it
// when the form is opened again, and can discard it. Until then, closing the page asks.
func TestLeftFormsKeepADraft(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	addresses := d.houseAddresses(t)
	p := d.openAs(t, "owner@example.org", "/#/"+addresses.Replace("m/stage/live/{service}"), desktop)
	p.click("button", "Take control")
	p.find("button", "Message")
	p.runScript(`location.hash = "#/admin/activity"`)
	p.waitForHeading("Activity")
	const asks = `(() => { const event = new Event("beforeunload", { cancelable: true });
		dispatchEvent(event); return event.defaultPrevented; })()`
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			usually(t, form.name, "settings", "invite", "notice", "event", "volunteer", "song")
			p.t = t
			value := fmt.Sprintf(`document.querySelector(%q)?.value`, form.field)
			open := func() { p.openForm(addresses.Replace(form.path), form.opener, form.field) }
			open()
			stored := eval[string](p, value)
			p.runScript(fmt.Sprintf(`const field = document.querySelector(%q); field.value = %q;
				field.dispatchEvent(new Event("input", { bubbles: true }))`, form.field, form.text))
			p.waitFor(asks)
			p.runScript(`location.hash = "#/admin/activity"`)
			p.waitForHeading("Activity")
			p.waitForAnnouncement("Your draft is kept.")
			if !eval[bool](p, asks) {
				t.Error("closing the page with a draft does not ask")
			}
			if strings.HasPrefix(form.path, "m/") { // a dialog with words in it opens with its screen
				p.openForm(addresses.Replace(form.path), "", form.field)
			} else {
				open()
			}
			p.waitFor(fmt.Sprintf(`%s === %q`, value, form.text))
			p.waitFor(draftNote)
			p.waitForAnnouncement("Your draft is kept. Discard")
			p.screenshot("draft-" + form.name)
			p.runScript(draftNote + `.querySelector("button").click()`)
			p.waitFor(fmt.Sprintf(`%s === %q && !%s`, value, stored, draftNote))
			if eval[bool](p, asks) {
				t.Error("closing the page asks after the draft was discarded")
			}
			p.runScript(`location.hash = "#/admin/activity"`)
			p.waitForHeading("Activity")
		})
	}
	p.t = t
	p.openForm("m/calendar/new", "", "main [required]")
	p.fill("Title", "Half")
	p.click("button", "Cancel")
	p.waitForText("Discard what you have typed?")
	p.runScript(`location.hash = "#/admin/activity"`)
	p.waitForHeading("Activity")
	p.waitFor(`!document.querySelector("dialog")`) // the question was about the form
}
