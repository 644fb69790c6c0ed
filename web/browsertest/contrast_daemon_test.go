package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// strongColours selects the rule of WCAG 2.2 AAA: seven times as light, or 4.5 times for large text.
const strongColours = `runOnly: { type: "rule", values: ["color-contrast-enhanced"] }`

// TestMoreContrast: for people who ask their system for more contrast, all text has that of WCAG AAA, and
// fields have an edge as strong as text.
func TestMoreContrast(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	addresses := d.houseAddresses(t)
	p := d.openAs(t, "owner@example.org", "/#/"+addresses.Replace("m/stage/live/{service}"), desktop)
	p.click("button", "Take control")
	p.find("button", "Message")
	check := func(name string) {
		t.Helper()
		for _, scheme := range []string{"light", "dark"} {
			p.emulate("screen", &emulation.MediaFeature{Name: "prefers-contrast", Value: "more"},
				&emulation.MediaFeature{Name: "prefers-color-scheme", Value: scheme},
				&emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"})
			p.waitFor(fmt.Sprintf(`matchMedia("(prefers-contrast: more)").matches &&
				document.documentElement.dataset.theme === %q`, scheme))
			p.assertRules(name+", "+scheme, strongColours)
			if faint := eval[string](p, faintEdges); faint != "" {
				t.Errorf("%s, %s: fainter edges than text: %s", name, scheme, faint)
			}
			p.screenshot("contrast-" + strings.ReplaceAll(name, "/", "-") + "-" + scheme)
		}
	}
	settled := `!document.querySelector("main [aria-busy=true], main .d-skeleton")`
	screens := screensOfHouse
	if testing.Short() {
		screens = []string{"", "m/calendar", "admin/people"}
	}
	for _, path := range screens {
		p.runScript(`location.hash = "#/` + addresses.Replace(path) + `"`)
		p.waitFor(`document.querySelector("main h1") && document.activeElement.tagName === "H1" && ` + settled)
		check(path)
	}
	for _, form := range forms {
		if testing.Short() && form.name != "notice" && form.name != "item" {
			continue
		}
		p.runScript(`location.hash = "#/admin/activity"`)
		p.waitForHeading("Activity")
		p.openForm(addresses.Replace(form.path), form.opener, form.field)
		p.waitFor(settled)
		check(form.name)
	}
}

// faintEdges lists the fields whose edge has another colour than their text.
const faintEdges = `[...document.querySelectorAll("main :is(input, select, textarea)")]
	.filter((field) => !field.matches("[type=checkbox], [type=radio], [type=color]"))
	.filter((field) => field.checkVisibility() && !field.closest(".d-unseen, .host-filter"))
	.filter((field) => getComputedStyle(field).borderTopColor !== getComputedStyle(field).color &&
		getComputedStyle(field).borderTopWidth !== "0px")
	.map((field) => field.outerHTML.slice(0, 80)).slice(0, 4).join("; ")`
