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

// TestPalettes opens the palette in a house whose modules are in groups.
func TestPalettes(t *testing.T) {
	t.Parallel()
	d := startNamedHouse(t)
	for name, test := range map[string]func(t *testing.T, d *devServer){
		"Palette":  testPalette,
		"ByField":  testPaletteByField,
		"OfMember": testPaletteOfAMember,
		"Looks":    testPaletteLooks,
		"Forced":   testPaletteForced,
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "Palette", "ByField", "OfMember")
			t.Parallel()
			test(t, d)
		})
	}
}

// paletteOf is a front for a person with these permissions.
func (d *devServer) paletteOf(t *testing.T, permissions ...string) *fixture {
	t.Helper()
	h := d.front(t)
	h.session = d.signIn(t, d.member(t, "Ada", permissions...))
	return h
}

// openPalette opens a page on the second of two modules.
func (h *fixture) openPalette() *tab {
	h.t.Helper()
	p := h.open("/#/m/stage", view{width: desktop.width, height: desktop.height, reduced: true})
	p.waitForHeading("Stage")
	p.click("link", "Calendar")
	p.waitForHeading("Calendar")
	return p
}

// testPalette: a person reaches a module's settings by keyboard alone. Recently visited places are first;
// Escape returns to the previous place.
func testPalette(t *testing.T, d *devServer) {
	p := d.paletteOf(t, everyPermission...).openPalette()
	p.key("k", chromedp.ModifierCtrl)
	p.waitFor(inPalette)
	p.waitFor(`document.querySelector("dialog[open] .d-options").innerText.includes("Settings")`)
	want := []string{"Stage: Module", "Home: Page", "Rota: Module", "Announcements: Module", "Calendar: Module",
		"Checklists: Module", "Modules: Administration", "Permissions: Administration",
		"Navigation: Administration", "Screens: Administration", "House: Administration",
		"Announcements: Settings", "Calendar: Settings", "Checklists: Settings", "Countdown: Settings",
		"Home: Settings", "Rota: Settings", "Stage: Settings", "Account: Page"}
	if got := p.paletteEntries(); !slices.Equal(got, want) {
		t.Errorf("the palette offers %q, want %q", got, want)
	}
	p.assertAccessible("the palette")
	p.key("\x1b")
	p.waitFor(noPalette)
	p.waitFor(`document.activeElement.innerText === "Calendar" && document.activeElement.tagName === "H1"`)

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
	p.enter("combobox", "Search or go to", "settings rota")
	p.waitForAnnouncement("1 match")
	p.key("\r")
	p.waitFor(noPalette)
	p.waitFor(`location.hash === "#/admin/modules/rota/settings"`)
}

// testPaletteByField: the palette opens from the find field of the header, and from the first line of the
// menu on a phone.
func testPaletteByField(t *testing.T, d *devServer) {
	p := d.paletteOf(t).openPalette()
	p.click("button", findField)
	p.waitFor(inPalette)
	const selected = `document.querySelector("dialog[open] [aria-selected=true]").innerText`
	p.waitFor(selected + `.startsWith("Stage")`)
	p.key(kb.ArrowDown)
	p.waitFor(selected + `.startsWith("Home")`)
	p.key(kb.ArrowUp)
	p.waitFor(selected + `.startsWith("Stage")`)
	p.enter("combobox", "Search or go to", "sta")
	p.waitFor(selected + `.startsWith("Stage")`)
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
	p.click("option", "Calendar Module")
	p.waitForHeading("Calendar")
	p.waitForNone("navigation", "Modules")
}

// testPaletteOfAMember: the palette neither offers nor requests what a person may not open.
func testPaletteOfAMember(t *testing.T, d *devServer) {
	h := d.paletteOf(t)
	p := h.openPalette()
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

// testPaletteLooks checks the palette in both themes, on a phone, and in languages with longer words or the
// other direction.
func testPaletteLooks(t *testing.T, d *devServer) {
	for _, language := range few("", "de", "ar-XB") {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			h := d.paletteOf(t, everyPermission...)
			p := openPage(t, "about:blank", view{width: desktop.width, height: desktop.height, reduced: true})
			p.setLanguage(language)
			h.load(p, "/")
			p.waitFor(`document.querySelector(".host-find-button")`)
			p.clickSelector(".host-banner > .host-find-button")
			p.waitFor(inPalette)
			p.waitFor(`document.querySelectorAll("dialog[open] [role=option]").length === 17`) // with the settings
			p.assertScreen("palette"+language, language != "")
		})
	}
}

// testPaletteForced: in forced colours all text of the selected option has the colour that belongs to its
// background.
func testPaletteForced(t *testing.T, d *devServer) {
	p := d.paletteOf(t).open("/", desktop)
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
	leaveToProof(t, "it measures a rare name")
	t.Parallel()
	d := startHouse(t)
	d.call(t, "PUT", "/api/v1/house", object{"name": "Evangelische Kirchengemeinde Lindenhof am Wasserturm",
		"accent": "plum", "language": "de", "timeZone": nil, "secondFactor": "optional", "rev": 0})
	p := d.openAs(t, d.member(t, "Ada", manageNotices), "/#/m/announcements", desktop)
	takeDown(p)
	p.waitForAnnouncement("Welcome is taken down")
	p.waitForText("Lindenhof")
	for _, v := range []view{desktop, {width: 700, height: 800}, phone, narrow} {
		p.setView(v)
		p.waitFor(`document.querySelector(".host-brand bdi").getBoundingClientRect().height <= 40`)
		p.waitFor(`document.querySelector(".host-banner").getBoundingClientRect().height <= 56`)
		p.waitFor(`document.querySelector(".d-toast").getBoundingClientRect().left >= ` +
			`document.querySelector("main").getBoundingClientRect().left`)
	}
}
