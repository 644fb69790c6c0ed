package browsertest

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
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

// startTiles starts "narthex dev" with Home, Notes, and modules that contribute these tiles.
func startTiles(t *testing.T, modules ...string) *devServer {
	t.Helper()
	folder := install(t, "../../modules/home", "./testdata/notes")
	files := map[string]string{"notes/ui/index.js": mounting(`container.textContent = "Here are the notes.";`)}
	for _, id := range modules {
		files[id+"/module.json"] = fmt.Sprintf(testManifest, id, id, fmt.Sprintf(`"contributions": [
			{ "id": "%[1]s.tile", "version": "1.0.0", "capability": "home.tiles", "range": "^1.0.0",
				"artifact": "tile.js" }]`, id))
		files[id+"/tile.js"] = fmt.Sprintf(`export default { narthex: "contribution", abi: 1, definition: %s };`,
			cmp.Or(tiles[id], "{}"))
	}
	if slices.Contains(modules, "notes") { // it has a server and a UI, too
		manifest, err := os.ReadFile("testdata/notes/module.json")
		if err != nil {
			t.Fatal(err)
		}
		_, contributions, _ := strings.Cut(files["notes/module.json"], `"contributions"`)
		files["notes/module.json"] = strings.Replace(string(manifest), "\n}", `, "contributions"`+contributions, 1)
	}
	writeModules(t, folder, files)
	return startIn(t, folder)
}

const seenAgain = `document.dispatchEvent(new Event("visibilitychange"))`

// cards are the texts of the visible cards.
const cards = `[...document.querySelectorAll("[data-module=home] .d-card")]
	.filter((card) => card.offsetHeight > 0)
	.map((card) => card.innerText.replaceAll(/\s*\n\s*/g, " / ")).join("; ")`

// TestHomeTiles: each tile has its card, and a failing tile does not affect the others. A tile that hides
// itself leaves no gap. All are refreshed every 15 s and when the page becomes visible again. Tiles that come
// and go do so without a reload.
func TestHomeTiles(t *testing.T) {
	t.Parallel()
	d := startTiles(t, "songs", "rota", "notes", "gone", "stage")
	h := d.front(t)
	h.session = d.signIn(t, d.member(t, "Ada"))
	h.respond("GET /api/v1/module-ui/gone/1.0.0/contributions/gone.tile", 404, `{"code":"NOT_FOUND"}`)
	const hurry = `const often = setInterval;
		window.setInterval = (run, after, ...more) =>
			often(run, after === 15000 && sessionStorage.hurried ? 100 : after, ...more);`
	p := openPage(t, "about:blank", desktop)
	p.onNewDocument(hurry)
	h.load(p, "/")
	want := func(what string) {
		t.Helper()
		p.waitUntil("the cards "+what, func() bool { return eval[string](p, cards) == what })
	}
	const failed = " / This cannot be shown just now. / Try again"
	want(failed[3:] + "; Latest note / Ruth has the key; Songs" + failed + "; Stage / Sunday 10:00")
	p.waitFor(`(({ top, right }, next) => next.top === top && next.left - right === 12)(
		...[0, 1].map((n) => document.querySelectorAll("[data-module=home] .d-card")[n].getBoundingClientRect()))`)
	p.assertAccessible("tiles, of which some have failed")

	p.runScript(`window.mended = true`)
	p.runScript(`document.querySelectorAll("[data-module=home] .failed button")[1].focus()`)
	p.key("\r")
	p.waitFor(`document.activeElement.innerText === "Songs"`) // the focus is not lost with the button
	h.respond("GET /api/v1/modules/notes/latest", 503, `{"code":"MODULE_UNAVAILABLE"}`)
	p.runScript(`window.asked = true; ` + seenAgain)
	want(failed[3:] + "; Latest note / Ruth has the key / This may not be up to date. / Try again; " +
		"My dates / One request; Songs / Two new ones; Stage / Sunday 10:00")
	h.restore("GET /api/v1/modules/notes/latest")
	d.send(t, d.signedInOwner(t), "PUT", "/api/v1/modules/notes/latest", strings.NewReader(`"Jane has the key"`))
	p.runScript(`[...document.querySelectorAll("[data-module=home] .d-card")]
		.find((card) => card.innerText.includes("Ruth")).querySelector("button").click()`)
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

	const navigation = "GET /api/v1/dashboard/navigation"
	h.handle(navigation, func(w http.ResponseWriter, r *http.Request) { // as if the modules were switched off
		r.Header.Set("Accept-Encoding", "identity")
		answer := httptest.NewRecorder()
		h.platform.ServeHTTP(answer, r)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, contributed.ReplaceAllLiteralString(answer.Body.String(), `"contributions":[]`))
	})
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitUntil("no card", func() bool { return eval[string](p, cards) == "" })
	h.restore(navigation)
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForText("Jane has the key")
}

var contributed = regexp.MustCompile(`"contributions":\[\{.*?\}\]`)

// TestHomeWithoutTiles: a hidden tile leaves no gap between the greeting and the links, nor does the module
// if there is no tile.
func TestHomeWithoutTiles(t *testing.T) {
	leaveToProof(t, "it needs two platforms of its own; TestHomeTiles has the tiles")
	t.Parallel()
	d := startTiles(t, "rota")
	p := d.openAs(t, d.member(t, "Ada"), "/", desktop)
	p.waitForHome()
	p.waitFor(`document.querySelector("[data-module=home]") && !document.querySelector("main [aria-busy]")`)
	p.waitUntil("no card", func() bool { return eval[string](p, cards) == "" })
	p.waitFor(`document.querySelector("[data-module=home]").offsetHeight === 0 &&
		document.querySelector(".host-home > section").offsetTop -
		document.querySelector(".host-greeting").offsetTop -
		document.querySelector(".host-greeting").offsetHeight === 24`)
	d = startTiles(t)
	p = d.openAs(t, d.member(t, "Ada"), "/", desktop)
	p.waitForHome()
	p.waitFor(`document.querySelector("[data-module=home]:empty")`)
}

// TestHomeTilesLooks checks the tiles in every size and theme, right to left, and in German.
func TestHomeTilesLooks(t *testing.T) {
	leaveToProof(t, "it opens Home in each language")
	t.Parallel()
	d := startTiles(t, "songs", "notes", "stage")
	h := d.front(t)
	h.session = d.signIn(t, d.member(t, "Ada"))
	for _, language := range []string{"en", "de", "ar-XB"} {
		p := openPage(t, "about:blank", desktop)
		p.setLanguage(language)
		h.load(p, "/")
		p.waitFor(`document.querySelector("[data-module=home] .failed")`)
		p.waitForText("Ruth has the key")
		p.assertScreen(fmt.Sprint("home-tiles-", language), language != "en")
	}
}
