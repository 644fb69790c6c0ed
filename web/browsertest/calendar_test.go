package browsertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const calendarRoot = "/api/v1/modules/calendar"

// TestCalendar uses the calendar's screens on the real platform, with one tab that writes and another that
// follows.
func TestCalendar(t *testing.T) {
	t.Parallel()
	d := startIn(t, install(t, "../../modules/calendar", "../../modules/announcements", "../../modules/home",
		"../../modules/stage")) // whose services stand in the calendar
	p := openPage(t, d.address, desktop)
	p.signInAs("owner@example.org", d.password)
	p.waitForHome()
	p.keepAxe()
	open := func(p *tab, page, words string) {
		p.t.Helper()
		p.do(chromedp.Navigate(d.address + "/#/m/calendar/" + page))
		p.waitForText(words)
	}
	t.Run("screens", func(t *testing.T) {
		for page, words := range map[string]string{"": "Sunday service", "week": "Choir practice",
			"list": "Choir practice", "rooms": "Small room", "new": "Begins", "transfer": "Spreadsheet (CSV)"} {
			open(p, page, words)
			p.assertScreen("calendar-"+page, false)
			p.setView(view{width: narrow.width, height: narrow.height, reduced: true})
			p.runScript(`document.documentElement.dir = "rtl"`)
			p.assertFits()
			p.screenshot("calendar-" + page + "-rtl")
			p.runScript(`document.documentElement.dir = "ltr"`)
			p.setView(desktop)
		}
	})
	t.Run("elsewhere", func(t *testing.T) { testCalendarElsewhere(p, d.address) })
	t.Run("keyboard", func(t *testing.T) { testCalendarKeys(p, open) })
	t.Run("editor", func(t *testing.T) { testCalendarEditor(p, p.openTab(d.address+"/#/m/calendar"), open) })
	t.Run("phone", func(t *testing.T) {
		today := time.Now().UTC()
		for _, day := range []time.Time{today.AddDate(0, 0, -1), today} {
			at := day.Format(time.DateOnly)
			d.call(t, "POST", calendarRoot+"/events", object{"title": "Open door", "start": at, "end": at})
		}
		p.setView(phone)
		open(p, "", "Open door")
		p.waitFor(`document.querySelector(".agenda h3")?.className === "today"`) // the first day of the list
		p.screenshot("calendar-phone-today")
		p.setView(desktop)
	})
	t.Run("many events", func(t *testing.T) {
		leaveToProof(t, "it needs many events")
		testManyEvents(p, open)
	})
	t.Run("German", func(t *testing.T) {
		leaveToProof(t, "it opens the same pages in another language")
		p.setLanguage("de")
		for page, words := range map[string]string{"": "Sunday service", "new": "Wiederholt sich nicht"} {
			p.do(chromedp.Navigate(d.address + "/?" + page + "#/m/calendar/" + page))
			p.waitForText(words)
			p.assertScreen("calendar-"+page+"-german", true)
			p.setView(desktop)
		}
	})
}

// testCalendarElsewhere: Home has a card with the next events, and the board a slide with the events as they
// were when the slide was made.
func testCalendarElsewhere(p *tab, address string) {
	p.t.Helper()
	p.do(chromedp.Navigate(address + "/#/"))
	p.waitForText("Coming up")
	p.waitFor(`document.querySelectorAll('main a[href^="#/m/calendar/list/"]').length >= 3`)
	p.assertAccessible("Home with the calendar's card")
	p.screenshot("calendar-tile")
	p.do(chromedp.Navigate(address + "/#/m/announcements/new/calendar.slide"))
	p.waitForText("events are on the slide")
	p.waitFor(`document.querySelector(".preview").innerText.includes("Morning prayer") ||
		document.querySelector(".preview").innerText.includes("Sunday service")`)
	p.fill("Heading", "This week with us")
	p.waitFor(`document.querySelector(".preview").innerText.includes("This week with us")`)
	p.assertAccessible("a slide of the calendar")
	p.screenshot("calendar-slide")
	p.runScript(`[...document.querySelectorAll("button")].find((b) => b.innerText === "Save").click()`)
	p.waitForAnnouncement("Saved")
}

