package browsertest

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// emulate sets the medium and the preferences of a tab.
func (p *tab) emulate(medium string, features ...*emulation.MediaFeature) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Media: medium, Features: features})
		return err
	}))
}

// cutOnPaper lists what paper cannot show: text that a screen would scroll or shorten.
const cutOnPaper = `[...document.querySelectorAll("body *")].filter((element) =>
	element instanceof HTMLElement && !element.matches("input, textarea, select, .d-unseen, .screen *") &&
	element.checkVisibility() && getComputedStyle(element).overflow !== "visible" &&
	(element.scrollHeight > element.clientHeight + 2 || element.scrollWidth > element.clientWidth + 2)
).map((element) => element.className + " " + element.innerText.slice(0, 60)).slice(0, 5).join("; ")`

// TestPrintedPages: paper has what the screen says, all of it, dark on white, and nothing that only a screen
// can do: no navigation, no buttons of rows.
func TestPrintedPages(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	d.exec(t, `UPDATE module_calendar.events
		SET title = title || ', with all who want to come and can bring a cake'`)
	addresses := d.houseAddresses(t)
	wide := view{width: 1024, height: 700, dark: true, reduced: true}
	p := d.openAs(t, "owner@example.org", "/#/account", wide)
	p.find("button", "Save name")
	p.emulate("print", &emulation.MediaFeature{Name: "prefers-color-scheme", Value: "dark"})
	screens := screensOfHouse
	if testing.Short() {
		screens = []string{"", "admin/people", "m/announcements", "m/calendar", "m/rota"}
	}
	for _, path := range screens {
		p.runScript(`location.hash = "#/` + addresses.Replace(path) + `"`)
		p.waitFor(`document.querySelector("main h1") && document.activeElement.tagName === "H1" &&
			!document.querySelector("main [aria-busy=true], main .d-skeleton")`)
		if cut := eval[string](p, cutOnPaper); cut != "" {
			t.Errorf("%q: cut off: %s", path, cut)
		}
		shown := eval[string](p, `[...document.querySelectorAll(
			".host-sidebar, .host-find-button, .d-actions button")].filter((element) => element.checkVisibility())
			.map((element) => element.outerHTML.slice(0, 80)).join(" ")`)
		if shown != "" {
			t.Errorf("%q: only for a screen: %s", path, shown)
		}
		p.assertFits()
		p.screenshot("printed-" + strings.ReplaceAll(path, "/", "-"))
	}
	if colour := eval[string](p, `getComputedStyle(document.body).color`); colour != "rgb(30, 28, 24)" {
		t.Errorf("the text of a dark page is printed as %s, want the light theme's", colour)
	}
}

// TestCopiedTable: what is copied out of a table comes into a spreadsheet as its rows and cells.
func TestCopiedTable(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	d.addPerson(t, "anna@example.org", "Anna <b>Berg</b>")
	p := d.openAs(t, "owner@example.org", "/#/admin/people", desktop)
	p.waitForText("Anna <b>Berg</b>")
	p.runScript(`addEventListener("copy", ({ clipboardData }) => {
		const page = new DOMParser().parseFromString(clipboardData.getData("text/html"), "text/html");
		window.copied = [clipboardData.getData("text/plain"), [...page.querySelectorAll("tr")].map((row) =>
			[...row.cells].map((cell) => cell.textContent).join("\t")).join("\n")];
	}); getSelection().selectAllChildren(document.querySelector("main tbody"))`)
	p.do(chromedp.KeyEvent("c", func(event *input.DispatchKeyEventParams) {
		event.Modifiers, event.Commands = int64(chromedp.ModifierCtrl), []string{"copy"}
	}))
	copied := eval[[]string](p, `copied`)
	for _, text := range copied {
		rows := strings.Split(text, "\n")
		if len(rows) != 2 || !strings.HasPrefix(text, "Anna <b>Berg</b>, anna@example.org\t") ||
			strings.Count(rows[1], "\t") != strings.Count(rows[0], "\t") || strings.Contains(text, "More for") {
			t.Errorf("copied %q, want a row for each person, and one cell for each of theirs", text)
		}
	}
}
