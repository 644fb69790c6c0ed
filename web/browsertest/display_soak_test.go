package browsertest

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// aDay makes ten minutes last a day for a page: its clocks, and its waits of 30 s and more, run 144 times as
// fast. Shorter waits are unchanged, because they limit requests, which take real time.
const aDay = `(() => {
	const { setTimeout: once, setInterval: often, performance } = window;
	const faster = (after) => (after >= 30000 ? after / 144 : after);
	window.setTimeout = (run, after = 0, ...more) => once(run, faster(after), ...more);
	window.setInterval = (run, after = 0, ...more) => often(run, faster(after), ...more);
	const [now, date] = [performance.now.bind(performance), Date.now];
	const [began, day] = [now(), date()];
	performance.now = () => began + (now() - began) * 144;
	Date.now = () => day + (date() - day) * 144;
})();`

// TestDisplaySoak simulates a day in ten minutes: 200 changes, 40 network failures, 5 restarts of the
// platform. It runs only if NARTHEX_SOAK is set.
func TestDisplaySoak(t *testing.T) {
	if os.Getenv("NARTHEX_SOAK") == "" {
		t.Skip("set NARTHEX_SOAK to run it; it takes ten minutes")
	}
	w := startWalls(t, 1)
	f := w.fronts[0]
	f.beats.Store(true)
	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &tab{t, ctx}
	p.setView(view{width: 480, height: 270})
	p.do(chromedp.Navigate(f.origin + "/display/wall"))
	w.approveCode(p.pairingCode())
	p.waitForText("nothing said yet (1.0.0)")
	p.onNewDocument(aDay)
	p.reload()
	p.waitForText("nothing said yet (1.0.0)")

	shown := p.record(5)
	const changes, warmUp = 200, 60
	var heaps []int // KiB, one entry for 20 changes
	var warm, half, last memoryUse
	for n := range changes {
		step := time.Now()
		text := fmt.Sprintf("notice %d", n)
		if n%40 == 39 {
			w.daemon.stop(t)
			w.start()
		}
		w.publishText(text)
		if n%5 == 2 {
			f.setFault([]fault{refuses, badGateway, portal, cutsBodies}[n/5%4])
			time.Sleep(time.Second) // the duration of the network failure
			f.setFault(passes)
		}
		p.waitForText(text + " (1.0.0)")
		switch n + 1 {
		case warmUp:
			warm = p.memoryUse()
		case changes / 2:
			half = p.memoryUse()
		case changes:
			last = p.memoryUse()
		}
		if n%20 == 19 {
			heaps = append(heaps, int(p.heapSize())>>10)
		}
		time.Sleep(time.Until(step.Add(10 * time.Minute / changes)))
	}
	shown.finish()
	t.Logf("heap every 20 changes, KiB: %v", heaps)
	t.Logf("after %d changes %v; after %d changes %v; after %d changes %v",
		warmUp, warm, changes/2, half, changes, last)
	t.Logf("%d pictures, %d blank, at most %v between two; mounts since the last load: %d",
		shown.frames, shown.blank, shown.slowest, eval[int](p, "window.mounts"))
	if shown.blank > 0 {
		t.Errorf("%d of %d pictures are blank, for up to %v; want none",
			shown.blank, shown.frames, shown.longest)
	}
	assertNoGrowth(t, warm, half, last)
}

// TestDisplayFigures measures the time from publishing an update to the frame that shows it, and from the
// start of a browser with a used profile to the first content. It runs only if NARTHEX_FIGURES is set, and
// asserts nothing.
func TestDisplayFigures(t *testing.T) {
	if os.Getenv("NARTHEX_FIGURES") == "" {
		t.Skip("set NARTHEX_FIGURES to run it")
	}
	w := startWalls(t, 2)
	p, _ := w.openPairedScreen(t, w.fronts[0], "wall")
	p.waitForText("(1.0.0)")
	p.runScript(`window.frames = {};
		new MutationObserver(() => {
			const value = document.querySelector(".wall p").textContent;
			requestAnimationFrame(() => setTimeout(() => (frames[value] ??= Date.now())));
		}).observe(document.querySelector(".wall"), { subtree: true, childList: true, characterData: true });`)
	var took []int64
	for n := range 100 {
		text := fmt.Sprintf("figure %d", n)
		began := time.Now().UnixMilli()
		w.publishText(text)
		key := fmt.Sprintf("frames[%q]", text+" (1.0.0)")
		p.waitFor(key)
		took = append(took, eval[int64](p, key)-began)
	}
	slices.Sort(took)
	t.Logf("publish to paint, ms: p50 %d, p95 %d, worst %d", took[50], took[95], took[99])

	restart := w.browserThatRestarts(t, w.fronts[1])
	for range 5 {
		began := time.Now()
		again := restart()
		again.waitForText("(1.0.0)")
		t.Logf("browser start to first content: %v", time.Since(began))
		_ = chromedp.Cancel(again.ctx)
	}
}
