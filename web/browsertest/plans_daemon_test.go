package browsertest

import (
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

const rotaBoardPath = "/api/v1/modules/rota/board"

// about returns how many emails with a subject came to a person.
func (b *rotaMailbox) about(to, subject string) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, message := range b.mails[to] {
		if strings.Contains(message, "Subject: "+subject+"\r\n") {
			n++
		}
	}
	return n
}

// changePlans moves the only service by a week on a phone, undoes that, cancels it and undoes that. Reader 1
// has said yes, and Reader 2 was asked. The coordinator has the board open, a second phone the calendar, and
// a paired screen shows what is on today.
func changePlans(i *rotaInstallation, owner, coordinator, volunteer *tab) {
	zone, err := time.LoadLocation(i.zone)
	if err != nil {
		owner.t.Fatal(err)
	}
	start := i.servesAt.In(zone)
	later := start.AddDate(0, 0, 7)
	wall := i.pairWall(owner, "calendar")
	wall.waitForText("Morning service")
	calendar := volunteer.openTab(i.origin + "/#/m/calendar/list/" + start.Format(time.DateOnly))
	calendar.setView(phone)
	inCalendar := func(day time.Time) {
		calendar.t.Helper()
		calendar.waitFor(fmt.Sprintf(`[...document.querySelectorAll(".agenda > li")]
			.filter((day) => day.innerText.includes("Morning service"))
			.map((day) => day.querySelector("h3").innerText).join() === %q`, day.Format("Monday, January 2, 2006")))
	}
	inCalendar(start)

	owner.setView(phone)
	// a new document has the zone of the house, which was set behind the page
	owner.do(chromedp.Navigate("about:blank"), chromedp.Navigate(i.origin+"/#/m/stage"))
	owner.click("link", "Morning service")
	owner.waitForHeading("Morning service")
	owner.chooseMenuItem("More", "Change title and start")
	owner.waitFor(`document.querySelector("dialog input[type=date]")`)
	owner.runScript(`const day = document.querySelector("dialog input[type=date]");
		day.value = "` + later.Format(time.DateOnly) + `";
		day.dispatchEvent(new Event("input", { bubbles: true }))`)
	owner.click("button", "Save")
	owner.waitForText("Move Morning service?")
	owner.waitForText("1 person said yes. They will be asked again.")
	owner.assertFits()
	owner.screenshot("plans-move-phone")
	owner.click("button", "Move")
	owner.waitForAnnouncement("Saved")
	owner.waitForText(later.Format("Mon, Jan 2, 3:04 PM"))
	owner.runScript(`document.querySelector(".d-toast button").focus()`) // then the message stays
	owner.screenshot("plans-moved-phone")

	coordinator.request("GET", rotaBoardPath, nil)
	coordinator.do(chromedp.Navigate("about:blank"), chromedp.Navigate(i.origin+"/#/m/rota"))
	coordinator.waitForText("One thing has changed")
	coordinator.waitForText("Asked again: 2")
	coordinator.waitFor(`document.querySelector(".rota .cell .d-chip.d-info")?.innerText === "Asked again"`)
	coordinator.screenshot("plans-board")
	readers := []string{"reader1@example.org", "reader2@example.org"}
	for _, reader := range readers {
		owner.waitUntil(reader+" hears", func() bool { return i.box.about(reader, "Something has changed") == 1 })
	}
	volunteer.do(chromedp.Navigate("about:blank"), chromedp.Navigate(i.origin+"/#/m/rota/mine"))
	volunteer.waitForText("You said yes to ")
	volunteer.waitFor(`document.querySelectorAll(".dates .d-row button").length === 3`)
	volunteer.assertFits()
	volunteer.screenshot("plans-mine-phone")
	inCalendar(later)
	calendar.screenshot("plans-calendar-phone")
	wall.waitForText("Nothing more is on today.")
	wall.screenshot("plans-wall-moved")
	coordinator.click("button", "Seen")
	coordinator.waitFor(`!document.querySelector(".rota .news")`)

	owner.click("button", "Undo")
	owner.waitForAnnouncement("Undone")
	coordinator.request("GET", rotaBoardPath, nil) // is read by nobody else, so nothing older is shared
	coordinator.waitForText("One thing has changed")
	coordinator.waitFor(`document.querySelector(".rota .cell .d-chip.d-ok")?.innerText === "Accepted"`)
	volunteer.reload()
	volunteer.waitForText("You accepted")
	inCalendar(start)
	wall.waitForText("Morning service")
	wall.screenshot("plans-wall-undone")

	owner.chooseMenuItem("More", "Cancel the service …")
	owner.waitForText("1 person said yes. They will hear by mail that it is cancelled.")
	owner.screenshot("plans-cancel-phone")
	owner.click("button", "Cancel the service")
	owner.waitForAnnouncement("The service is cancelled")
	owner.runScript(`document.querySelector(".d-toast button").focus()`)
	gone := `!document.body.innerText.includes("Morning service")`
	calendar.waitFor(gone)
	wall.waitFor(gone)
	owner.click("button", "Undo")
	owner.waitForAnnouncement("Undone")
	owner.find("link", "Morning service")
	inCalendar(start)
	wall.waitForText("Morning service")
	owner.setView(desktop)
	for _, reader := range readers {
		if heard := i.box.about(reader, "Something has changed"); heard != 1 {
			owner.t.Errorf("within the hour %d mails about changes came to %s, want one", heard, reader)
		}
	}
}

// pairWall pairs a screen that shows a module.
func (i *rotaInstallation) pairWall(owner *tab, module string) *tab {
	i.t.Helper()
	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	i.t.Cleanup(cancel)
	wall := &tab{t: i.t, ctx: ctx}
	wall.setView(landscape)
	wall.onNewDocument(hurried)
	wall.do(chromedp.Navigate(i.origin + "/display/" + module))
	owner.request("POST", "/api/v1/device-pairing/"+wall.pairingCode()+"/approve", object{"label": "Foyer"})
	return wall
}
