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

// paletteEntries returns the rows of the open palette, each with its kind.
func (p *tab) paletteEntries() []string {
	p.t.Helper()
	return eval[[]string](p, `[...document.querySelectorAll("dialog[open] [role=option]")]
		.map((row) => row.innerText.trim().split(/\s*\n\s*/).join(": "))`)
}

// openPalette gives the person three modules, and returns a page on the second of them.
func openPalette(t *testing.T, h *fixture) *tab {
	t.Helper()
	for _, id := range []string{"stage", "songs", "rota"} {
		h.setModuleScript(id, `container.textContent = "This is " + context.module.id;`)
	}
	p := openPage(t, h.URL+"/#/m/stage", view{width: desktop.width, height: desktop.height, reduced: true})
	p.waitForHeading("Stage")
	p.click("link", "Songs")
	p.waitForHeading("Songs")
	return p
}

// TestPalette: a person reaches a module's settings by keyboard alone. Recently visited places are first;
// Escape returns to the previous place.
func TestPalette(t *testing.T) {
	t.Parallel()
	o := setModulesFixture(t, newFixture(t))
	p := openPalette(t, o.fixture)
	p.key("k", chromedp.ModifierCtrl)
	p.waitFor(inPalette)
	p.waitFor(`document.querySelector("dialog[open] .d-options").innerText.includes("Rota")`)
	want := []string{"Stage: Module", "Home: Page", "Songs: Module", "Modules: Administration",
		"Permissions: Administration", "Navigation: Administration", "Screens: Administration",
		"House: Administration", "Rota: Settings", "Account: Page"}
	if got := p.paletteEntries(); !slices.Equal(got, want) {
		t.Errorf("the palette offers %q, want %q", got, want)
	}
	p.assertAccessible("the palette")
	p.key("\x1b")
	p.waitFor(noPalette)
	p.waitFor(`document.activeElement.innerText === "Songs" && document.activeElement.tagName === "H1"`)

	p.key("k", chromedp.ModifierMeta)
	p.waitFor(inPalette)
	p.key("k", chromedp.ModifierCtrl) // pressing it again opens no second palette
	p.enter("combobox", "Search or go to", "settings ro")
	p.waitForAnnouncement("1 match")
	p.assertAccessible("the palette with a search")
	p.enter("combobox", "Search or go to", "nowhere")
	p.waitForAnnouncement("0 matches")
	p.waitForText("Nothing matches.")
	p.key("\r")
	p.assertAccessible("the palette without a match")
	p.enter("combobox", "Search or go to", "rota")
	p.waitForAnnouncement("1 match")
	p.key("\r")
	p.waitFor(noPalette)
	p.waitFor(`location.hash === "#/admin/modules/rota/settings"`)
}

// TestPaletteByField: the palette opens from the find field of the header, and from the first line of the
// menu on a phone.
func TestPaletteByField(t *testing.T) {
	t.Parallel()
	o := setModulesFixture(t, newFixture(t))
	p := openPalette(t, o.fixture)
	p.click("button", findField)
	p.waitFor(inPalette)
	p.enter("combobox", "Search or go to", "s")
	p.waitFor(`document.querySelector("dialog[open] [aria-selected=true]").innerText.startsWith("Stage")`)
	p.key(kb.ArrowDown)
	p.waitFor(`document.querySelector("dialog[open] [aria-selected=true]").innerText.startsWith("Songs")`)
	p.key(kb.ArrowUp)
	p.key("\r")
	p.waitForHeading("Stage")
	p.click("button", findField)
	p.waitFor(inPalette)
	p.key("\x1b")
	p.waitFor(noPalette)
	p.waitFor(`document.activeElement.matches(".host-banner > .host-find-button")`)

	p.setView(view{width: narrow.width, height: narrow.height, reduced: true})
	p.waitForNone("button", findField)
	p.click("button", "Menu")
	p.assertFits()
	p.assertAccessible("the menu with the find field")
	p.click("button", findField)
	p.waitFor(inPalette)
	p.assertFits()
	p.assertAccessible("the palette on a phone")
	p.key("\x1b")
	p.waitFor(`document.activeElement.matches(".host-sidebar .host-find-button")`)
	p.click("button", findField)
	p.click("option", "Songs Module")
	p.waitForHeading("Songs")
	p.waitForNone("navigation", "Modules")
}

