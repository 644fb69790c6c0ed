package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	navigationScreen = "/#/admin/navigation"
	atFirst          = "Sunday: stage rota, : announcements calendar checklists"
)

func (n *organiser) openScreen() *tab {
	n.t.Helper()
	p := n.open(navigationScreen, desktop)
	p.waitForRows(atFirst)
	return p
}

// TestOrganiser arranges the navigation of a house. All tests arrange the same one, so they run one after
// another.
func TestOrganiser(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	for name, test := range map[string]func(n *organiser){
		"ByKey":          testOrganiserByKey,
		"Quickly":        testOrganiserQuickly,
		"MoveTo":         testOrganiserMoveTo,
		"ByMouse":        testOrganiserByMouse,
		"Groups":         testOrganiserGroups,
		"OfTwo":          testOrganiserOfTwo,
		"NamedMeanwhile": testOrganiserNamedMeanwhile,
		"Refused":        testOrganiserRefused,
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "ByKey", "MoveTo", "Groups", "OfTwo", "Refused")
			test(newOrganiser(t, d))
		})
	}
}

// testOrganiserByKey: Alt and an arrow key move a row. The move is announced, the row keeps the focus, and
// the move can be undone.
func testOrganiserByKey(n *organiser) {
	p := n.openScreen()
	p.waitForHeading("Navigation")
	p.runScript(`document.querySelector("[aria-label='Move Rota']").focus()`)
	p.key(kb.ArrowUp, chromedp.ModifierAlt)
	p.waitForAnnouncement("Rota moved to Sunday, position 1 of 2")
	p.waitFor(`document.activeElement.ariaLabel === "Move Rota"`)
	p.waitForRows("Sunday: rota stage, : announcements calendar checklists")
	p.key(kb.ArrowUp, chromedp.ModifierAlt) // it is already at the end, so nothing is written
	p.key(kb.ArrowDown, chromedp.ModifierAlt)
	p.waitForAnnouncement("Rota moved to Sunday, position 2 of 2")
	p.click("button", "Undo")
	p.waitForAnnouncement("Undone.")
	p.click("button", "Undo")
	p.waitForAnnouncement("Undone.")
	p.waitForRows(atFirst)
	n.assertArranged("after both were undone", atFirst)
}

// testOrganiserQuickly: a second key press is handled before the first move is stored.
func testOrganiserQuickly(n *organiser) {
	n.place("announcements", "sunday", 3072)
	p := n.open(navigationScreen, desktop)
	p.waitForRows("Sunday: stage rota announcements, : calendar checklists")
	p.runScript(`const down = document.querySelector("[aria-label='Move down: Stage']");
		down.click();
		down.click()`)
	p.waitForAnnouncement("Stage moved to Sunday, position 3 of 3")
	n.assertArranged("after two presses", "Sunday: rota announcements stage, : calendar checklists")
}

// testOrganiserMoveTo moves a module into another group; the focus follows.
func testOrganiserMoveTo(n *organiser) {
	p := n.openScreen()
	p.chooseMenuItem("Move to: Announcements", "Sunday")
	p.waitForAnnouncement("Announcements moved to Sunday, position 3 of 3")
	p.waitForRows("Sunday: stage rota announcements, : calendar checklists")
	p.waitFor(`document.activeElement.ariaLabel === "Move Announcements"`)
	p.waitFor(`document.querySelector(".host-seen").innerText.includes("Sunday\nStage\nRota\nAnnouncements")`)
	p.click("button", "Undo")
	p.waitForAnnouncement("Undone.")
	p.waitForRows(atFirst)
	const removal = "DELETE /api/v1/dashboard/navigation/placements/announcements"
	if removed := n.countRequests(removal); removed != 1 {
		n.t.Errorf("a module that had no place has its place removed %d times, want once", removed)
	}
}

// testOrganiserByMouse drags rows within a group and into another; Escape cancels a drag.
func testOrganiserByMouse(n *organiser) {
	p := n.openScreen()
	drop := p.drag("[data-row=rota] .d-grip", "[data-row=stage]", -0.4)
	p.waitFor(`document.querySelector("[data-row=stage]").matches(".host-drop-before")`)
	drop()
	p.waitForAnnouncement("Rota moved to Sunday, position 1 of 2")
	p.waitForRows("Sunday: rota stage, : announcements calendar checklists")
	p.drag("[data-row=announcements] .d-grip", "[data-row=rota]", 0.4)()
	p.waitForAnnouncement("Announcements moved to Sunday, position 2 of 3")
	p.waitForRows("Sunday: rota announcements stage, : calendar checklists")
	before := n.countWrites()
	drop = p.drag("[data-row=calendar] .d-grip", "[data-row=rota]", -0.4)
	p.waitFor(`document.querySelector("[data-row=calendar]").matches(".d-dragged")`)
	p.key(kb.Escape)
	p.waitFor(`!document.querySelector(".d-dragged, .host-drop-before")`)
	drop()
	if after := n.countWrites(); after != before {
		n.t.Errorf("a drag that was cancelled made %d writes, want none", after-before)
	}
}