// testCalendarKeys: a month can be navigated by keyboard.
func testCalendarKeys(p *tab, open func(p *tab, page, words string)) {
	p.t.Helper()
	open(p, "month/2027-03-10", "March 2027")
	p.waitForHeading("Calendar") // the heading has the focus after a change of the screen
	p.waitFor(`document.querySelector('[data-day="2027-03-10"]')?.focus() === undefined &&
		document.activeElement.dataset.day === "2027-03-10"`)
	for _, step := range []struct{ key, day string }{
		{kb.ArrowRight, "2027-03-11"}, {kb.ArrowDown, "2027-03-18"}, {kb.ArrowLeft, "2027-03-17"},
		{kb.ArrowUp, "2027-03-10"}, {kb.Home, "2027-03-08"}, {kb.End, "2027-03-14"}, {kb.PageDown, "2027-04-14"},
		{kb.PageUp, "2027-03-14"}, {kb.PageUp, "2027-02-14"},
	} {
		p.key(step.key)
		p.waitFor(fmt.Sprintf(`document.activeElement.dataset.day === %q`, step.day))
	}
	p.waitFor(`document.querySelectorAll('.month [tabindex="0"]').length === 1`)
	open(p, "week/2027-02-14", "2027")
	p.waitFor(`document.querySelector(".month") === null`)
	p.runScript(`new MutationObserver((changes, observer) => { // a key in the moment in which the month appears
		const day = document.querySelector('.month [data-day="2027-02-13"]');
		if (!day) return;
		observer.disconnect();
		day.focus();
		day.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
	}).observe(document.body, { subtree: true, childList: true })`)
	open(p, "month/2027-02-13", "February 2027")
	p.waitFor(`document.activeElement.dataset.day === "2027-02-14"`)
	p.key(kb.Enter)
	p.waitFor(`location.hash === "#/m/calendar/list/2027-02-14"`)
}

// testCalendarEditor creates a repeating event, is refused because the hall is occupied, and deletes the
// event; the other tab shows all changes.
func testCalendarEditor(p, other *tab, open func(p *tab, page, words string)) {
	p.t.Helper()
	thursday := time.Now().AddDate(0, 0, 7+(11-int(time.Now().Weekday()))%7).Format(time.DateOnly)
	other.waitForText("Sunday service")
	other.do(chromedp.Navigate(strings.SplitN(eval[string](other, "location.href"), "#", 2)[0] +
		"#/m/calendar/list/" + thursday))
	open(p, "new", "Begins") // begins today, which is not in the past
	p.waitFor(`((date, time) => date !== undefined && date + "T" + time > new Date().toISOString().slice(0, 16))(
		document.querySelector("[type=date]")?.value, document.querySelector("[type=time]")?.value)`)
	open(p, "new/"+thursday, "Begins")
	p.click("button", "Save")
	p.waitForText("An event needs a title.")
	p.fill("Title", "Brass band")
	p.runScript(`const set = (selector, at, value) => {
		const field = document.querySelectorAll(selector)[at];
		field.value = value;
		field.dispatchEvent(new Event("input", { bubbles: true }));
	};
	set("[type=time]", 0, "19:30");`)
	p.waitFor(`document.querySelectorAll("[type=time]")[1].value === "20:30"`)
	p.runScript(`const unit = [...document.querySelectorAll("select")][0];
		unit.value = "WEEKLY";
		unit.dispatchEvent(new Event("change", { bubbles: true }));`)
	p.waitForText("Every Thursday.")
	p.runScript(`const every = [...document.querySelectorAll("select")][1];
		every.value = "2";
		every.dispatchEvent(new Event("change", { bubbles: true }));`)
	p.waitForText("Every second Thursday.")
	p.click("checkbox", "Hall")
	p.screenshot("calendar-editor")
	p.click("button", "Save")
	p.waitForText("Hall: taken by Choir practice")
	p.waitFor(`(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(
		document.querySelector("[role=alert] p").getBoundingClientRect())`) // the button is below the form
	p.screenshot("calendar-taken")
	p.assertAccessible("the editor with a refusal")
	p.click("checkbox", "Hall")
	p.click("checkbox", "Small room")
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	other.waitForText("Brass band")

	open(p, "list/"+thursday, "Brass band")
	p.waitFor(`[...document.querySelectorAll(".agenda button")]
		.find((button) => button.innerText.includes("Brass band"))?.click() === undefined &&
		document.querySelector("dialog") !== null`)
	p.waitForText("Every second Thursday.")
	p.assertAccessible("what is known of an event")
	p.screenshot("calendar-details")
	p.chooseMenuItem("Delete", "All dates")
	p.waitForAnnouncement("Brass band is deleted")
	other.waitFor(`!document.body.innerText.includes("Brass band")`)
	p.click("button", "Undo")
	p.waitForAnnouncement("It is back")
	other.waitForText("Brass band")
}

