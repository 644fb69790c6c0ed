package browsertest

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestSignUps: an organiser lets people sign up for an event and hands out its address; a guest signs up on a
// phone, sees it, and withdraws; a member signs up on their own page; the list follows all of it.
func TestSignUps(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	day := time.Now().UTC().AddDate(0, 0, 5).Format(time.DateOnly)
	camp := d.call(t, "POST", calendarRoot+"/events", object{"title": "Summer camp", "text": "Tents are there.",
		"start": day + "T10:00", "end": day + "T18:00"})
	id := camp["id"].(string)
	list := "/#/m/calendar/signups/" + id
	organiser := d.openAs(t, "owner@example.org", "/#/m/calendar/list/"+day, phone)
	organiser.waitForText("Summer camp")
	organiser.runScript(`[...document.querySelectorAll(".agenda button")].find(
		(b) => b.innerText.includes("Summer camp")).click()`)
	organiser.click("button", "Take sign-ups")
	organiser.waitForText("Name and e-mail address are always asked.")
	organiser.screenshot("signups-settings")
	organiser.enter("spinbutton", "Places optional", "0")
	organiser.click("button", "Add a question")
	organiser.click("button", "Take sign-ups")
	organiser.waitForText("A question needs words.")
	organiser.waitForText("A whole number from 1 to 2000")
	organiser.enter("spinbutton", "Places optional", "1")
	organiser.fill("What you ask", "Which meal?")
	organiser.runScript(`const kind = document.querySelector(".question select");
		kind.value = "choice";
		kind.dispatchEvent(new Event("change", { bubbles: true }));`)
	organiser.fill("Choices", "Soup\nBread")
	organiser.assertFits()
	organiser.assertAccessible("the settings of sign-ups")
	organiser.screenshot("signups-questions")
	organiser.click("button", "Take sign-ups")
	organiser.waitForText("Nobody has signed up yet.")
	organiser.click("button", "Address for guests")
	organiser.waitFor(`document.querySelector("dialog code")?.innerText.includes("/link/calendar#")`)
	organiser.assertFits()
	organiser.assertAccessible("the address for guests")
	organiser.screenshot("signups-address")
	address := eval[string](organiser, `document.querySelector("dialog code").innerText`)
	if code := organiser.qrText(); code != address {
		t.Errorf("the code leads to %q, want %q", code, address)
	}
	organiser.click("button", "Done")

	guest := openPage(t, address, phone)
	guest.waitForText("1 place is free.")
	guest.assertAccessible("the page on which guests sign up")
	guest.screenshot("signup-guest")
	guest.click("button", "Sign up")
	guest.waitForText("Please write your name.")
	guest.screenshot("signup-guest-wrong")
	guest.fill("Your name", "Anna Guest")
	guest.fill("E-mail address", "anna@example.org")
	guest.runScript(`const meal = document.querySelector(".signup select");
		meal.value = "Soup";
		meal.dispatchEvent(new Event("change", { bubbles: true }));`)
	guest.click("button", "Sign up")
	guest.waitForText("You are signed up.")
	guest.assertFits()
	guest.assertAccessible("what a guest reads who has signed up")
	guest.screenshot("signup-guest-done")
	organiser.waitForText("Anna Guest") // the list follows
	organiser.assertFits()
	organiser.screenshot("signups-list-phone")

	german := openPage(t, "about:blank", view{width: narrow.width, height: narrow.height, dark: true})
	german.onNewDocument(`Object.defineProperty(navigator, "languages", { get: () => ["de-DE"] })`)
	german.do(chromedp.Navigate(address))
	german.waitForText("Alle Plätze sind vergeben.")
	german.fill("Ihr Name", "Ben Gast")
	german.fill("E-Mail-Adresse", "ben@example.org")
	german.assertFits()
	german.assertAccessible("the page on which guests sign up, in German")
	german.screenshot("signup-guest-german")
	german.click("button", "Auf die Warteliste setzen")
	german.waitForText("Sie stehen auf der Warteliste.")
	german.click("link", "Meine Anmeldung ansehen")
	german.waitForText("Sie sind Nummer 1 auf der Warteliste.")
	german.assertFits()
	german.screenshot("signup-own-german")

	guest.click("link", "See my sign-up")
	guest.waitForText("You have a place.")
	guest.waitFor(`location.hash === "" && localStorage.length + sessionStorage.length === 0`)
	guest.assertAccessible("a sign-up of one's own")
	guest.screenshot("signup-own")
	guest.click("button", "Withdraw")
	guest.waitForText("Do you want to withdraw?")
	guest.screenshot("signup-withdraw")
	guest.click("button", "Withdraw")
	guest.waitForText("You are not signed up any more.")
	guest.reload()
	guest.waitForText("This link does not work any more.")
	german.reload()
	german.waitForText("Sie haben einen Platz.")

	d.addPerson(t, "member@example.org", "Member")
	member := d.openAs(t, "member@example.org", "/#/m/calendar/signup/"+id, phone)
	member.waitForText("All places are taken.")
	member.fill("Your name", "Mia Member")
	member.fill("E-mail address", "mia@example.org")
	member.click("button", "Put me on the waiting list")
	member.waitForAnnouncement("You are on the waiting list.")
	member.waitForText("You are number 1 on the waiting list.")
	member.assertFits()
	member.assertAccessible("a member's own sign-up")
	member.screenshot("signup-member")

	wide := d.openAs(t, "owner@example.org", list, desktop)
	wide.waitForText("Mia Member")
	wide.assertAccessible("the list of sign-ups")
	wide.screenshot("signups-list")
	wide.emulate("print")
	wide.screenshot("signups-list-printed")
	wide.emulate("")
	wide.click("button", "Remove Ben Gast")
	wide.click("button", "Remove")
	wide.waitFor(`!document.querySelector("main").innerText.includes("Ben Gast")`)
	member.reload()
	member.waitForText("You have a place.")

	d.call(t, "POST", stageRoot+"/services", object{"title": "Vesper", "startsAt": day + "T19:00:00.000Z"})
	wide.runScript(`location.hash = "#/m/calendar/list/` + day + `"`)
	wide.waitForText("Vesper")
	wide.runScript(`[...document.querySelectorAll(".agenda button")].find(
		(b) => b.innerText.includes("Vesper")).click()`)
	wide.waitForText("Order of service")
	wide.screenshot("signups-service")
	wide.click("button", "Take sign-ups")
	wide.waitForText("Name and e-mail address are always asked.")
	wide.click("button", "Take sign-ups")
	wide.waitForText("Nobody has signed up yet.")
	wide.screenshot("signups-service-list")
}
