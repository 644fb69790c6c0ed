package browsertest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/services/waittest"
)

// TestSituations: what happens to people in a browser's everyday life ends well in each engine: addresses
// that they type, forms that they leave, another person's changes, larger text, a page that is translated.
func TestSituations(t *testing.T) {
	leaveToProof(t, "its browsers are installed by make proof")
	table := &browserTable{}
	for _, browser := range [][2]string{
		{"chromium", "Chromium"}, {"firefox", "Firefox ESR"}, {"webkit", "WebKitGTK"},
	} {
		t.Run(browser[0], func(t *testing.T) {
			d := startHouse(t) // what a browser deletes another one has to find
			v := visit(t, d, browser[0], func() engine {
				if browser[0] == "chromium" {
					return chromiumEngine{openPage(t, "about:blank", desktop)}
				}
				return startWebDriver(t, browser[0])
			})
			v.table, v.browser = table, browser[1]
			v.signIn()
			for _, situations := range []func(v *visitor){
				(*visitor).addressesThatPeopleType, (*visitor).wayBack, (*visitor).leftForms,
				(*visitor).twoPeople, (*visitor).deletedRows, (*visitor).largerText, (*visitor).translation,
				(*visitor).keyboard, (*visitor).othersChanges, (*visitor).links, (*visitor).wall,
			} {
				situations(v)
			}
		})
	}
	if !t.Failed() {
		table.compare(t, "Situations")
	}
}

// in tries a situation, and notes that it ended well.
func (v *visitor) in(situation string, try func()) {
	v.t.Helper()
	outer := v.t
	defer func() { v.t = outer }()
	outer.Run(situation, func(t *testing.T) {
		v.t = t
		try()
		v.assertQuiet(situation)
		if !t.Failed() {
			v.table.note(situation, v.browser, "works")
		}
	})
}

// run runs statements in the page and waits until they have ended.
func (v *visitor) run(statements string) {
	v.t.Helper()
	const began = `((window) => { window.ran = null; (async () => { %s })().then(
		() => { window.ran = ""; }, (why) => { window.ran = String(why); }); })(window)`
	if _, err := v.eval(fmt.Sprintf(began, statements)); err != nil {
		v.t.Fatal(err)
	}
	v.waitFor(`window.ran !== null`)
	if failure := v.text(`window.ran ?? ""`); failure != "" { // none in the next page
		v.t.Fatal(failure)
	}
}

func (v *visitor) waitFor(expression string) {
	v.t.Helper()
	v.until(expression, func() error {
		holds, err := v.eval(`Boolean(` + expression + `)`)
		if err == nil && string(holds) != "true" {
			err = os.ErrNotExist
		}
		return err
	})
}

// text returns the value of an expression that is a string.
func (v *visitor) text(expression string) (text string) {
	v.t.Helper()
	value, err := v.eval(expression)
	if err == nil {
		err = json.Unmarshal(value, &text)
	}
	if err != nil {
		v.t.Fatalf("%s: %v", expression, err)
	}
	return text
}

func (v *visitor) signIn() {
	v.t.Helper()
	v.open("/")
	v.fill("E-mail", "owner@example.org")
	v.fill("Password", v.d.password)
	v.press("button", "Sign in")
	v.waitForText("Latest notice")
}

// visitScreen shows a screen of the Dashboard, as a link does, and waits until it is complete.
func (v *visitor) visitScreen(path string) {
	v.t.Helper()
	v.run(fmt.Sprintf(`location.hash = %q`, "#/"+path))
	v.waitFor(`document.querySelector("main h1") && document.activeElement.tagName === "H1" &&
		!document.querySelector("main [aria-busy=true], main .d-skeleton")`)
}

// rest goes to a screen without a form.
func (v *visitor) rest() {
	v.t.Helper()
	v.run(`location.hash = "#/admin/activity"`)
	v.waitFor(`document.querySelector("main h1")?.innerText === "Activity"`)
}

