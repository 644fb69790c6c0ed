package browsertest

import (
	"context"
	"strings"
	"testing"
)

// TestModulesAt320 opens pages of the sample modules on the narrowest phone, with every system font. They
// hold their text, and every link and button is at least 24 pixels high and wide, except those in a sentence.
func TestModulesAt320(t *testing.T) {
	leaveToProof(t, "it opens the pages of all modules in each font")
	t.Parallel()
	d := startHouse(t)
	owner := d.signIn(t, "owner@example.org")
	eachFont(t, func(t *testing.T, browser context.Context) {
		p := d.openIn(t, browser, owner, "/", view{width: 320, height: 640, reduced: true})
		p.waitFor(`document.querySelector("main h1")`)
		for path, ready := range map[string]string{
			"announcements":    `main a.d-name`,
			"calendar":         `main h1`,
			"checklists":       `main .d-list a`,
			"checklists/lists": `main .d-list a`,
			"stage":            `main a.d-name`,
			"stage/songs":      `main a.d-name`,
			"rota":             `main h1`,
			"rota/volunteers":  `main a.d-name`,
		} {
			p.runScript(`location.hash = "#/m/` + path + `"`)
			p.waitFor(`document.querySelector("` + ready + `") && !document.querySelector("[aria-busy=true]")`)
			p.assertFits()
			if small := eval[string](p, smallTargets); small != "" {
				t.Errorf("%s: %s", path, small)
			}
			p.screenshot("narrow-" + strings.ReplaceAll(path, "/", "-") + "-" + strings.Split(t.Name(), "/")[1])
		}
	})
}

// smallTargets lists the links and buttons that are less than 24 pixels high or wide.
const smallTargets = `[...document.querySelectorAll("main :is(a[href], button)")].filter((target) => {
	const { width, height } = target.getBoundingClientRect();
	return width > 0 && Math.min(width, height) < 24 && !target.closest("p, li") && !target.closest(".d-unseen");
}).map((target) => {
	const { width, height } = target.getBoundingClientRect();
	return target.outerHTML.slice(0, 120) + " " + width.toFixed(1) + " x " + height.toFixed(1);
}).join("; ")`
