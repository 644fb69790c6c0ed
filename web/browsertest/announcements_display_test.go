package browsertest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// fetchInPage sends a request as the person signed in on this page, and stores the response in window.answer.
func (p *tab) fetchInPage(method, path, body string) {
	p.t.Helper()
	p.runScript(fmt.Sprintf(`
		window.answer = undefined;
		window.began = Date.now();
		const sent = { method: %q, body: %q || undefined, headers: { "Content-Type": "application/json" } };
		const response = await fetch(%q, sent);
		if (!response.ok) throw new Error(response.status + " " + (await response.text()));
		window.answer = response.status === 204 ? null : await response.json();`, method, body, path))
}

// TestAnnouncementsOnAScreen: a paired screen shows the board of the real platform, follows edits and "Show
// now", and keeps its content inside its frame. The delays are logged and not asserted.
func TestAnnouncementsOnAScreen(t *testing.T) {
	d := start(t)
	p := openPage(t, d.address+"/#/m/announcements", desktop)
	p.submit("owner@example.org", d.password)
	p.find("link", "Welcome")

	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	screen := &tab{t: t, ctx: ctx}
	screen.setView(landscape)
	screen.onNewDocument(hurried)
	screen.do(chromedp.Navigate(d.address + "/display/announcements"))
	p.fetchInPage("POST", "/api/v1/device-pairing/"+screen.pairingCode()+"/approve", `{"label":"Foyer"}`)
	screen.waitFor(`document.querySelector(".stage .slide")`)

	const slides = "/api/v1/modules/announcements/slides"
	p.fetchInPage("POST", slides, `{"title":"0","enabled":true}`)
	id := eval[string](p, `answer.id`)
	p.fetchInPage("POST", slides+"/"+id+"/show", `{}`)
	const title = `[...document.querySelectorAll(".stage .slide-title")].at(-1)?.textContent`
	screen.waitFor(title + ` === "0"`)
	p.waitFor(`[...document.querySelectorAll(".now .slide-title")].at(-1)?.textContent === "0"`) // also the tile
	screen.runScript(`
		window.painted = {};
		window.faint = []; // what is corrected where it stands does not fade
		new MutationObserver(() => {
			const shown = ` + title + `;
			const slide = [...document.querySelectorAll(".stage .slide")].at(-1);
			requestAnimationFrame(() => setTimeout(() => {
				painted[shown] ??= Date.now();
				if (getComputedStyle(slide).opacity !== "1") faint.push(shown);
			}));
		}).observe(document.querySelector(".host-stage"), { childList: true, subtree: true })`)
	var took []int64
	const edits = 40
	for n := range edits {
		p.fetchInPage("PUT", slides+"/"+id, fmt.Sprintf(`{"title":"%d","enabled":true,"rev":%d}`, n+1, n+1))
		at := fmt.Sprintf(`painted["%d"]`, n+1)
		screen.waitFor(at)
		took = append(took, eval[int64](screen, at)-eval[int64](p, `began`))
	}
	// If another slide was shown in between, the next one may fade in.
	if faint := eval[[]string](screen, `faint`); len(faint) > edits/4 {
		t.Errorf("the corrections %q fade in, want them to be there at once", faint)
	}
	slices.Sort(took)
	t.Logf("from the request that publishes to the painted screen, ms: p50 %d, p95 %d, worst %d",
		took[edits/2], took[edits*95/100], took[edits-1])
	p.fetchInPage("DELETE", slides+"/"+id, "")
	screen.waitFor(title + ` !== "` + fmt.Sprint(edits) + `"`)
	screen.screenshot("announcements-on-a-screen")
}