func (v *visitor) reload() {
	v.t.Helper()
	v.run(`window.before = true; setTimeout(() => location.reload())`)
	v.waitFor(`window.before === undefined && document.querySelector("main h1")`)
	if _, err := v.eval(failuresKept); err != nil {
		v.t.Fatal(err)
	}
}

func (v *visitor) addressesThatPeopleType() {
	for _, typed := range slices.Sorted(maps.Keys(typedAddresses)) {
		want := typedAddresses[typed]
		v.in("The address "+typed, func() {
			v.goTo("about:blank")
			v.goTo(v.d.address + typed)
			v.waitFor(fmt.Sprintf(`location.href === %q`, v.d.address+want[0]))
			v.waitForText(want[1])
		})
	}
	v.open("/")
	v.waitForText("Latest notice")
}

func (v *visitor) wayBack() {
	v.in("The month is in the address: reload and Back", func() {
		v.rest()
		v.run(`location.hash = "#/m/calendar/month/2027-03-10"`) // the day has the focus
		v.waitForText("March 2027")
		v.press("button", "Next month")
		v.waitForText("April 2027")
		v.press("button", "Next month")
		v.waitForText("May 2027")
		v.waitFor(`location.hash.startsWith("#/m/calendar/month/2027-05")`)
		v.reload()
		v.waitForText("May 2027")
		for _, before := range []string{"April 2027", "March 2027"} {
			v.run(`history.back()`)
			v.waitForText(before)
		}
		v.run(`history.back()`)
		v.waitFor(`document.querySelector("main h1")?.innerText === "Activity"`)
	})
	v.in("Back after a form that was left with words in it", func() {
		v.rest()
		v.visitScreen("m/announcements")
		v.press("button", "Write a notice")
		v.fill("Title", "Half")
		v.run(`history.back()`)
		v.waitFor(`document.querySelector("main h1")?.innerText === "Announcements"`)
		v.waitForText("Your draft is kept.")
		v.press("button", "Discard")
		v.run(`history.back()`)
		v.waitFor(`document.querySelector("main h1")?.innerText === "Activity"`)
	})
}

// leftForms: what was typed is kept, and the person is told so and can discard it.
func (v *visitor) leftForms() {
	addresses := v.d.houseAddresses(v.t)
	for _, form := range forms {
		v.in("A form is left and opened again: "+form.name, func() {
			path := addresses.Replace(form.path)
			if form.name == "message" {
				v.visitScreen(path)
				v.press("button", "Take control")
			}
			value := fmt.Sprintf(`document.querySelector(%q)?.value`, form.field)
			open := func(opener string) {
				v.run(fmt.Sprintf(`location.hash = %q`, "#/"+path))
				if opener != "" {
					v.press("button", opener)
				}
				v.waitFor(value + ` !== undefined`)
			}
			open(form.opener)
			stored := v.text(value)
			v.run(fmt.Sprintf(typedInto, form.field, form.text))
			v.rest()
			v.waitForText("Your draft is kept.")
			if strings.HasPrefix(form.path, "m/") {
				open("") // a dialog with words in it opens with its screen
			} else {
				open(form.opener)
			}
			v.waitFor(fmt.Sprintf(`%s === %q && %s`, value, form.text, draftNote))
			v.run(draftNote + `.querySelector("button").click()`)
			v.waitFor(fmt.Sprintf(`%s === %q && !%s`, value, stored, draftNote))
			v.rest()
		})
	}
}

// typedInto writes a text into a field, by its selector.
const typedInto = `const field = document.querySelector(%q); field.value = %q;
	field.dispatchEvent(new Event("input", { bubbles: true }))`