// TestPaletteOfAMember: the palette neither offers nor requests what a person may not open.
func TestPaletteOfAMember(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	setSunday(h)
	p := openPalette(t, h)
	p.key("k", chromedp.ModifierCtrl)
	p.waitFor(inPalette)
	for _, offer := range p.paletteEntries() {
		if !strings.HasSuffix(offer, ": Module") && !strings.HasSuffix(offer, ": Page") {
			t.Errorf("a member is offered %q", offer)
		}
	}
	p.enter("combobox", "Search or go to", "permissions")
	p.waitForAnnouncement("0 matches")
	for _, request := range h.requests() {
		if strings.Contains(request, "module-configuration") || strings.Contains(request, "module-lifecycle") {
			t.Errorf("asked %s", request)
		}
	}
}

// TestPaletteLooks checks the palette in both themes, on a phone, and in languages with longer words or the
// other direction.
func TestPaletteLooks(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"", "de", "ar-XB"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			o := setModulesFixture(t, newFixture(t))
			p := openPage(t, "about:blank", view{width: desktop.width, height: desktop.height, reduced: true})
			p.setLanguage(language)
			p.do(chromedp.Navigate(o.URL))
			p.waitFor(`document.querySelector(".host-find-button")`)
			p.clickSelector(".host-banner > .host-find-button")
			p.waitFor(inPalette)
			p.waitFor(`document.querySelector("dialog[open] .d-options").innerText.includes("Rota")`)
			p.assertScreen("palette"+language, language != "")
		})
	}
}

// TestPaletteForced: in forced colours all text of the selected option has the colour that belongs to its
// background.
func TestPaletteForced(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	h.setNavigation(nil, []object{module("stage", "Stage", nil)})
	p := openPage(t, h.URL, desktop)
	p.waitForHome()
	p.forceColors()
	p.key("k", chromedp.ModifierCtrl)
	p.key("stage")
	p.waitFor(`(() => {
		const option = document.querySelector(".host-palette [aria-selected=true]");
		const colour = (element) => getComputedStyle(element).color;
		const chosen = document.createElement("i");
		chosen.style = "forced-color-adjust: none; color: HighlightText; background: Highlight";
		option.before(chosen);
		const ground = getComputedStyle(chosen).backgroundColor;
		chosen.remove();
		return colour(option) !== ground && getComputedStyle(option).backgroundColor === ground &&
			[...option.querySelectorAll("*")].every((part) => colour(part) === colour(option));
	})()`)
}

// TestLongHouseName: a long name of the house takes two lines of the header, and toasts are placed over the
// content, not the sidebar.
func TestLongHouseName(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.respond("GET /api/v1/house", 200,
		`{"name":"Evangelische Kirchengemeinde Lindenhof am Wasserturm","accent":"plum","language":"de","rev":1}`)
	h.setSignedIn(person)
	h.setNavigation(nil, []object{module("stage", "Stage", nil)})
	h.setModuleScript("stage", `container.textContent = "On stage."; context.announce("Moved.");`)
	p := openPage(t, h.URL+"/#/m/stage", desktop)
	p.waitForAnnouncement("Moved.")
	p.waitForText("Lindenhof")
	for _, v := range []view{desktop, {width: 700, height: 800}, phone, narrow} {
		p.setView(v)
		p.waitFor(`document.querySelector(".host-brand bdi").getBoundingClientRect().height <= 40`)
		p.waitFor(`document.querySelector(".host-banner").getBoundingClientRect().height <= 56`)
		p.waitFor(`document.querySelector(".d-toast").getBoundingClientRect().left >= ` +
			`document.querySelector("main").getBoundingClientRect().left`)
	}
}
