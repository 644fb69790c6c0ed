package browsertest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/chromedp"
)

// maxWeight is the maximum size of page, script and kit together, in transferred bytes, before the
// administration is opened.
const maxWeight = 64 << 10

// TestWeight limits what a browser loads before it shows anything.
func TestWeight(t *testing.T) {
	t.Parallel()
	p := openPage(t, startWalls(t, 1).fronts[0].origin, desktop)
	p.waitForHeading("Sign in")
	const entries = `[...performance.getEntriesByType("navigation"), ` +
		`...performance.getEntriesByType("resource")]`
	names := eval[[]string](p, entries+`.map(({ name }) => new URL(name).pathname)`)
	first := []string{"/", "/assets/service-dashboard/app.js", "/api/v1/principal"}
	if len(names) > 4 || !slices.Equal(names[:3], first) {
		t.Errorf("before the sign-in the browser asks for %q, want %q and then the house", names, first)
	}
	if size := eval[int](p, entries+
		`.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`); size > maxWeight || size < 20<<10 {
		t.Errorf("page, script and kit are %d bytes on the wire, want at most %d", size, maxWeight)
	} else {
		t.Logf("page, script and kit: %d bytes on the wire", size)
	}
}

// testManyNavigations: nothing accumulates when many screens are opened one after another.
func testManyNavigations(t *testing.T, d *devServer) {
	p := d.front(t).openAs(d.member(t, "Ada", manageNotices), "/#/m/announcements", desktop)
	p.find("link", "Welcome")
	round := func(times int) {
		p.runScript(fmt.Sprintf(`
			const until = async (there) => {
				while (!there()) await new Promise((resolve) => setTimeout(resolve, 5));
			};
			for (let i = 0; i < %d; i++) {
				location.hash = "#/m/stage";
				await until(() => document.querySelector(".stage-ui"));
				location.hash = "#/m/announcements";
				await until(() => document.querySelector(".notice"));
				location.hash = "#/m/announcements/new";
				await until(() => document.querySelector(".editor"));
				location.hash = "#/account";
				await until(() => document.querySelector(".host-settings"));
			}`, times))
	}
	type counted struct {
		nodes, listeners int64
		sheets           int
	}
	count := func() (c counted) {
		p.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			for range 3 {
				if _, err := cdp.Call(ctx, target, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
					return err
				}
			}
			counters, err := cdp.Call(ctx, target, memory.GetDOMCounters, cdp.Empty{})
			c.nodes, c.listeners = counters.Nodes, counters.JsEventListeners
			return err
		}))
		c.sheets = eval[int](p, "document.adoptedStyleSheets.length")
		return c
	}
	round(10)
	before := count()
	round(50)
	after := count()
	t.Logf("after 40 navigations %+v, after 240 %+v", before, after)
	if after.sheets != before.sheets {
		t.Errorf("stylesheets grow from %d to %d", before.sheets, after.sheets)
	}
	if after.nodes > before.nodes+before.nodes/4 {
		t.Errorf("nodes grow from %d to %d", before.nodes, after.nodes)
	}
	if after.listeners > before.listeners+before.listeners/4 {
		t.Errorf("listeners grow from %d to %d", before.listeners, after.listeners)
	}
}