// testManyEvents shows a month with 5,000 events, and logs the time from data to paint.
func testManyEvents(p *tab, open func(p *tab, page, words string)) {
	p.t.Helper()
	open(p, "month/2027-08-10", "August 2027")
	p.runScript(`let rows = "title,start,end\n";
		for (let n = 0; n < 5000; n++) {
			const at = "2027-09-" + String(n % 30 + 1).padStart(2, "0") + "T" + String(n % 24).padStart(2, "0");
			rows += "Event " + n + "," + at + ":00," + at + ":30\n";
		}
		const response = await fetch("` + calendarRoot + `/import?format=csv", { method: "POST", body: rows });
		window.imported = await response.text();`)
	if got := eval[string](p, "imported"); !strings.Contains(got, `"events":5000`) {
		p.t.Fatalf("importing 5,000 events: %s", got)
	}
	for _, view := range []string{"month", "week", "list"} {
		p.runScript(`const real = window.fetch;
			let dataAt;
			window.fetch = async (...request) => {
				const response = await real(...request);
				if (String(request[0]).includes("from=2027-0")) {
					await response.clone().text();
					dataAt = performance.now();
				}
				return response;
			};
			location.hash = "#/m/calendar/` + view + `/2027-09-07";
			const seen = () => document.querySelector(".calendar")?.innerText.match(/Event \d/);
			while (!seen() || dataAt === undefined) await new Promise(requestAnimationFrame);
			await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
			window.fetch = real;
			window.took = performance.now() - dataAt;`)
		took := eval[float64](p, "took")
		p.t.Logf("%s with 5,000 events in it: painted %.0f ms after its data", view, took)
	}
	p.screenshot("calendar-many")
}

// TestCalendarDisplay: a screen shows the current and the next events of each room, in landscape and in
// portrait. It goes by the server's clock, and follows what is changed.
func TestCalendarDisplay(t *testing.T) {
	t.Parallel()
	b := startBoards(t)
	b.exec(t, `DELETE FROM module_calendar.events`)
	room := func(name string) any { return b.call("POST", calendarRoot+"/rooms", object{"name": name})["id"] }
	busy, free := room("Festsaal"), room("Kapelle")
	now := time.Now().UTC()
	on := func(title string, from, until time.Duration, rooms ...any) string {
		const clock = "2006-01-02T15:04"
		return b.call("POST", calendarRoot+"/events", object{"title": title, "rooms": append([]any{}, rooms...),
			"start": now.Add(from).Format(clock), "end": now.Add(until).Format(clock)})["id"].(string)
	}
	wedding := on("Wedding rehearsal of the families with everybody who helps", -time.Hour, time.Hour, busy)
	if now.Hour() < 20 { // the next event is shown only if it is today
		on("Choir practice", 2*time.Hour, 3*time.Hour, busy)
		on("Walk to the lake", 90*time.Minute, 3*time.Hour)
	}
	const twoDaysWrong = `(() => { const real = Date.now; Date.now = () => real() + 2 * 86_400_000; })()`
	p := b.pairBoard(t, chromium, "calendar", "en", twoDaysWrong)
	for name, v := range map[string]view{"landscape": landscape, "portrait": portrait} {
		p.setView(v)
		p.waitForText("Wedding rehearsal")
		p.waitForText("Free for the rest of the day")
		p.screenshot("calendar-display-" + name)
		p.assertFits()
	}
	b.call("DELETE", calendarRoot+"/rooms/"+fmt.Sprint(free), nil)
	b.exec(t, `DELETE FROM module_calendar.events WHERE id <> '`+wedding+`'`)
	b.call("DELETE", calendarRoot+"/events/"+wedding+"?rev=1", nil)
	p.waitForText("Nothing more is on today.")
	p.screenshot("calendar-display-empty")
}