// twoPeople: who saves what somebody else has saved meanwhile sees the other version, and saves their own.
func (v *visitor) twoPeople() {
	addresses := v.d.addressesOfThings(v.t)
	for _, thing := range things {
		v.in("Two people edit one thing: "+thing.name, func() {
			value := fmt.Sprintf(`document.querySelector(%q)?.value`, thing.field)
			v.run(fmt.Sprintf(`location.hash = %q`, "#/"+addresses.Replace(thing.path)))
			if entry, isMenu := strings.CutPrefix(thing.opener, "menu "); isMenu {
				v.press("button", "More")
				v.press("[role=menuitem]", entry)
			} else if thing.opener != "" {
				v.waitFor(fmt.Sprintf(`document.querySelector('%s')`, thing.opener))
				v.run(fmt.Sprintf(`document.querySelector('%s').click()`, thing.opener))
			}
			v.waitFor(value)
			v.run(fmt.Sprintf(typedInto, thing.field, "My own words"))
			v.run(fmt.Sprintf(asAnother, "What others wrote") + addresses.Replace(thing.theirs))
			save := fmt.Sprintf(`document.querySelector(%q).form.requestSubmit()`, thing.field)
			v.run(save)
			v.waitFor(`document.querySelector("[role=alert] .d-version, .d-wrong")?.innerText
				.includes("What others wrote")`)
			v.save("two-people-" + thing.name)
			if thing.name == "room" {
				v.run(save)
			} else {
				v.press("button", "Save my version")
			}
			waittest.Until(v.t, "the own version is stored", func() bool {
				return v.d.query(v.t, `SELECT count(*)::text FROM `+thing.table+`
					WHERE `+thing.column+` = 'My own words'`) == "1"
			})
			v.waitFor(`(location.hash = "#/admin/activity",
				document.querySelector("main h1")?.innerText === "Activity")`)
		})
	}
}

// deletedRows: the focus goes to the same control of the next row, and never to nothing.
func (v *visitor) deletedRows() {
	addresses := v.d.fillLists(v.t)
	for _, list := range lists {
		v.in("A row is deleted: "+list.name, func() {
			v.run(fmt.Sprintf(`location.hash = %q`, "#/"+addresses.Replace(list.path)))
			if list.name == "invitations" {
				v.waitFor(`document.querySelectorAll("main input[name=view]").length > 1`)
				v.run(`[...document.querySelectorAll("main input[name=view]")].at(1).click()`)
			}
			labels := fmt.Sprintf(`[...document.querySelectorAll('%s')].map(({ ariaLabel }) => ariaLabel)`,
				list.control)
			v.waitFor(`(` + labels + `).length > 1`)
			first, next := v.text(`(`+labels+`)[0]`), v.text(`(`+labels+`)[1]`)
			v.run(fmt.Sprintf(`const control = document.querySelector('%s'); control.focus(); control.click()`,
				list.control))
			if list.entry != "" {
				v.press("[role=menuitem]", list.entry)
			}
			if list.yes != "" {
				v.press("dialog button", list.yes)
			}
			v.waitFor(fmt.Sprintf(`!(%s).includes(%q)`, labels, first))
			then := fmt.Sprintf(`document.activeElement.ariaLabel === %q`, next)
			if list.name == "groups" { // their rows are columns
				then = `document.activeElement.tagName === "H1"`
			}
			v.waitFor(then)
			v.rest()
		})
	}
}

// largerText: text of twice the size, and text with wide spacing, fit on every screen and can be read.
func (v *visitor) largerText() {
	addresses := v.d.houseAddresses(v.t)
	for _, path := range screensOfHouse {
		v.in("Larger text: "+cmp.Or(path, "Home"), func() {
			v.visitScreen(addresses.Replace(path))
			for _, setting := range textSettings[1:] {
				v.run(fmt.Sprintf(`const style = document.createElement("style");
					style.id = "text-setting";
					style.textContent = %q;
					document.head.append(style);
					await new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))`,
					setting.css))
				if faults := v.text(`(document.documentElement.scrollWidth > innerWidth ?
					"too wide: " + ` + tooWide + ` : "") + ` + illegible); faults != "" {
					v.t.Errorf("%s:\n%s", setting.name, faults)
				}
				v.save("text-" + strings.ReplaceAll(path+"-"+setting.name, "/", "-"))
				v.run(`document.getElementById("text-setting").remove()`)
			}
		})
	}
}

