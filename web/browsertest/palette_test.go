package browsertest

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	findField = "Search or go to…"
	inPalette = `document.activeElement.matches("dialog[open] [role=combobox]")`
	noPalette = `document.querySelector("dialog[open]") === null`
)

// offers are the rows of the open palette, each with its kind.
func (p *tab) offers() []string {
	p.t.Helper()
	return eval[[]string](p, `[...document.querySelectorAll("dialog[open] [role=option]")]
		.map((row) => row.innerText.trim().split(/\s*\n\s*/).join(": "))`)
}

// visits lets the person see three modules, and returns on the second of them.
func visits(t *testing.T, h *house) *tab {
	t.Helper()
	for _, id := range []string{"stage", "songs", "rota"} {
		h.script(id, `container.textContent = "This is " + context.module.id;`)
	}
	p := open(t, h.URL+"/#/m/stage", view{width: desktop.width, height: desktop.height, reduced: true})
	p.headed("Stage")
	p.press("link", "Songs")
	p.headed("Songs")
	return p
}

// TestPalette: by keys alone to a module's settings; where the person has been comes first; Escape goes
// back to where they were.
func TestPalette(t *testing.T) {
	t.Parallel()
	o := fill(t, setup(t))
	p := visits(t, o.house)
	p.key("k", chromedp.ModifierCtrl)
	p.wait(inPalette)
	p.wait(`document.querySelector("dialog[open] .options").innerText.includes("Rota")`)
	want := []string{"Stage: Module", "Home: Page", "Songs: Module", "Modules: Administration",
		"Permissions: Administration", "Navigation: Administration", "Screens: Administration",
		"House: Administration", "Rota: Settings", "Account: Page"}
	if got := p.offers(); !slices.Equal(got, want) {
		t.Errorf("the palette offers %q, want %q", got, want)
	}
	p.accessible("the palette")
	p.key("\x1b")
	p.wait(noPalette)
	p.wait(`document.activeElement.innerText === "Songs" && document.activeElement.tagName === "H1"`)

	p.key("k", chromedp.ModifierMeta)
	p.wait(inPalette)
	p.key("k", chromedp.ModifierCtrl) // a second one opens nothing
	p.enter("combobox", "Search or go to", "settings ro")
	p.hears("1 match")
	p.accessible("the palette with a search")
	p.enter("combobox", "Search or go to", "nowhere")
	p.hears("0 matches")
	p.says("Nothing matches.")
	p.key("\r")
	p.accessible("the palette without a match")
	p.enter("combobox", "Search or go to", "rota")
	p.hears("1 match")
	p.key("\r")
	p.wait(noPalette)
	p.wait(`location.hash === "#/admin/modules/rota/settings"`)
}

// TestPaletteByField: the find field of the header, and the first line of the menu on a phone.
func TestPaletteByField(t *testing.T) {
	t.Parallel()
	o := fill(t, setup(t))
	p := visits(t, o.house)
	p.press("button", findField)
	p.wait(inPalette)
	p.enter("combobox", "Search or go to", "s")
	p.wait(`document.querySelector("dialog[open] [aria-selected=true]").innerText.startsWith("Stage")`)
	p.key(kb.ArrowDown)
	p.wait(`document.querySelector("dialog[open] [aria-selected=true]").innerText.startsWith("Songs")`)
	p.key(kb.ArrowUp)
	p.key("\r")
	p.headed("Stage")
	p.press("button", findField)
	p.wait(inPalette)
	p.key("\x1b")
	p.wait(noPalette)
	p.wait(`document.activeElement.matches(".banner > .find-button")`)

	p.look(view{width: narrow.width, height: narrow.height, reduced: true})
	p.none("button", findField)
	p.press("button", "Menu")
	p.fits()
	p.accessible("the menu with the find field")
	p.press("button", findField)
	p.wait(inPalette)
	p.fits()
	p.accessible("the palette on a phone")
	p.key("\x1b")
	p.wait(`document.activeElement.matches(".sidebar .find-button")`)
	p.press("button", findField)
	p.press("option", "Songs Module")
	p.headed("Songs")
	p.none("navigation", "Modules")
}

// TestPaletteOfAMember: nobody is offered what they may not open, or asks the server for it.
func TestPaletteOfAMember(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.signedIn(person)
	sunday(h)
	p := visits(t, h)
	p.key("k", chromedp.ModifierCtrl)
	p.wait(inPalette)
	for _, offer := range p.offers() {
		if !strings.HasSuffix(offer, ": Module") && !strings.HasSuffix(offer, ": Page") {
			t.Errorf("a member is offered %q", offer)
		}
	}
	p.enter("combobox", "Search or go to", "permissions")
	p.hears("0 matches")
	for _, request := range h.requests() {
		if strings.Contains(request, "module-configuration") || strings.Contains(request, "module-lifecycle") {
			t.Errorf("asked %s", request)
		}
	}
}

// TestPaletteLooks: in both themes, on a phone, and in words that need more room or run the other way.
func TestPaletteLooks(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"", "de", "ar-XB"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			o := fill(t, setup(t))
			p := open(t, "about:blank", view{width: desktop.width, height: desktop.height, reduced: true})
			p.speak(o.house, language)
			p.do(chromedp.Navigate(o.URL))
			p.wait(`document.querySelector(".find-button")`)
			p.click(".banner > .find-button")
			p.wait(inPalette)
			p.wait(`document.querySelector("dialog[open] .options").innerText.includes("Rota")`)
			p.shows("palette"+language, language != "")
		})
	}
}
