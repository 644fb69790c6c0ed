package browsertest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// A slow line: what a request waits for its response, and what then comes in a second.
const (
	slowTrip       = 400 * time.Millisecond
	slowThroughput = 50_000 // bytes
)

// TestFirstContentFigures measures how long people on a slow line wait for the first content, and how many
// requests wait for one another until then. It runs with NARTHEX_FIGURES set, and asserts nothing.
func TestFirstContentFigures(t *testing.T) {
	if os.Getenv("NARTHEX_FIGURES") == "" {
		t.Skip("set NARTHEX_FIGURES to run it")
	}
	const signIn, inModule, withData = "input[type=password]", "[data-module] > *", "[data-module] li h2"
	for _, row := range []struct {
		name, content string // the content is the first element that matches
		signedIn      bool
		emptyCache    bool
	}{
		{"sign-in, empty cache", signIn, false, true},
		{"the last module, empty cache", inModule, true, true},
		{"the last module with its data, empty cache", withData, true, true},
		{"the last module with its data, seen before", withData, true, false},
	} {
		h := newFixture(t)
		path := "/"
		if row.signedIn {
			h.setSignedIn(person)
			newNoticesFixture(t, h, "announcements.slides.read").add("Choir practice", "At eight.", true, nil, nil)
			path = "/#/m/announcements"
			h.compress(t, "GET /api/v1/module-ui/announcements/1.0.0")
		}
		var took []float64
		var last arrival
		for range 5 {
			p := openPage(t, "about:blank", phone)
			if row.signedIn { // the page knows then which module it begins with
				p.do(chromedp.Navigate(h.URL + path))
				p.waitFor(fmt.Sprintf("document.querySelector(%q)", row.content))
				p.do(chromedp.Navigate("about:blank"))
			}
			p.onNewDocument(fmt.Sprintf(firstContent, row.content))
			p.slowLine(row.emptyCache)
			p.do(chromedp.Navigate(h.URL + path))
			p.waitFor("window.shown > 0")
			last = arrival{eval[float64](p, "shown"), eval[[]loaded](p, loadedFiles)}
			took = append(took, last.shown)
			_ = chromedp.Cancel(p.ctx)
		}
		slices.Sort(took)
		t.Logf("%s: first content after %.0f ms (%.0f to %.0f), after %d round trips; the last time:%s",
			row.name, took[2], took[0], took[4], last.trips(), last)
	}
}

// compress lets a route respond as the platform does to a browser: in few bytes.
func (h *fixture) compress(t *testing.T, route string) {
	t.Helper()
	plain := httptest.NewRecorder()
	h.responses[route](plain, httptest.NewRequestWithContext(t.Context(), "GET", "/", http.NoBody))
	coded, err := httpapi.Encode(plain.Body.Bytes(), httpapi.Zstd)
	if err != nil {
		t.Fatal(err)
	}
	h.handle(route, func(w http.ResponseWriter, _ *http.Request) {
		for name, values := range plain.Header() {
			w.Header()[name] = values
		}
		w.Header().Set("Content-Encoding", httpapi.Zstd)
		_, _ = w.Write(coded)
	})
}

// firstContent notes when the first element that matches was painted.
const firstContent = `
	window.shown = 0;
	let waiting = false;
	new MutationObserver(() => {
		if (waiting || !document.querySelector(%q)) return;
		waiting = true;
		requestAnimationFrame(() => requestAnimationFrame(() => (window.shown = performance.now())));
	}).observe(document, { subtree: true, childList: true });`

// loadedFiles are the page and everything that it asked for.
const loadedFiles = `["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type))
	.map(({ name, startTime, requestStart, responseEnd, encodedBodySize }) =>
		({ name: name.replace(location.origin, ""), startTime, requestStart, responseEnd, encodedBodySize }))`

// loaded is one file: its times are milliseconds since the navigation began, its size is bytes on the line.
type loaded struct {
	Name            string
	StartTime       float64
	RequestStart    float64
	ResponseEnd     float64
	EncodedBodySize float64
}

// arrival is what had been asked for until the first content was shown.
type arrival struct {
	shown float64
	files []loaded
}

// trips counts the longest row of requests of which each began after the one before had ended.
func (a arrival) trips() (most int) {
	before := slices.DeleteFunc(slices.Clone(a.files), func(f loaded) bool {
		return f.ResponseEnd > a.shown || f.ResponseEnd == 0
	})
	slices.SortFunc(before, func(a, b loaded) int { return cmp.Compare(a.ResponseEnd, b.ResponseEnd) })
	trips := make([]int, len(before))
	for i, f := range before {
		trips[i] = 1
		for j, earlier := range before[:i] {
			if earlier.ResponseEnd <= f.StartTime {
				trips[i] = max(trips[i], trips[j]+1)
			}
		}
		most = max(most, trips[i])
	}
	return most
}

func (a arrival) String() string {
	var text strings.Builder
	for _, f := range a.files {
		fmt.Fprintf(&text, "\n\t%5.0f to %5.0f ms %6.0f bytes %s", f.StartTime, f.ResponseEnd, f.EncodedBodySize,
			f.Name)
	}
	return text.String()
}

// slowLine gives the page a slow line from now on.
func (p *tab) slowLine(emptyCache bool) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if emptyCache {
			if _, err := cdp.Call(ctx, t, network.ClearBrowserCache, cdp.Empty{}); err != nil {
				return err
			}
		}
		line := network.Conditions{
			Latency:            float64(slowTrip.Milliseconds()),
			DownloadThroughput: slowThroughput,
			UploadThroughput:   slowThroughput,
		}
		_, err := cdp.Call(ctx, t, network.EmulateNetworkConditionsByRule,
			network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{&line}})
		return err
	}))
}