// translation: a page that the browser translates, into the same words, says what it said before.
func (v *visitor) translation() {
	// without white space, because a <font> can be a block where a text is not
	const said = `document.querySelector("main").innerText.replace(/\s+/g, "")`
	addresses := v.d.houseAddresses(v.t)
	screens := []string{"account", "admin/navigation", "admin/permissions", "m/announcements/new",
		"m/calendar/week/2027-05-10", "m/calendar/rooms", "m/checklists/lists", "m/rota/roles",
		"m/rota/volunteers", "m/stage/songs", "m/stage/service/{service}"}
	original := map[string]string{}
	for _, path := range screens {
		v.visitScreen(addresses.Replace(path))
		original[path] = v.text(said)
	}
	v.open("/#/m/calendar/month/2027-03-10")
	v.reload()
	v.waitForText("March 2027")
	v.run(`(` + translatePage + `)()`)
	v.in("Translated by the browser: two months on", func() {
		for _, month := range []string{"April", "May"} {
			v.run(`document.querySelector('[aria-label="Next month"]').click()`)
			v.waitFor(`document.querySelector("main").innerText.includes("` + month + ` 2027")`)
		}
		if month := v.text(`document.querySelector("main").innerText`); strings.Contains(month, "March") {
			v.t.Errorf("the month of before is still there:\n%s", month)
		}
	})
	for _, path := range screens {
		v.in("Translated by the browser: "+path, func() {
			v.visitScreen(addresses.Replace(path))
			v.waitFor(said + fmt.Sprintf(` === %q`, original[path]))
			v.waitFor(`document.querySelector("main font font")`)
		})
	}
	v.open("/#/admin/activity")
	v.reload()
	v.rest()
}

func (v *visitor) keyboard() {
	const focused = `(document.activeElement.ariaLabel ?? document.activeElement.innerText)`
	v.in("Escape closes a dialog, and the focus returns", func() {
		v.visitScreen("admin/people")
		v.press("button", "Invite people")
		v.waitFor(`document.querySelector("dialog[open]")`)
		v.key("Escape")
		v.waitFor(`!document.querySelector("dialog[open]") && ` + focused + `.trim() === "Invite people"`)
	})
	v.in("Arrow keys in a menu", func() {
		v.visitScreen("m/announcements")
		v.run(`document.querySelector('main [aria-label^="More for "]').focus()`)
		v.key("Enter")
		v.waitFor(`document.activeElement.role === "menuitem" || document.querySelector("[role=menuitem]")`)
		v.key("ArrowDown")
		first := v.text(focused)
		v.key("ArrowDown")
		v.waitFor(focused + fmt.Sprintf(` !== %q && document.activeElement.getAttribute("role") === "menuitem"`,
			first))
		v.key("Escape")
		v.waitFor(focused + `.startsWith("More for ")`)
	})
	v.in("Enter that ends a composition chooses nothing", func() {
		v.rest()
		v.press("button", findField)
		v.waitFor(inPalette)
		v.run(`const field = document.querySelector("dialog[open] input");
			field.value = "Stage";
			field.dispatchEvent(new Event("input", { bubbles: true }))`)
		v.waitFor(`document.querySelector("dialog[open] [aria-selected=true]").innerText.startsWith("Stage")`)
		v.run(`document.querySelector("dialog[open] input").dispatchEvent(new KeyboardEvent("keydown",
			{ key: "Enter", isComposing: true, bubbles: true, cancelable: true }))`)
		v.waitFor(inPalette)
		v.key("Enter")
		v.waitFor(`location.hash === "#/m/stage"`)
	})
}