// testOrganiserGroups creates, renames, moves and deletes groups, and restores them.
func testOrganiserGroups(n *organiser) {
	p := n.openScreen()
	p.click("button", "Add group")
	p.click("button", "Add")
	p.waitForText("A group needs a name.")
	p.fill("Name of the group", " Foyer ")
	p.key("\r")
	p.waitForAnnouncement("Foyer added.")
	p.waitForNone("dialog", "Add group")
	p.waitForRows("Sunday: stage rota, Foyer: , : announcements calendar checklists")
	p.waitForText("No modules here yet.")
	if strings.Contains(eval[string](p, `document.querySelector(".host-seen").innerText`), "Foyer") {
		n.t.Error("people see an empty group")
	}
	p.click("button", "Move up: Foyer")
	p.waitForAnnouncement("Foyer moved, position 1 of 2")
	p.click("button", "Rename Sunday")
	p.fill("Name of the group", "Sundays")
	p.key("\r")
	p.waitForAnnouncement("Renamed.")
	p.waitForRows("Foyer: , Sundays: stage rota, : announcements calendar checklists")
	p.click("button", "Delete Sundays")
	p.waitForAnnouncement("Sundays deleted. Its modules stay, without a group.")
	p.waitForRows("Foyer: , : stage rota announcements calendar checklists")
	for range 4 {
		p.click("button", "Undo")
		p.waitForAnnouncement("Undone.")
	}
	p.waitForRows(atFirst)
	n.assertArranged("after everything was undone", atFirst)
	p.waitFor(`[...document.querySelectorAll("button")].find((b) => b.innerText.trim() === "Undo").disabled`)
}

// testOrganiserOfTwo: two administrators work at once. Neither overwrites changes that they have not seen.
func testOrganiserOfTwo(n *organiser) {
	p := openPage(n.t, "about:blank", desktop)
	p.onNewDocument(withoutPolling) // else the page may see a move before this person presses
	n.load(p, navigationScreen)
	p.waitForRows(atFirst)
	other := n.openScreen()

	// The other one has renamed a group: moving another group keeps the new name.
	other.click("button", "Rename Sunday")
	other.fill("Name of the group", "Sundays")
	other.key("\r")
	other.waitForAnnouncement("Renamed.")
	n.putGroup("foyer", "Foyer", 2048)
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForRows("Sundays: stage rota, Foyer: , : announcements calendar checklists")
	n.putGroup("sunday", "Sunday at ten", 1024)
	p.click("button", "Move down: Sundays")
	p.waitForAnnouncement("Sunday at ten moved, position 2 of 2")
	n.assertArranged("after the move", "Foyer: , Sunday at ten: stage rota, : announcements calendar checklists")

	// The other one has moved the module: it stays there until this person has seen that.
	n.place("rota", "foyer", 1024)
	p.click("button", "Move up: Rota")
	p.waitForVisibleText("Somebody else has changed this meanwhile.")
	p.waitForRows("Foyer: rota, Sunday at ten: stage, : announcements calendar checklists")
	p.chooseMenuItem("Move to: Rota", "Sunday at ten")
	p.waitForAnnouncement("Rota moved to Sunday at ten, position 2 of 2")

	// Undo does not revert what the other one has done since.
	n.place("rota", "foyer", 4096)
	p.click("button", "Undo")
	p.waitForVisibleText("Somebody else has changed this meanwhile. Nothing was undone.")
	n.assertArranged("after an undo that came too late",
		"Foyer: rota, Sunday at ten: stage, : announcements calendar checklists")

	// A group that the other one has deleted is not created again by a rename.
	p.click("button", "Rename Foyer")
	n.deleteGroup("foyer")
	p.fill("Name of the group", "Entrance")
	p.key("\r")
	p.waitForVisibleText("Somebody else has changed this meanwhile.")
	n.assertArranged("after naming what is gone",
		"Sunday at ten: stage, : rota announcements calendar checklists")
}

// testOrganiserNamedMeanwhile: a new name by another administrator is shown beside the field, and saving
// again replaces it.
func testOrganiserNamedMeanwhile(n *organiser) {
	p := n.openScreen()
	p.click("button", "Rename Sunday")
	p.fill("Name of the group", "Mine")
	n.putGroup("sunday", "Theirs", 1024)
	p.click("button", "Save")
	p.waitForVisibleText("Somebody else has named it “Theirs” meanwhile. Save puts yours in its place.")
	n.assertArranged("before the second press", strings.Replace(atFirst, "Sunday", "Theirs", 1))
	p.click("button", "Save")
	p.waitForAnnouncement("Renamed.")
	n.assertArranged("after it", strings.Replace(atFirst, "Sunday", "Mine", 1))
}

// testOrganiserRefused: a row whose move was refused is back in its place, the reason is shown, and "Try
// again" works if that may help.
func testOrganiserRefused(n *organiser) {
	for name, row := range map[string]struct {
		status      int
		code, words string
		again       bool
	}{
		"forbidden": {403, "PERMISSION_DENIED",
			"You no longer have access (Arrange the Dashboard's navigation).", false},
		"group gone": {404, "NAVIGATION_GROUP_NOT_FOUND", "Not moved. Try again.", true},
		"failed":     {503, "STORE_UNAVAILABLE", "Not moved. Try again.", true},
		"offline":    {0, "", "You are offline. Nothing is lost, nothing is saved yet.", true},
	} {
		n.t.Run(name, func(t *testing.T) {
			usually(t, name, "failed")
			n := newOrganiser(t, n.house)
			p := n.openScreen()
			if row.status != 0 {
				n.respond(placementRoute, row.status, `{"code":"`+row.code+`"}`)
			}
			p.offline(row.status == 0)
			// by key: without a network a note may appear above the rows, and a click would then hit another one
			p.runScript(`document.querySelector("[aria-label='Move up: Rota']").focus()`)
			p.key(kb.Enter)
			p.waitForAnnouncement(row.words)
			p.waitForVisibleText(row.words)
			p.waitForRows(atFirst)
			n.restore(placementRoute)
			p.offline(false)
			if !row.again {
				p.waitForNone("button", "Try again")
				return
			}
			p.click("button", "Try again")
			p.waitForAnnouncement("Rota moved to Sunday, position 1 of 2")
			n.assertArranged("after trying again", "Sunday: rota stage, : announcements calendar checklists")
		})
	}
}
