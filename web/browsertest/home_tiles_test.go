package browsertest

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// tiles are contributions to Home, by module; each is the argument of its defineContribution.
var tiles = map[string]string{
	"notes": `{ title: (locale) => locale.startsWith("de") ? "Neueste Notiz" : "Latest note",
		async render(container, tools) {
			const show = async () => {
				const response = await tools.api("/latest");
				if (!response.ok) throw new Error("no");
				container.innerHTML = "<a href='#/m/" + tools.moduleId + "'></a>";
				container.firstChild.textContent = await response.json();
			};
			tools.refresh(show);
			await show();
			return () => { window.disposed = true; };
		} }`,
	"rota": `{ title: () => "My dates", render(container, { refresh, hide }) {
			const show = () => window.asked ? container.append("One request") : hide();
			refresh(show);
			show();
		} }`,
	"songs": `{ title: () => "Songs", render(container) {
			if (!window.mended) throw new Error("no songs");
			container.append("Two new ones");
		} }`,
	"stage": `{ title: () => "Stage", async render(container) { container.append("Sunday 10:00"); } }`,
}

// setTiles publishes the built module home with the tiles of these modules; the last module has none.
func setTiles(t *testing.T, h *fixture, modules ...string) {
	t.Helper()
	script, err := os.ReadFile("../../modules/home/ui/index.js")
	if err != nil {
		t.Fatal(err)
	}
	contributions := []object{}
	for _, id := range modules {
		contributions = append(contributions, object{"moduleId": id, "moduleVersion": "1.0.0", "id": id + ".tile",
			"version": "1.0.0", "capability": "home.tiles"})
		if tile, found := tiles[id]; found {
			h.handle("GET /api/v1/module-ui/"+id+"/1.0.0/contributions/"+id+".tile",
				func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/javascript")
					const contribution = `export default { narthex: "contribution", abi: 1, definition: %s };`
					_, _ = fmt.Fprintf(w, contribution, tile)
				})
		}
	}
	h.setSignedIn(person)
	h.setNavigation(nil, []object{module("home", "Home", object{"contributions": contributions}),
		module("notes", "Notes", nil)})
	h.setModuleScript("home", string(script))
	h.setModuleScript("notes", `container.textContent = "Here are the notes.";`)
	h.respond("GET /api/v1/modules/notes/latest", 200, `"Ruth has the key"`)
}

const seenAgain = `document.dispatchEvent(new Event("visibilitychange"))`

// cards are the texts of the visible cards.
const cards = `[...document.querySelectorAll("[data-module=home] .d-card")]
	.filter((card) => card.offsetHeight > 0)
	.map((card) => card.innerText.replaceAll(/\s*\n\s*/g, " / ")).join("; ")`

// TestHomeTiles: each tile has its card, and a failing tile does not affect the others. A tile that hides
// itself leaves no gap. All are refreshed each minute and when the page becomes visible again.
func TestHomeTiles(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	setTiles(t, h, "songs", "rota", "notes", "gone", "stage")
	p := openPage(t, "about:blank", desktop)
	p.onNewDocument(`const often = setInterval;
		window.setInterval = (run, after, ...more) =>
			often(run, after === 60000 && sessionStorage.hurried ? 100 : after, ...more);`)
	p.do(chromedp.Navigate(h.URL))
	want := func(what string) {
		t.Helper()
		p.waitUntil("the cards "+what, func() bool { return eval[string](p, cards) == what })
	}
	const failed = " / This cannot be shown just now. / Try again"
	want("Songs" + failed + "; Latest note / Ruth has the key; This cannot be shown just now. / Try again; " +
		"Stage / Sunday 10:00")
	p.waitFor(`(({ top, right }, next) => next.top === top && next.left - right === 12)(
		...[0, 2].map((n) => document.querySelectorAll("[data-module=home] .d-card")[n].getBoundingClientRect()))`)
	p.assertAccessible("tiles, of which some have failed")

	p.runScript(`window.mended = true`)
	p.runScript(`document.querySelector("[data-module=home] .failed button").focus()`)
	p.key("\r")
	p.waitFor(`document.activeElement.innerText === "Songs"`) // the focus is not lost with the button
	h.respond("GET /api/v1/modules/notes/latest", 503, `{"code":"MODULE_UNAVAILABLE"}`)
	p.runScript(`window.asked = true; ` + seenAgain)
	want("Songs / Two new ones; My dates / One request; " +
		"Latest note / Ruth has the key / This may not be up to date. / Try again; " +
		failed[3:] + "; Stage / Sunday 10:00")
	h.respond("GET /api/v1/modules/notes/latest", 200, `"Jane has the key"`)
	p.click("button", "Try again")
	p.waitForText("Jane has the key")
	p.click("link", "Jane has the key")
	p.waitForHeading("Notes")
	p.waitFor(`window.disposed`)

	p.runScript(`sessionStorage.hurried = "yes"; window.asked = false`)
	p.do(chromedp.NavigateBack()) // a card that was hidden reserves no space until it has content
	p.waitForText("Jane has the key")
	before := h.countRequests("GET /api/v1/modules/notes/latest")
	p.waitUntil("the minutes go by", func() bool {
		return h.countRequests("GET /api/v1/modules/notes/latest") > before+2
	})

	setTiles(t, h, "rota")
	p.do(chromedp.Reload())
	p.waitForHome()
	p.waitFor(`document.querySelector("[data-module=home]") && !document.querySelector("main [aria-busy]")`)
	want("") // a hidden tile leaves no gap between the greeting and the links
	p.waitFor(`document.querySelector("[data-module=home]").offsetHeight === 0 &&
		document.querySelector(".host-home > section").offsetTop -
		document.querySelector(".host-greeting").offsetTop -
		document.querySelector(".host-greeting").offsetHeight === 24`)
	setTiles(t, h)
	p.do(chromedp.Reload())
	p.waitForHome()
	p.waitFor(`document.querySelector("[data-module=home]:empty")`)
}

// TestHomeTilesLooks checks the tiles in every size and theme, right to left, and in German.
func TestHomeTilesLooks(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	setNamedHouse(h)
	setTiles(t, h, "songs", "notes", "stage")
	for _, language := range []string{"en", "de", "ar-XB"} {
		p := openPage(t, "about:blank", desktop)
		p.setLanguage(language)
		p.do(chromedp.Navigate(h.URL))
		p.waitFor(`document.querySelector("[data-module=home] .failed")`)
		p.waitForText("Ruth has the key")
		p.assertScreen(fmt.Sprint("home-tiles-", language), language != "en")
	}
}
