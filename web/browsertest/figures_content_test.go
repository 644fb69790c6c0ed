package browsertest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// A slow connection: the latency of a request, and the bytes per second after it.
const (
	slowTrip       = 400 * time.Millisecond
	slowThroughput = 50_000 // bytes per second
)

// TestFirstContentFigures measures how long people on a slow connection wait for the first content, and how
// many requests before it wait for another request. It runs only if NARTHEX_FIGURES is set, and asserts
// nothing.
func TestFirstContentFigures(t *testing.T) {
	if os.Getenv("NARTHEX_FIGURES") == "" {
		t.Skip("set NARTHEX_FIGURES to run it")
	}
	d := startHouse(t)
	reader := d.signIn(t, d.member(t, "Reader 1"))
	const signIn, inModule, withData = "input[type=password]", "[data-module] > *", "[data-module] li h2"
	for _, row := range []struct {
		name, content string // content selects the first content
		signedIn      bool
		emptyCache    bool
	}{
		{"sign-in, empty cache", signIn, false, true},
		{"the last module, empty cache", inModule, true, true},
		{"the last module with its data, empty cache", withData, true, true},
		{"the last module with its data, seen before", withData, true, false},
	} {
		path := "/"
		var took []float64
		var last arrival
		for range 5 {
			p := openPage(t, "about:blank", phone)
			if row.signedIn { // so that the page knows which module it shows first
				path = "/#/m/announcements"
				p = d.openIn(t, chromium, reader, path, phone)
				p.waitFor(fmt.Sprintf("document.querySelector(%q)", row.content))
				p.do(chromedp.Navigate("about:blank"))
			}
			p.onNewDocument(fmt.Sprintf(firstContent, row.content))
			p.slowLine(row.emptyCache)
			p.do(chromedp.Navigate(d.address + path))
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

// firstContent records when the first matching element was painted.
const firstContent = `
	window.shown = 0;
	let waiting = false;
	new MutationObserver(() => {
		if (waiting || !document.querySelector(%q)) return;
		waiting = true;
		requestAnimationFrame(() => requestAnimationFrame(() => (window.shown = performance.now())));
	}).observe(document, { subtree: true, childList: true });`

// loadedFiles are the page and all files that it requested.
const loadedFiles = `["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type))
	.map(({ name, startTime, requestStart, responseEnd, encodedBodySize }) =>
		({ name: name.replace(location.origin, ""), startTime, requestStart, responseEnd, encodedBodySize }))`

// loaded is one file. Times are in milliseconds since the navigation began, the size is in transferred bytes.
type loaded struct {
	Name            string
	StartTime       float64
	RequestStart    float64
	ResponseEnd     float64
	EncodedBodySize float64
}

// arrival holds the files that were requested before the first content was shown.
type arrival struct {
	shown float64
	files []loaded
}

// trips returns the length of the longest chain of requests in which each began after the previous one had
// ended.
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

// slowLine emulates a slow connection from now on.
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