// othersChanges: what somebody else does arrives on the open page.
func (v *visitor) othersChanges() {
	notice := func(title string) {
		v.d.call(v.t, "POST", announcementsRoot+"/slides", object{"title": title, "enabled": true})
	}
	for path, change := range map[string]func(title string){
		"": notice, "m/announcements": notice,
		"m/calendar/month/2031-05-04": func(title string) {
			v.d.call(v.t, "POST", calendarRoot+"/events", object{"title": title, "text": "",
				"start": "2031-05-04T10:00", "end": "2031-05-04T11:00", "rule": "", "rooms": []int{}})
		},
		"m/calendar/rooms": func(title string) {
			v.d.call(v.t, "POST", calendarRoot+"/rooms", object{"name": title})
		},
		"m/stage": func(title string) {
			v.d.call(v.t, "POST", "/api/v1/modules/stage/services",
				object{"title": title, "startsAt": "2031-05-04T10:00:00Z"})
		},
	} {
		v.in("Somebody else's change: "+cmp.Or(path, "Home"), func() {
			v.run(fmt.Sprintf(`location.hash = %q`, "#/"+path))
			v.waitFor(`document.querySelector("main h1") && !document.querySelector("main .d-skeleton")`)
			change("Changed at " + cmp.Or(path, "Home"))
			v.waitForText("Changed at " + cmp.Or(path, "Home"))
		})
	}
	v.in("The platform does not answer for a while", func() {
		v.visitScreen("m/calendar/rooms")
		v.freeze()
		v.waitForText("The connection is lost.")
		v.thaw()
		v.waitFor(`!document.body.innerText.includes("The connection is lost.")`)
		v.d.call(v.t, "POST", calendarRoot+"/rooms", object{"name": "After the pause"})
		v.waitForText("After the pause")
	})
	v.in("The session ends while a form is open", func() {
		v.visitScreen("m/announcements/new")
		v.fill("Title", "Half a title")
		v.d.exec(v.t, `DELETE FROM core.session`)
		v.d.owner = nil
		v.run(`dispatchEvent(new Event("focus"))`)
		v.fill("E-mail", "owner@example.org")
		v.fill("Password", v.d.password)
		v.press("button", "Sign in")
		v.waitFor(`document.querySelector(".announcements [required]")?.value === "Half a title"`)
		v.rest()
	})
}

// freeze stops the processes of the platform, as a computer that is asleep does, and thaw lets them go on.
func (v *visitor) freeze() { v.signal(syscall.SIGSTOP) }
func (v *visitor) thaw()   { v.signal(syscall.SIGCONT) }

func (v *visitor) signal(signal os.Signal) {
	v.t.Helper()
	if err := v.d.process.Signal(signal); err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { _ = v.d.process.Signal(syscall.SIGCONT) })
}

// links: the page of a link in each of its states, and an answer on it.
func (v *visitor) links() {
	for _, page := range v.d.linkPages(v.t) {
		v.in("Without an account: "+page.name, func() {
			v.goTo("about:blank")
			v.goTo(page.address)
			v.waitForText(page.english)
			if page.name != "rota" {
				return
			}
			v.press("button", "Yes")
			v.waitForText("You said yes")
			v.press("button", "Take this back")
			v.waitForText(page.english)
		})
	}
}

// wall: a screen of its own shows what is said, also while the platform is away.
func (v *visitor) wall() {
	v.engine = v.start()
	v.open("/display/announcements")
	v.waitFor(`document.querySelector(".host-digits")?.innerText.replace(/\D/g, "").length === 6`)
	code := v.text(`document.querySelector(".host-digits").innerText.replace(/\D/g, "")`)
	paired := v.d.call(v.t, "POST", "/api/v1/device-pairing/"+code+"/approve", object{"label": v.name})
	publish := func(title string) {
		v.d.exec(v.t, `DELETE FROM module_announcements.slides`)
		v.d.call(v.t, "POST", announcementsRoot+"/slides", object{"title": title, "enabled": true})
	}
	v.in("A wall shows a new notice", func() {
		publish("For the wall")
		v.waitForText("For the wall")
	})
	v.in("A wall shows what is new after the platform was away", func() {
		v.freeze()
		v.waitForText("Reconnecting, last update")
		v.waitForText("For the wall")
		v.thaw()
		publish("After the night")
		v.waitForText("After the night")
	})
	v.in("A wall that was removed shows a code", func() {
		v.d.call(v.t, "POST", "/api/v1/devices/"+paired["id"].(string)+"/revoke", object{})
		v.waitFor(`document.querySelector(".host-digits")?.innerText.replace(/\D/g, "").length === 6`)
	})
}
