package browsertest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
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
// its place, in a house with content and in an empty one.
func TestNothingMoves(t *testing.T) {
	t.Parallel()
	full, empty := startHouse(t), startHouse(t)
	empty.exec(t, `DELETE FROM module_announcements.slides`)
	empty.exec(t, `DELETE FROM module_calendar.events`)
	empty.exec(t, `DELETE FROM module_stage.services`)
	const places = `[data-module=%s]`
	lists := map[string]string{
		"/#/m/rota":          fmt.Sprintf(places, "rota"),
		"/#/m/calendar":      fmt.Sprintf(places, "calendar"),
		"/#/m/announcements": fmt.Sprintf(places, "announcements"),
		"/#/m/stage":         fmt.Sprintf(places, "stage"),
	}
	all := map[string]string{
		"/":               "main .host-doorways",
		"/#/m/rota/mine":  fmt.Sprintf(places, "rota"),
		"/#/admin/people": "main .d-table tbody",
		"/#/account":      "main .host-settings",
	}
	maps.Copy(all, lists)
	for name, row := range map[string]struct {
		d      *devServer
		v      view
		places map[string]string // an address, and where its content will be
	}{
		"desktop":      {full, desktop, all},
		"phone":        {full, phone, all},
		"empty, phone": {empty, phone, lists},
	} {
		session := row.d.signedInOwner(t)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for path, place := range row.places {
				testNothingMoves(t, row.d.openIn(t, chromium, session, nothing, row.v), row.d.address+path, place)
			}
		})
	}
}

func testNothingMoves(t *testing.T, p *tab, address, place string) {
	t.Helper()
	const most = 0.02
	p.onNewDocument(countsShifts)
	p.delayed()
	for _, visit := range []string{"first", "second"} {
		if visit == "first" {
			p.do(chromedp.Navigate(address))
		} else {
			p.reload()
		}
		p.waitFor(`document.querySelector("` + place + `")?.innerText.length > 20 &&
			!document.querySelector("main [aria-busy=true]")`)
		p.runScript(`await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))`)
		if moved := eval[float64](p, "shifted"); moved > most {
			t.Errorf("%s, %s visit: layout shift %.3f, want at most %.2f:\n%s", address, visit, moved, most,
				eval[string](p, `movements.join("\n")`))
		}
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
		// Nothing is stored: some browsers forget it after a week, and keep the session.
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
			p.onNewDocument(`window.setInterval = () => 0`) // nothing is read again while the page is open
			p.setSession(h)
			p.do(chromedp.Navigate(h.URL + nothing))
			p.runScript(row.before)
			p.blockURLs("*://*:*/assets/*")
			p.do(chromedp.Navigate(h.URL + row.path))
			routes := slices.Concat(start, row.artifacts)
			for _, route := range routes {
				p.waitUntil(route+" without the script", func() bool { return h.countRequests(route) == 1 })
			}

			p.blockURLs()
			p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(h.URL+row.path))
			p.waitFor(fmt.Sprintf("document.querySelector(%q)", row.shown))
			for _, route := range routes {
				if n := h.countRequests(route); n != 2 {
					t.Errorf("%s: %d requests of two pages, want one of each", route, n)
				}
			}
		})
	}
}

// TestTripsOfAVisitor: a page of somebody who is not signed in, as their browser knows, sends nothing that
// would be refused.
func TestTripsOfAVisitor(t *testing.T) {
	t.Parallel()
	h := startHouse(t).front(t)
	p := openPage(t, h.URL, desktop)
	p.waitForHeading("Sign in")
	p.waitFor(`localStorage["narthex.house"] !== undefined`)
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(h.URL+"/#/m/rota/mine"))
	p.waitForHeading("Sign in")
	want := []string{"GET /api/v1/house", "GET /api/v1/principal"}
	want = append(want, want...)
	requests := slices.DeleteFunc(h.requests(), func(route string) bool {
		return !strings.Contains(route, " /api/")
	})
	slices.Sort(requests)
	slices.Sort(want)
	if !slices.Equal(requests, want) {
		t.Errorf("two pages sent %q, want %q", requests, want)
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
