package browsertest

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// axe returns the source of axe-core, which checks accessibility in the page.
var axe = sync.OnceValues(func() (string, error) {
	source, err := os.ReadFile("../node_modules/axe-core/axe.min.js")
	return string(source), err
})

// everyRule selects the rules of WCAG 2.2 AA that a program can check. colourRules selects those whose result
// depends on the colours, withoutColour all others.
const (
	everyRule     = `runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]`
	colourRules   = `runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] }`
	withoutColour = everyRule + `, rules: { "color-contrast": { enabled: false }, ` +
		`"link-in-text-block": { enabled: false } }`
	// targetRule is the only rule whose result depends on the font.
	targetRule = `runOnly: { type: "rule", values: ["target-size"] }`
)

// assertHoldsText fails the test if a screen does not hold its text in the widest or in the narrowest size.
func (p *tab) assertHoldsText(screen string) {
	p.t.Helper()
	for _, size := range sizes {
		if size.rules != everyRule {
			continue
		}
		p.setView(size.view)
		p.assertFits()
		p.assertRules(screen+" "+size.name, targetRule)
		p.screenshot(screen + "-" + size.name)
	}
}

// assertAccessible fails the test for every rule that the page breaks.
func (p *tab) assertAccessible(where string) {
	p.t.Helper()
	p.assertRules(where, everyRule)
}

func (p *tab) axeSource() string {
	p.t.Helper()
	source, err := axe()
	if err != nil {
		p.t.Fatalf("the packages of the front end are needed (npm ci in web): %v", err)
	}
	return source
}

// keepAxe adds axe to every page that is loaded from now on, so that its half megabyte is sent to the browser
// only once.
func (p *tab) keepAxe() {
	p.t.Helper()
	p.onNewDocument(p.axeSource())
}

func (p *tab) assertRules(where, rules string) {
	p.t.Helper()
	if !eval[bool](p, `"axe" in window`) {
		p.do(chromedp.Evaluate[chromedp.Void](p.axeSource() + ";undefined"))
	}
	broken, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](`axe.run(document, {
		`+rules+`,
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

// sizes are the windows in which every screen is checked. Motion is reduced, so that no colour is checked in
// the middle of a transition.
var sizes = []struct {
	name string
	view
	rules string // "" means none
}{
	{"desktop", view{width: desktop.width, height: desktop.height, reduced: true}, everyRule},
	// the same elements in the same places, so only the colours are checked again
	{"desktop-dark", view{width: desktop.width, height: desktop.height, reduced: true, dark: true}, colourRules},
	{"phone", view{width: phone.width, height: phone.height, reduced: true}, ""},
	{"phone-dark", view{width: phone.width, height: phone.height, reduced: true, dark: true}, ""},
	{"narrow", view{width: narrow.width, height: narrow.height, reduced: true}, everyRule},
}

// assertScreen checks a screen in every size: nothing overflows and everything is accessible. A translated
// screen is checked only in the widest and the narrowest size, and without the rules for colours, which are
// the same in every language; its labels, headings and layout are not.
func (p *tab) assertScreen(screen string, translated bool) {
	p.t.Helper()
	for _, size := range sizes {
		rules := size.rules
		if translated && rules != everyRule {
			continue
		}
		if translated {
			rules = withoutColour
		}
		if testing.Short() && size.name != "narrow" {
			rules = "" // axe takes longer than everything else
		}
		p.setView(size.view)
		p.assertFits()
		if rules != "" {
			p.assertRules(screen+" "+size.name, rules)
		}
		p.screenshot(screen + "-" + size.name)
	}
}
