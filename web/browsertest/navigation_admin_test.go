package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	navigationScreen = "/#/admin/navigation"
	atFirst          = "Sunday: stage songs, : announcements countdown"
)

func openNavigation(t *testing.T, n *navigationFixture) *tab {
	t.Helper()
	p := openPage(t, n.URL+navigationScreen, desktop)
	p.waitForRows(atFirst)
	return p
}

// TestOrganiserByKey: Alt and an arrow key move a row. The move is announced, the row keeps the focus, and
// the move can be undone.
func TestOrganiserByKey(t *testing.T) {
	t.Parallel()
	n := newNavigationFixture(t)
	p := openNavigation(t, n)
	p.waitForHeading("Navigation")
	p.runScript(`document.querySelector("[aria-label='Move Songs']").focus()`)
	p.key(kb.ArrowUp, chromedp.ModifierAlt)
	p.waitForAnnouncement("Songs moved to Sunday, position 1 of 2")
	p.waitFor(`document.activeElement.ariaLabel === "Move Songs"`)
	p.waitForRows("Sunday: songs stage, : announcements countdown")
	p.key(kb.ArrowUp, chromedp.ModifierAlt) // it is already at the end, so nothing is written
	p.key(kb.ArrowDown, chromedp.ModifierAlt)
	p.waitForAnnouncement("Songs moved to Sunday, position 2 of 2")
	p.click("button", "Undo")
	p.waitForAnnouncement("Undone.")
	p.click("button", "Undo")
	p.waitForAnnouncement("Undone.")
	p.waitForRows(atFirst)
	n.assertArranged("after both were undone", atFirst)
}

// TestOrganiserQuickly: a second key press is handled before the first move is stored.
func TestOrganiserQuickly(t *testing.T) {
	t.Parallel()
	n := newNavigationFixture(t)
	n.changeByAnother(func() { n.place("announcements", "sunday", 3072) })
	p := openPage(t, n.URL+navigationScreen, desktop)
	p.waitForRows("Sunday: stage songs announcements, : countdown")
	p.runScript(`const down = document.querySelector("[aria-label='Move down: Stage']");
		down.click();
		down.click()`)
	p.waitForAnnouncement("Stage moved to Sunday, position 3 of 3")
	n.assertArranged("after two presses", "Sunday: songs announcements stage, : countdown")
}

// TestOrganiserMoveTo moves a module into another group; the focus follows.
func TestOrganiserMoveTo(t *testing.T) {
	t.Parallel()
	n := newNavigationFixture(t)
	p := openNavigation(t, n)
	p.chooseMenuItem("Move to: Announcements", "Sunday")
	p.waitForAnnouncement("Announcements moved to Sunday, position 3 of 3")
	p.waitForRows("Sunday: stage songs announcements, : countdown")
	p.waitFor(`document.activeElement.ariaLabel === "Move Announcements"`)
	p.waitFor(`document.querySelector(".host-seen").innerText.includes("Sunday\nStage\nSongs\nAnnouncements")`)
	p.click("button", "Undo")
	p.waitForAnnouncement("Undone.")
	p.waitForRows(atFirst)
	const removal = "DELETE /api/v1/dashboard/navigation/placements/announcements"
	if removed := n.countRequests(removal); removed != 1 {
		t.Errorf("a module that had no place has its place removed %d times, want once", removed)
	}
}

// TestOrganiserByMouse drags rows within a group and into another; Escape cancels a drag.
func TestOrganiserByMouse(t *testing.T) {
	t.Parallel()
	n := newNavigationFixture(t)
	p := openNavigation(t, n)
	drop := p.drag("[data-row=songs] .d-grip", "[data-row=stage]", -0.4)
	p.waitFor(`document.querySelector("[data-row=stage]").matches(".host-drop-before")`)
	drop()
	p.waitForAnnouncement("Songs moved to Sunday, position 1 of 2")
	p.waitForRows("Sunday: songs stage, : announcements countdown")
	p.drag("[data-row=announcements] .d-grip", "[data-row=songs]", 0.4)()
	p.waitForAnnouncement("Announcements moved to Sunday, position 2 of 3")
	p.waitForRows("Sunday: songs announcements stage, : countdown")
	before := n.countWrites()
	drop = p.drag("[data-row=countdown] .d-grip", "[data-row=songs]", -0.4)
	p.waitFor(`document.querySelector("[data-row=countdown]").matches(".d-dragged")`)
	p.key(kb.Escape)
	p.waitFor(`!document.querySelector(".d-dragged, .host-drop-before")`)
	drop()
	if after := n.countWrites(); after != before {
		t.Errorf("a drag that was cancelled made %d writes, want none", after-before)
	}
}

// TestOrganiserGroups creates, renames, moves and deletes groups, and restores them.
func TestOrganiserGroups(t *testing.T) {
	t.Parallel()
	n := newNavigationFixture(t)
	p := openNavigation(t, n)
	p.click("button", "Add group")
	p.click("button", "Add")
	p.waitForText("A group needs a name.")
	p.fill("Name of the group", " Foyer ")
	p.key("\r")
	p.waitForAnnouncement("Foyer added.")
	p.waitForNone("dialog", "Add group")
	p.waitForRows("Sunday: stage songs, Foyer: , : announcements countdown")
	p.waitForText("No modules here yet.")
	if strings.Contains(eval[string](p, `document.querySelector(".host-seen").innerText`), "Foyer") {
		t.Error("people see an empty group")
	}
	p.click("button", "Move up: Foyer")
	p.waitForAnnouncement("Foyer moved, position 1 of 2")
	p.click("button", "Rename Sunday")
	p.fill("Name of the group", "Sundays")
	p.key("\r")
	p.waitForAnnouncement("Renamed.")
	p.waitForRows("Foyer: , Sundays: stage songs, : announcements countdown")
	p.click("button", "Delete Sundays")
	p.waitForAnnouncement("Sundays deleted. Its modules stay, without a group.")
	p.waitForRows("Foyer: , : stage songs announcements countdown")
	for range 4 {
		p.click("button", "Undo")
		p.waitForAnnouncement("Undone.")
	}
	p.waitForRows(atFirst)
	n.assertArranged("after everything was undone", atFirst)
	p.waitFor(`[...document.querySelectorAll("button")].find((b) => b.innerText.trim() === "Undo").disabled`)
}

