package browsertest

import (
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

// changePlans moves the only service by a week on a phone, moves it back, cancels it and undoes that.
// Reader 1 has said yes, and Reader 2 was asked. The coordinator has the board open.
func changePlans(i *rotaInstallation, owner, coordinator, volunteer *tab) {
	owner.setView(phone)
	owner.do(chromedp.Navigate(i.origin + "/#/m/stage"))
	owner.click("link", "Morning service")
	owner.waitForHeading("Morning service")
	start := time.Now().UTC().AddDate(0, 0, 6)
	moveTo := func(day time.Time) {
		owner.chooseMenuItem("More", "Change title and start")
		owner.waitFor(`document.querySelector("dialog input[type=date]")`)
		owner.runScript(`const day = document.querySelector("dialog input[type=date]");
			day.value = "` + day.Format(time.DateOnly) + `";
			day.dispatchEvent(new Event("input", { bubbles: true }))`)
		owner.click("button", "Save")
		owner.waitForText("Move Morning service?")
	}
	moveTo(start.AddDate(0, 0, 7))
	owner.waitForText("1 person said yes. They will be asked again.")
	owner.assertFits()
	owner.screenshot("plans-move-phone")
	owner.click("button", "Move")
	owner.waitForAnnouncement("Saved")

	coordinator.request("GET", rotaBoardPath, nil)
	coordinator.do(chromedp.Navigate("about:blank"), chromedp.Navigate(i.origin+"/#/m/rota"))
	coordinator.waitForText("One thing has changed")
	coordinator.waitForText("Asked again: 2")
	coordinator.waitFor(`document.querySelector(".rota .cell .d-chip.d-info")?.innerText === "Asked again"`)
	coordinator.screenshot("plans-board")
	for _, reader := range []string{"reader1@example.org", "reader2@example.org"} {
		owner.waitUntil(reader+" hears", func() bool { return i.box.about(reader, "Something has changed") == 1 })
	}
	volunteer.do(chromedp.Navigate("about:blank"), chromedp.Navigate(i.origin+"/#/m/rota/mine"))
	volunteer.waitForText("You said yes to ")
	volunteer.waitFor(`document.querySelectorAll(".dates .d-row button").length === 3`)
	volunteer.assertFits()
	volunteer.screenshot("plans-mine-phone")
	coordinator.click("button", "Seen")
	coordinator.waitFor(`!document.querySelector(".rota .news")`)

	moveTo(start)
	owner.click("button", "Move")
	owner.waitForAnnouncement("Saved")
	coordinator.request("GET", rotaBoardPath, nil) // is read by nobody else, so nothing older is shared
	coordinator.waitForText("One thing has changed")
	coordinator.waitFor(`document.querySelector(".rota .cell .d-chip.d-ok")?.innerText === "Accepted"`)
	volunteer.reload()
	volunteer.waitForText("You accepted")

	owner.chooseMenuItem("More", "Cancel the service …")
	owner.waitForText("1 person said yes. They will hear by mail that it is cancelled.")
	owner.screenshot("plans-cancel-phone")
	owner.click("button", "Cancel the service")
	owner.waitForAnnouncement("The service is cancelled")
	owner.click("button", "Undo")
	owner.waitForAnnouncement("Undone")
	owner.find("link", "Morning service")
	owner.setView(desktop)
	for _, reader := range []string{"reader1@example.org", "reader2@example.org"} {
		if heard := i.box.about(reader, "Something has changed"); heard != 1 {
			owner.t.Errorf("within the hour %d mails about changes came to %s, want one", heard, reader)
		}
	}
}
