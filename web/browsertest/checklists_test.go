package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// checkedBy is whether a step of the shown list is ticked off, with these words below it.
func checkedBy(step, words string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".steps li")].some((step) =>
		step.textContent.startsWith(%q) && step.querySelector("input").checked && step.textContent.includes(%q))`,
		step, words)
}

// TestChecklists walks through a house with the sample module whose server is TypeScript.
func TestChecklists(t *testing.T) {
	t.Parallel()
	d := startIn(t, install(t, "../../modules/calendar", "../../modules/checklists", "../../modules/home"))
	t.Run("two phones", func(t *testing.T) { checkTogether(t, d) })
	t.Run("no network", func(t *testing.T) { checkOffline(t, d) })
	t.Run("a new list", func(t *testing.T) { writeChecklist(t, d) })
}

// checkTogether: two volunteers with phones go through one list, each sees at once what the other has done,
// and Home says what is left of what one has taken.
func checkTogether(t *testing.T, d *devServer) {
	d.addPerson(t, "anna@example.org", "Anna")
	d.addPerson(t, "ben@example.org", "Ben")
	anna := d.openAs(t, "anna@example.org", "/#/m/checklists", phone)
	anna.waitForText("Close the house") // planned, because something is on this week
	anna.assertScreen("checklists", false)
	anna.click("button", "After the first frost")
	anna.waitForHeading("After the first frost")
	anna.waitForText("You do this.")
	address := eval[string](anna, `location.hash`)
	ben := d.openAs(t, "ben@example.org", "/"+address, phone)
	ben.waitForText("Anna does this.")

	const salt, shovels = "Salt beside every door", "Shovels into the porch"
	const tap = "Close the water of the garden tap"
	anna.click("checkbox", salt)
	ben.waitFor(checkedBy(salt, "Anna"))
	ben.click("checkbox", tap)
	anna.waitFor(checkedBy(tap, "Ben"))
	ben.click("checkbox", salt) // it was not done after all
	anna.waitFor(`!` + checkedBy(salt, ""))
	anna.assertScreen("checklists-round", true)

	home := d.openAs(t, "anna@example.org", "/#/", phone) // who has taken it: much else may be due before
	home.waitForText("After the first frost")
	home.waitForText("1 of 3")
	home.click("link", "After the first frost")
	home.waitForHeading("After the first frost")

	anna.click("checkbox", salt)
	anna.click("checkbox", shovels)
	ben.waitForText("Everything is done. Thank you!")
	ben.assertScreen("checklists-done", false)
}

// checkOffline: a tick that does not arrive is taken back in sight, and can be tried again.
func checkOffline(t *testing.T, d *devServer) {
	anna := d.openAs(t, "owner@example.org", "/#/m/checklists", phone)
	anna.click("button", "After the first frost")
	anna.waitForText("You do this.")
	const salt = "Salt beside every door"
	anna.offline(true)
	anna.click("checkbox", salt)
	anna.waitForAnnouncement("There is no network.")
	anna.waitFor(`!` + checkedBy(salt, ""))
	anna.offline(false)
	anna.click("button", "Try again")
	anna.waitFor(checkedBy(salt, ""))
}

// writeChecklist: who may write lists writes one, which everybody has then, and changes it.
func writeChecklist(t *testing.T, d *devServer) {
	p := d.openAs(t, "owner@example.org", "/#/m/checklists/lists", phone)
	p.click("button", "New list")
	p.fill("Title", "Sound desk")
	p.fill("Steps, one in each line", "Amplifiers off\nCables rolled up")
	p.assertScreen("checklists-form", true)
	p.click("button", "Save")
	p.waitForText("2 steps")
	p.click("link", "Sound desk")
	p.waitForHeading("Sound desk")
	p.click("button", "Delete …")
	p.click("button", "Keep it")
	p.do(chromedp.Navigate(d.address + "/#/m/checklists"))
	p.find("button", "Sound desk")
}
