package browsertest

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// countsShifts adds up how far what a page has shown moved without the person (Layout Instability API), and
// records what moved.
const countsShifts = `
	const later = setTimeout;
	window.setTimeout = (run, after, ...more) => {
		if (after === 3000) return 0; // Home's links wait for the tiles, however slow this machine is
		return later(run, after === 300 ? 0 : after, ...more); // skeletons appear at once
	};
	window.shifted = 0;
	window.movements = [];
	new PerformanceObserver((list) => {
		for (const { value, sources } of list.getEntries()) {
			shifted += value;
			const places = sources.map(({ node, previousRect: from, currentRect: to }) =>
				(node?.nodeName ?? "?") + "." + (node?.className ?? "") + " " +
				[from.x, from.y, from.width, from.height] + " to " + [to.x, to.y, to.width, to.height]);
			movements.push(value.toFixed(3) + ": " + places.join("; "));
		}
	}).observe({ type: "layout-shift", buffered: true });`

// nothing is an address of the house at which no page begins.
const nothing = "/assets/service-dashboard/app.js"

// delayed makes every response of a tab late, so that the page is painted in each of its states.
func (p *tab) delayed() {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if _, err := cdp.Call(ctx, t, network.Enable, network.EnableParams{}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, t, network.EmulateNetworkConditionsByRule,
			network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{
				{Latency: 150, DownloadThroughput: -1, UploadThroughput: -1},
			}})
		return err
	}))
}

// TestNothingMoves: while a page loads, at the first visit and at later ones, what it already shows stays in
// its place.
func TestNothingMoves(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	session := d.signedInOwner(t)
	const most = 0.02
	for name, v := range map[string]view{"desktop": desktop, "phone": phone} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for path, place := range map[string]string{
				"/":                  "main .host-doorways",
				"/#/m/rota/mine":     "[data-module=rota]",
				"/#/m/rota":          "[data-module=rota]",
				"/#/m/calendar":      "[data-module=calendar]",
				"/#/m/announcements": "[data-module=announcements]",
				"/#/m/stage":         "[data-module=stage]",
				"/#/admin/people":    "main .d-table tbody",
				"/#/account":         "main .host-settings",
			} {
				p := d.openIn(t, chromium, session, nothing, v)
				p.onNewDocument(countsShifts)
				p.delayed()
				for _, visit := range []string{"first", "second"} {
					if visit == "first" {
						p.do(chromedp.Navigate(d.address + path))
					} else {
						p.do(chromedp.Reload())
					}
					p.waitFor(`document.querySelector("` + place + `")?.innerText.length > 20 &&
						!document.querySelector("main [aria-busy=true]")`)
					p.runScript(`await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))`)
					if moved := eval[float64](p, "shifted"); moved > most {
						t.Errorf("%s, %s visit: layout shift %.3f, want at most %.2f:\n%s", path, visit, moved, most,
							eval[string](p, `movements.join("\n")`))
					}
				}
			}
		})
	}
}

// TestTrips: four trips lie between an address and its list: page, navigation, artifact, data. Neither the
// page's script nor one of these is on the way of what does not need it.
func TestTrips(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	session := d.signedInOwner(t)
	start := []string{"GET /api/v1/principal", "GET /api/v1/house", "GET /api/v1/account",
		"GET /api/v1/dashboard/navigation"}
	const artifacts = "GET /api/v1/module-ui/"
	for name, row := range map[string]struct {
		path, before string // an address, and what the browser has stored before
		artifacts    []string
		shown        string
	}{
		"module": {"/#/m/rota/mine", "", []string{artifacts + "rota/1.0.0"}, `[data-module=rota] p`},
		"home": {"/", `localStorage["narthex.frame"] = "columns"`, []string{
			artifacts + "home/1.0.0",
			artifacts + "announcements/1.0.0/contributions/announcements.tile",
			artifacts + "calendar/1.0.0/contributions/calendar.tile",
			artifacts + "rota/1.0.0/contributions/rota.tile",
			artifacts + "stage/1.0.0/contributions/stage.tile",
		}, `.host-doorway`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := d.front(t)
			h.session = session
			p := openPage(t, "about:blank", desktop)
			p.setSession(h)
			p.do(chromedp.Navigate(h.URL + nothing))
			p.runScript(row.before)
			p.blockURLs("*://*:*/assets/*")
			p.do(chromedp.Navigate(h.URL + row.path))
			for _, route := range append(start, row.artifacts...) {
				p.waitUntil(route+" without the script", func() bool { return h.countRequests(route) == 1 })
			}

			p.blockURLs()
			p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(h.URL+row.path))
			p.waitFor(fmt.Sprintf("document.querySelector(%q)", row.shown))
			for _, route := range row.artifacts {
				if n := h.countRequests(route); n != 2 {
					t.Errorf("%s: %d requests of two pages, want one of each", route, n)
				}
			}
		})
	}
}

// blockURLs blocks the requests of a tab that match a pattern, and no others.
func (p *tab) blockURLs(patterns ...string) {
	p.t.Helper()
	blocked := network.SetBlockedURLsParams{}
	for _, pattern := range patterns {
		blocked.URLPatterns = append(blocked.URLPatterns, &network.BlockPattern{URLPattern: pattern, Block: true})
	}
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if _, err := cdp.Call(ctx, t, network.Enable, network.EnableParams{}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, t, network.SetBlockedURLs, blocked)
		return err
	}))
}
