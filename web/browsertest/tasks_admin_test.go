package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// task is something that a new administrator wants to do, starting at Home.
type task struct {
	wish   string
	clicks int                      // maximum; Enter counts as a click, typing does not
	do     func(p *tab, h *fixture) // returns when the page reports success
}

// countClicks counts the clicks and key presses of the person.
const countClicks = `
	window.clicks = 0;
	addEventListener("pointerdown", () => clicks++, true);
	addEventListener("keydown", ({ key }) => key === "Enter" && clicks++, true);`

// tasks are typical for people who have never administered a house.
var tasks = []task{
	{"let somebody write notices until Easter", 5, func(p *tab, h *fixture) {
		p.click("link", "Permissions")
		p.click("button", "Give permission")
		p.enter("combobox", "Person", "reader")
		p.waitFor(`document.querySelector("dialog [role=option]")?.innerText.includes("Reader 1")`)
		p.key("\r")
		p.enter("combobox", "Permission", "write the notices")
		p.waitFor(`[...document.querySelectorAll("dialog [role=option]")].some((option) =>
			option.checkVisibility() && option.innerText.includes("Write the notices"))`)
		p.key(kb.ArrowDown)
		p.key("\r")
		p.runScript(`const [day] = document.querySelectorAll("[type=date]");
			day.value = "2031-04-13"; day.dispatchEvent(new Event("input", { bubbles: true }))`)
		p.click("button", "Give")
		p.waitForAnnouncement("Given.")
		if given := h.house.query(p.t, `
			SELECT permission_id FROM core.permission_grant g JOIN core.person p ON p.id = g.person_id
			WHERE email = 'reader1@example.org'`); given != manageNotices {
			p.t.Errorf("given is %s", given)
		}
	}},
	{"why does Calendar not run?", 1, func(p *tab, _ *fixture) {
		p.click("link", "Modules")
		p.waitForVisibleText("First day of the week has a value that is no longer allowed.")
	}},
	{"get to what Calendar lacks", 2, func(p *tab, _ *fixture) {
		p.click("link", "Modules")
		p.click("link", "Settings of Calendar")
		p.waitFor(`location.hash === "#/admin/modules/calendar/settings/weekStartsOn"`)
	}},
	{"what happens if Stage is switched off?", 2, func(p *tab, _ *fixture) {
		p.click("link", "Modules")
		p.click("switch", "Start after restart: Stage")
		p.waitForVisibleText("2 screens show Stage and will say “switched off here”.")
	}},
	{"the screen in the hall is dark", 1, func(p *tab, _ *fixture) {
		p.click("link", "Screens")
		p.waitForVisibleText("not seen for 3 days")
	}},
	{"a new screen shows six digits", 4, func(p *tab, h *fixture) {
		_, code := newScreen(p.t, h, "announcements")
		p.click("link", "Screens")
		p.fill("Code on the screen", code)
		p.key("\r")
		p.waitForText("Code " + code[:3] + " " + code[3:] + " asks to show: Announcements")
		p.fill("Name this screen", "Back wall")
		p.click("checkbox", "I can see this code on the screen right now")
		p.click("button", "Pair this screen")
		p.waitForAnnouncement("Paired as “Back wall”")
	}},
	{"let Tea 5 in", 3, func(p *tab, _ *fixture) {
		p.click("link", "People")
		p.click("button", "Invite people")
		p.fill("E-mail addresses", "Tea 5 <tea5@example.org>")
		p.click("button", "Invite 1 person")
		p.waitForVisibleText("Tea 5")
	}},
	{"Lea has left", 4, func(p *tab, _ *fixture) {
		p.click("link", "People")
		p.click("button", "More for Lea")
		p.click("menuitem", "Deactivate …")
		p.click("button", "Deactivate")
		p.waitForAnnouncement("Lea (lea@example.org) is deactivated")
	}},
	{"Rota comes first in the sidebar", 2, func(p *tab, _ *fixture) {
		p.click("link", "Navigation")
		p.click("button", "Move up: Rota")
		p.waitForAnnouncement("Rota moved to Sunday, position 1 of 2")
	}},
	{"the house has a new name", 2, func(p *tab, _ *fixture) {
		p.click("link", "House")
		p.fill("Name of the house optional", "Harbour Church")
		p.click("button", "Save")
		p.waitForAnnouncement("Saved")
	}},
	{"who changed Rota's settings?", 1, func(p *tab, _ *fixture) {
		p.click("link", "Activity")
		p.waitForText("Owner changed settings of Rota")
	}},
	{"what happened last Saturday?", 1, func(p *tab, _ *fixture) {
		p.click("link", "Activity")
		p.enterDay("Day", "2026-11-21")
		p.waitFor(`document.querySelectorAll(".host-days h2").length === 1`)
		p.waitForVisibleText("The operator switched Stage on")
	}},
	{"Reader 1 wants all data about them", 3, func(p *tab, h *fixture) {
		p.click("link", "People")
		p.chooseMenuItem("More for Reader 1", "Export data …")
		id := h.house.query(p.t, `SELECT id::text FROM core.person WHERE email = 'reader1@example.org'`)
		p.waitForVisibleText("narthexctl identity:export --user-id " + id)
	}},
}

// startHouseWithTasks starts a house in which somebody has to do something.
func startHouseWithTasks(t *testing.T) *devServer {
	t.Helper()
	d := startNamedHouse(t)
	d.addPerson(t, "reader1@example.org", "Reader 1")
	d.addPerson(t, "lea@example.org", "Lea")
	d.addScreens(t, `('Choir', 'stage', interval '1 minute'), ('Nave', 'stage', interval '1 minute'),
		('Hall', 'announcements', interval '72 hours 1 minute')`)
	d.record(t, entryBy(object{"kind": "operator"}, "module.enabled", "module", "stage", nil))
	d.ageActivity(t, "2026-11-21")
	settings := d.configurationOf(t, "rota")
	settings["values"].(object)["replyTo"] = "welcome@example.org"
	d.call(t, "PUT", "/api/v1/module-configuration/rota", settings)
	d.exec(t, `INSERT INTO core.module_configuration (module_id, key, value)
		VALUES ('calendar', 'weekStartsOn', '"never"')`)
	d.restart(t)
	return d
}

// TestTasksOfANewAdministrator: each task takes only a few clicks from Home.
func TestTasksOfANewAdministrator(t *testing.T) {
	leaveToProof(t, "it goes thirteen ways; the tests of each screen do the same there")
	t.Parallel()
	d := startHouseWithTasks(t)
	for _, task := range tasks {
		t.Run(task.wish, func(t *testing.T) {
			t.Parallel()
			h := d.front(t)
			h.session = d.signIn(t, d.member(t, "Ada", append([]string{
				"core.people.manage", "core.activity.read"}, everyPermission...)...))
			p := openPage(t, "about:blank", desktop)
			p.onNewDocument(countClicks)
			h.load(p, "/")
			p.waitForHome()
			task.do(p, h)
			if clicks := eval[int](p, "clicks"); clicks > task.clicks {
				t.Errorf("%q takes %d clicks from Home, want at most %d", task.wish, clicks, task.clicks)
			}
		})
	}
}
