package browsertest

import (
	"fmt"
	"testing"
)

// turned has U+202E, which turns the text after it around.
const turned = "Ann\u202ea"

// waitForFieldError waits until the focused text field has an error that contains these words.
func (p *tab) waitForFieldError(words string) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf(`[...document.querySelectorAll("[aria-invalid=true]")].some((field) =>
		field.closest(".d-field")?.querySelector(".d-wrong")?.innerText.includes(%q))`, words))
}

// TestRefusedNames: a name with a character that nobody sees is refused at its field, which names the
// character, in every form; nothing is sent.
func TestRefusedNames(t *testing.T) {
	leaveToProof(t, "it opens every form that has a name")
	t.Parallel()
	d := startHouse(t)
	const words = "This has a character that nobody sees (U+202E)."
	p := d.openAs(t, "owner@example.org", "/#/account", desktop)
	p.fill("Name", turned)
	p.click("button", "Save name")
	p.waitForFieldError(words)
	p.screenshot("names-account-en")
	p.fill("Name", "Owner")
	p.click("button", "Save name")
	p.waitForAnnouncement("Saved")

	p.runScript(`location.hash = "#/admin/house"`)
	p.fill("Name of the house optional", turned)
	p.click("button", "Save")
	p.waitForFieldError(words)
	p.click("button", "Cancel")
	p.click("button", "Discard")
	p.waitForNone("dialog", "")

	p.runScript(`location.hash = "#/admin/navigation"`)
	p.click("button", "Add group")
	p.fill("Name of the group", turned)
	p.click("button", "Add")
	p.waitForFieldError(words)
	p.fill("Name of the group", "\u3164") // a filler, which is a letter
	p.waitForFieldError("Nobody can see this name.")
	p.key("\x1b")
	p.click("button", "Discard")
	p.waitForNone("dialog", "")

	// In a list, who cannot be read stays to be corrected, and the others are invited.
	p.runScript(`location.hash = "#/admin/people"`)
	p.click("button", "Invite people")
	p.fill("E-mail addresses", "Bea <bea@example.org>\n"+turned+" <ann@example.org>")
	p.waitForText("1 entry cannot be read.")
	p.key("\x1b")
	p.click("button", "Discard")

	p.runScript(`location.hash = "#/m/rota/roles"`)
	p.click("button", "Add a role")
	p.fill(fmt.Sprintf("Role %d", eval[int](p, `document.querySelectorAll("ol.roles li").length`)), turned)
	p.click("button", "Save")
	p.waitForFieldError(words)

	const stored = `SELECT count(*)::text FROM core.person WHERE name LIKE '%'||chr(8238)||'%'`
	if got := d.query(t, stored); got != "0" {
		t.Errorf("%s names with U+202E are stored", got)
	}
	german := d.openAs(t, "owner@example.org", "/#/account", narrow)
	german.setLanguage("de")
	german.reload()
	german.fill("Name", turned)
	german.click("button", "Namen speichern")
	german.waitForFieldError("Darin ist ein Zeichen, das man nicht sieht (U+202E).")
	german.screenshot("names-account-de")
}
