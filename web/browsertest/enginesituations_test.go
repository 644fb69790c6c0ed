package browsertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/waittest"
)

// TestSituations: what happens to people in a browser's everyday life ends well in each engine: addresses
// that they type, Back, forms that they leave, two people on one thing, rows that are deleted.
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
				(*visitor).twoPeople, (*visitor).deletedRows,
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
		for _, month := range [][2]string{{"April 2027", "2027-04"}, {"May 2027", "2027-05"}} {
			v.press("button", "Next month")
			v.waitForText(month[0])
			v.waitFor(`location.hash.startsWith("#/m/calendar/month/` + month[1] + `")`) // one step for Back
		}
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
				v.waitFor(named + `("button", "Message")`)
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
			if !waittest.Seldom(func() bool {
				return v.d.query(v.t, `SELECT count(*)::text FROM `+thing.table+`
					WHERE `+thing.column+` = 'My own words'`) == "1"
			}) {
				v.t.Fatalf("the own version is not stored; the page says %s", v.text(`document.body.innerText`))
			}
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
