package browsertest

import (
	"testing"
	"time"
)

// openEvent presses an event of a day in a list of the calendar. A series has one on other days, too, and the
// list that was there before may still be.
func (p *tab) openEvent(title string, day time.Time) {
	p.t.Helper()
	p.waitFor(`(window.found = [...document.querySelectorAll(".agenda > li")]
		.filter((li) => li.querySelector("h3").innerText === new Intl.DateTimeFormat(document.documentElement.lang,
			{ dateStyle: "full", timeZone: "UTC" }).format(new Date("` + day.Format(time.DateOnly) + `")))
		.flatMap((li) => [...li.querySelectorAll("button")])
		.find((b) => b.innerText.includes("` + title + `")))`)
	p.runScript(`window.found.click()`)
}

// TestSignUpsForADate: an organiser lets people sign up for one date of a series, and a guest does.
// Whoever moves or cancels the date reads how many that concerns, and the list stays. So does whoever
// cancels a service, in Calendar and in Stage.
func TestSignUpsForADate(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	first := time.Now().UTC().AddDate(0, 0, 5)
	day := func(n int) string { return first.AddDate(0, 0, 7*n).Format(time.DateOnly) }
	words := func(n int) string { return first.AddDate(0, 0, 7*n).Format("Monday, January 2, 2006") }
	course := d.call(t, "POST", calendarRoot+"/events", object{"title": "Parents' course",
		"text": "Bring a pen.", "start": day(0) + "T19:00", "end": day(0) + "T20:30",
		"rule": "FREQ=WEEKLY;COUNT=4"})
	id := course["id"].(string)
	organiser := d.openAs(t, "owner@example.org", "/#/m/calendar/list/"+day(1), narrow)
	organiser.openEvent("Parents' course", first.AddDate(0, 0, 7))
	organiser.waitForText("Take sign-ups for this date")
	organiser.assertFits()
	organiser.assertAccessible("a date of a series")
	organiser.screenshot("signupdates-details")
	organiser.click("button", "Take sign-ups for this date")
	organiser.waitForText("These sign-ups are for this date alone.")
	organiser.enter("spinbutton", "Places optional", "1")
	organiser.assertFits()
	organiser.screenshot("signupdates-settings")
	organiser.click("button", "Take sign-ups")
	organiser.waitForText("Nobody has signed up yet.")
	organiser.waitForText(words(1))
	organiser.waitForHeading("Sign-ups for " + first.AddDate(0, 0, 7).Format("January 2, 2006"))
	organiser.click("button", "Address for guests")
	organiser.waitFor(`document.querySelector("dialog code")?.innerText.includes("/link/calendar#")`)
	address := eval[string](organiser, `document.querySelector("dialog code").innerText`)
	organiser.click("button", "Done")

	guest := openPage(t, address, phone)
	guest.waitForText(words(1))
	guest.waitForText("Here you sign up for this date alone.")
	guest.assertFits()
	guest.assertAccessible("the page on which guests sign up for a date")
	guest.screenshot("signupdates-guest")
	guest.fill("Your name", "Anna Guest")
	guest.fill("E-mail address", "anna@example.org")
	guest.click("button", "Sign up")
	guest.waitForText("You are signed up.")
	organiser.waitForText("Anna Guest")
	organiser.assertFits()
	organiser.screenshot("signupdates-list")

	later := first.AddDate(0, 0, 9)
	mover := d.openAs(t, "owner@example.org", "/#/m/calendar/edit/"+id+"/one/"+day(1)+"T19:00", narrow)
	mover.waitForText("The other dates stay as they are.")
	mover.enterDay("Begins", later.Format(time.DateOnly))
	mover.click("button", "Save")
	mover.waitForText("1 person has signed up, and hears by mail of the new time.")
	mover.assertFits()
	mover.screenshot("signupdates-move")
	mover.click("button", "Leave it as it is")
	mover.click("button", "Save")
	mover.click("button", "Move")
	mover.waitForAnnouncement("Saved")
	guest.click("link", "See my sign-up")
	guest.waitForText("You have a place.")
	guest.waitForText(later.Format("Monday, January 2, 2006"))
	organiser.reload()
	organiser.waitForText("Anna Guest")
	organiser.waitForText(later.Format("Monday, January 2, 2006"))

	mover.runScript(`location.hash = "#/m/calendar/list/` + later.Format(time.DateOnly) + `"`)
	mover.openEvent("Parents' course", later)
	mover.waitForText("Sign-ups for this date")
	mover.screenshot("signupdates-moved")
	mover.chooseMenuItem("Delete", "Only this date")
	mover.waitForText("1 person has signed up, and hears by mail that it is cancelled.")
	mover.screenshot("signupdates-cancel")
	mover.click("button", "Cancel the event")
	mover.waitForAnnouncement("Parents' course is cancelled on this date")
	guest.reload()
	guest.waitForText("This event does not take place.")
	mover.runScript(`location.hash = "#/m/calendar/list/` + day(2) + `"`)
	mover.waitFor(`!document.body.innerText.includes("` + later.Format("Monday, January 2, 2006") + `")`)
	mover.openEvent("Parents' course", first.AddDate(0, 0, 14))
	mover.waitForText("Lists of dates that do not take place")
	mover.assertFits()
	mover.assertAccessible("the lists of dates that do not take place")
	mover.screenshot("signupdates-off")
	mover.runScript(`document.querySelector(".lists-off button").click()`)
	mover.waitForText("This date does not take place.")
	mover.waitForText("Anna Guest")
	mover.assertFits()
	mover.screenshot("signupdates-off-list")

	vesper := d.call(t, "POST", stageRoot+"/services", object{"title": "Vesper",
		"startsAt": day(1) + "T17:00:00.000Z"})
	service := vesper["id"].(string)
	d.call(t, "GET", calendarRoot+"/occurrences?from="+day(1)+"&to="+day(2), nil) // now Calendar knows it
	d.call(t, "PUT", calendarRoot+"/events/"+service+"/signups",
		object{"places": 0, "closes": "", "queue": false, "questions": []object{}})
	for _, n := range []string{"1", "2"} {
		d.query(t, `
			INSERT INTO module_calendar.participants (id, sheet_id, name, email, language, answers, waits)
			SELECT gen_random_uuid(), id, 'Guest ' || $2::text, 'guest' || $2::text || '@example.org', 'de', '{}',
			       false
			FROM module_calendar.sheets WHERE event_id = $1::uuid
			RETURNING id::text`, service, n)
	}
	german := d.openAs(t, "owner@example.org", "/", view{width: narrow.width, height: narrow.height, dark: true})
	german.setLanguage("de")
	german.reload()
	german.runScript(`location.hash = "#/m/calendar/list/` + day(1) + `"`)
	german.openEvent("Vesper", first.AddDate(0, 0, 7))
	german.waitForText("Ablauf")
	german.assertFits()
	german.assertAccessible("a service with sign-ups, in German")
	german.screenshot("signupdates-service-german")
	german.click("button", "Gottesdienst absagen")
	german.waitForText("2 Personen sind angemeldet und erfahren per Mail, dass es ausfällt.")
	german.assertFits()
	german.screenshot("signupdates-service-cancel-german")
	german.click("button", "Behalten")
	german.runScript(`location.hash = "#/m/calendar/signups/` + id + `/` + day(1) + `T19:00"`)
	german.waitForText("Dieser Termin findet nicht statt.")
	german.assertFits()
	german.screenshot("signupdates-off-german")
	german.runScript(`location.hash = "#/m/calendar/signups/` + id + `/` + day(2) + `T19:00"`)
	german.waitForText("Diese Anmeldungen gelten nur für diesen Termin.")
	german.assertFits()
	german.screenshot("signupdates-settings-german")
	german.runScript(`location.hash = "#/m/calendar/list/` + day(2) + `"`)
	german.openEvent("Parents' course", first.AddDate(0, 0, 14))
	german.waitForText("Anmeldung zu diesem Termin einrichten")
	german.waitForText("Listen von Terminen, die nicht stattfinden")
	german.assertFits()
	german.screenshot("signupdates-details-german")

	stage := d.openAs(t, "owner@example.org", "/#/m/stage/service/"+service, phone)
	stage.chooseMenuItem("More", "Cancel the service …")
	stage.waitForText("2 people have signed up, and hear by mail that it is cancelled.")
	stage.screenshot("signupdates-stage")
}
