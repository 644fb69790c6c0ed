package browsertest

import (
	"os"
	"strings"
	"sync"

	"github.com/chromedp/chromedp"
)

// axe is the accessibility check that runs in the page.
var axe = sync.OnceValues(func() (string, error) {
	source, err := os.ReadFile("../node_modules/axe-core/axe.min.js")
	return string(source), err
})

// everyRule are the rules of WCAG 2.2 AA that a program can check. colourRules are those of them whose
// outcome depends on the colours.
const (
	everyRule   = `["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]`
	colourRules = `{ type: "rule", values: ["color-contrast", "link-in-text-block"] }`
)

// assertAccessible fails on every rule that the page breaks.
func (p *tab) assertAccessible(where string) {
	p.t.Helper()
	p.assertRules(where, everyRule)
}

func (p *tab) assertRules(where, rules string) {
	p.t.Helper()
	source, err := axe()
	if err != nil {
		p.t.Fatalf("the packages of the front end are needed (npm ci in web): %v", err)
	}
	if !eval[bool](p, `"axe" in window`) {
		p.do(chromedp.Evaluate[chromedp.Void](source + ";undefined"))
	}
	broken, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](`axe.run(document, {
		runOnly: `+rules+`,
		resultTypes: ["violations"],
	}).then(({ violations }) => violations.flatMap(v =>
		v.nodes.map(n => v.id + ": " + n.html + " " + n.failureSummary)))`,
		chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatal(err)
	}
	if len(broken) > 0 {
		p.t.Errorf("%s:\n%s", where, strings.Join(broken, "\n"))
	}
}

// sizes are the windows that every screen must be good in. Motion is reduced, so that nobody looks at a
// colour on its way to another.
var sizes = []struct {
	name string
	view
	rules string // "" means none
}{
	{"desktop", view{width: desktop.width, height: desktop.height, reduced: true}, everyRule},
	// the same elements in the same places, in other colours
	{"desktop-dark", view{width: desktop.width, height: desktop.height, reduced: true, dark: true}, colourRules},
	{"phone", view{width: phone.width, height: phone.height, reduced: true}, ""},
	{"phone-dark", view{width: phone.width, height: phone.height, reduced: true, dark: true}, ""},
	{"narrow", view{width: narrow.width, height: narrow.height, reduced: true}, everyRule},
}

// assertScreen looks at a screen in every size: nothing sticks out and nothing is inaccessible. Another
// language is looked at in the widest and the narrowest alone, by the same rules: labels, headings and
// layout are its own.
func (p *tab) assertScreen(screen string, translated bool) {
	p.t.Helper()
	for _, size := range sizes {
		if translated && size.rules != everyRule {
			continue
		}
		p.setView(size.view)
		p.assertFits()
		if size.rules != "" {
			p.assertRules(screen+" "+size.name, size.rules)
		}
		p.screenshot(screen + "-" + size.name)
	}
}