// TestOrganiserOfTwo: two administrators work at once. Neither overwrites changes that they have not seen.
func TestOrganiserOfTwo(t *testing.T) {
	t.Parallel()
	n := newNavigationFixture(t)
	p := openNavigation(t, n)
	other := openNavigation(t, n)

	// The other one has renamed a group: moving another group keeps the new name.
	other.click("button", "Rename Sunday")
	other.fill("Name of the group", "Sundays")
	other.key("\r")
	other.waitForAnnouncement("Renamed.")
	n.changeByAnother(func() { n.putGroup("foyer", "Foyer", 2048) })
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForRows("Sundays: stage songs, Foyer: , : announcements countdown")
	n.changeByAnother(func() { n.putGroup("sunday", "Sunday at ten", 1024) })
	p.click("button", "Move down: Sundays")
	p.waitForAnnouncement("Sunday at ten moved, position 2 of 2")
	n.assertArranged("after the move", "Foyer: , Sunday at ten: stage songs, : announcements countdown")

	// The other one has moved the module: it stays there until this person has seen that.
	n.changeByAnother(func() { n.place("songs", "foyer", 1024) })
	p.click("button", "Move up: Songs")
	p.waitForVisibleText("Somebody else has changed this meanwhile.")
	p.waitForRows("Foyer: songs, Sunday at ten: stage, : announcements countdown")
	p.chooseMenuItem("Move to: Songs", "Sunday at ten")
	p.waitForAnnouncement("Songs moved to Sunday at ten, position 2 of 2")

	// Undo does not revert what the other one has done since.
	n.changeByAnother(func() { n.place("songs", "foyer", 4096) })
	p.click("button", "Undo")
	p.waitForVisibleText("Somebody else has changed this meanwhile. Nothing was undone.")
	n.assertArranged("after an undo that came too late",
		"Foyer: songs, Sunday at ten: stage, : announcements countdown")

	// A group that the other one has deleted is not created again by a rename.
	p.click("button", "Rename Foyer")
	n.changeByAnother(func() { n.deleteGroup("foyer") })
	p.fill("Name of the group", "Entrance")
	p.key("\r")
	p.waitForVisibleText("Somebody else has changed this meanwhile.")
	n.assertArranged("after naming what is gone", "Sunday at ten: stage, : songs announcements countdown")
}

// TestOrganiserNamedMeanwhile: a new name by another administrator is shown beside the field, and saving
// again replaces it.
func TestOrganiserNamedMeanwhile(t *testing.T) {
	t.Parallel()
	n := newNavigationFixture(t)
	p := openNavigation(t, n)
	p.click("button", "Rename Sunday")
	p.fill("Name of the group", "Mine")
	n.changeByAnother(func() { n.putGroup("sunday", "Theirs", 1024) })
	p.click("button", "Save")
	p.waitForVisibleText("Somebody else has named it “Theirs” meanwhile. Save puts yours in its place.")
	n.assertArranged("before the second press", strings.Replace(atFirst, "Sunday", "Theirs", 1))
	p.click("button", "Save")
	p.waitForAnnouncement("Renamed.")
	n.assertArranged("after it", strings.Replace(atFirst, "Sunday", "Mine", 1))
}

// TestOrganiserRefused: a row whose move was refused is back in its place, the reason is shown, and "Try
// again" works if that may help.
func TestOrganiserRefused(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status      int
		code, words string
		again       bool
	}{
		"forbidden": {403, "PERMISSION_DENIED",
			"You no longer have access (core.dashboard.navigation.manage).", false},
		"group gone": {404, "NAVIGATION_GROUP_NOT_FOUND", "Not moved. Try again.", true},
		"conflict":   {409, "CONFLICT", "Somebody else has changed this meanwhile.", true},
		"too often":  {429, "TOO_MANY_REQUESTS", "You can try again in 10 s.", true},
		"failed":     {503, "STORE_UNAVAILABLE", "Not moved. Try again.", true},
		"offline":    {0, "", "You are offline. Nothing is lost, nothing is saved yet.", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNavigationFixture(t)
			p := openNavigation(t, n)
			n.refuseWrites(row.status, row.code)
			p.offline(row.status == 0)
			// by key: without a network a note may appear above the rows, and a click would then hit another one
			p.runScript(`document.querySelector("[aria-label='Move up: Songs']").focus()`)
			p.key(kb.Enter)
			p.waitForAnnouncement(row.words)
			p.waitForVisibleText(row.words)
			p.waitForRows(atFirst)
			n.refuseWrites(0, "")
			p.offline(false)
			if !row.again {
				p.waitForNone("button", "Try again")
				return
			}
			p.click("button", "Try again")
			p.waitForAnnouncement("Songs moved to Sunday, position 1 of 2")
			n.assertArranged("after trying again", "Sunday: songs stage, : announcements countdown")
		})
	}
}
