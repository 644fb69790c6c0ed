package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// task is something that a new administrator wants to do, starting at Home.
type task struct {
	wish   string
	clicks int // maximum; Enter counts as a click, typing does not
	open   func(t *testing.T, h *fixture)
	do     func(p *tab) // returns when the page reports success
}

// countClicks counts the clicks and key presses of the person.
const countClicks = `
	window.clicks = 0;
	addEventListener("pointerdown", () => clicks++, true);
	addEventListener("keydown", ({ key }) => key === "Enter" && clicks++, true);`

// tasks are typical for people who have never administered a house.
var tasks = []task{
	{"let somebody write notices until Easter", 5, peopleOfHouse, func(p *tab) {
		p.click("link", "Permissions")
		p.click("button", "Give permission")
		p.enter("combobox", "Person", "reader")
		p.waitFor(`document.querySelector("dialog [role=option]")?.innerText.includes("Reader 1")`)
		p.key("\r")
		p.enter("combobox", "Permission", "notices")
		p.waitFor(`[...document.querySelectorAll("dialog [role=option]")].some((option) =>
			option.checkVisibility() && option.innerText.includes("Write the notices"))`)
		p.key(kb.ArrowDown)
		p.key("\r")
		p.runScript(`const [day] = document.querySelectorAll("[type=date]");
			day.value = "2031-04-13"; day.dispatchEvent(new Event("input", { bubbles: true }))`)
		p.click("button", "Give")
		p.waitForAnnouncement("Given.")
	}},
	{"why does Rota not run?", 1, modulesOfHouse, func(p *tab) {
		p.click("link", "Modules")
		p.waitForVisibleText("Team name has no value.")
	}},
	{"get to what Rota lacks", 2, modulesOfHouse, func(p *tab) {
		p.click("link", "Modules")
		p.click("link", "Settings of Rota")
		p.waitFor(`location.hash === "#/admin/modules/rota/settings/teamName"`)
	}},
	{"what happens if Stage is switched off?", 2, func(t *testing.T, h *fixture) {
		setModulesFixture(t, h).respondPreview("stage", offPreview)
	}, func(p *tab) {
		p.click("link", "Modules")
		p.click("switch", "Start after restart: Stage")
		p.waitForVisibleText("2 screens show Stage and will say “switched off here”.")
	}},
	{"the screen in the hall is dark", 1, screensOfHouse, func(p *tab) {
		p.click("link", "Screens")
		p.waitForVisibleText("not seen for 3 days")
	}},
	{"a new screen shows six digits", 4, screensOfHouse, func(p *tab) {
		p.click("link", "Screens")
		p.fill("Code on the screen", "482913")
		p.key("\r")
		p.waitForText("Code 482 913 asks to show: Stage")
		p.fill("Name this screen", "Back wall")
		p.click("checkbox", "I can see this code on the screen right now")
		p.click("button", "Pair this screen")
		p.waitForAnnouncement("Paired as “Back wall”")
	}},
	{"let Tea 5 in", 3, peopleOfHouse, func(p *tab) {
		p.click("link", "People")
		p.click("button", "Invite people")
		p.fill("E-mail addresses", "Tea 5 <tea5@example.org>")
		p.click("button", "Invite 1 person")
		p.waitForVisibleText("Tea 5")
	}},
	{"Reader 1 has left", 4, peopleOfHouse, func(p *tab) {
		p.click("link", "People")
		p.click("button", "More for Reader 1")
		p.click("menuitem", "Deactivate …")
		p.click("button", "Deactivate")
		p.waitForAnnouncement("Reader 1 (reader1@example.org) is deactivated")
	}},
	{"songs come first in the sidebar", 2, func(t *testing.T, h *fixture) { setNavigationFixture(t, h) },
		func(p *tab) {
			p.click("link", "Navigation")
			p.click("button", "Move up: Songs")
			p.waitForAnnouncement("Songs moved to Sunday, position 1 of 2")
		}},
	{"the house has a new name", 2, func(t *testing.T, h *fixture) { newHouseFixture(t, h) }, func(p *tab) {
		p.click("link", "House")
		p.fill("Name of the house optional", "Harbour Church")
		p.click("button", "Save")
		p.waitForAnnouncement("Saved")
	}},
	{"who changed Rota's settings?", 1, activityOfHouse, func(p *tab) {
		p.click("link", "Activity")
		p.waitForVisibleText("Coordinator changed settings of Rota")
	}},
	{"what happened last Saturday?", 1, activityOfHouse, func(p *tab) {
		p.click("link", "Activity")
		p.enterDay("Day", "2026-11-21")
		p.waitFor(`document.querySelectorAll(".host-days h2").length === 1`)
		p.waitForVisibleText("The operator switched Stage on")
	}},
	{"Reader 1 wants all data about them", 3, peopleOfHouse, func(p *tab) {
		p.click("link", "People")
		p.chooseMenuItem("More for Reader 1", "Export data …")
		p.waitForVisibleText("identity:export -- --user-id " + reader)
	}},
}

func modulesOfHouse(t *testing.T, h *fixture) { setModulesFixture(t, h) }

func screensOfHouse(t *testing.T, h *fixture) { newScreensFixture(t, h) }

// TestTasksOfANewAdministrator: each task takes only a few clicks from Home.
func TestTasksOfANewAdministrator(t *testing.T) {
	t.Parallel()
	for _, task := range tasks {
		t.Run(task.wish, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t)
			task.open(t, h)
			p := openPage(t, "about:blank", desktop)
			p.onNewDocument(countClicks)
			p.do(chromedp.Navigate(h.URL))
			p.waitForHome()
			task.do(p)
			if clicks := eval[int](p, "clicks"); clicks > task.clicks {
				t.Errorf("%q takes %d clicks from Home, want at most %d", task.wish, clicks, task.clicks)
			}
		})
	}
}
