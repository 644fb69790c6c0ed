package browsertest

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestDisplayUpkeep checks what a screen does by itself over days.
func TestDisplayUpkeep(t *testing.T) {
	leaveToProof(t, "it waits for many intervals of the page")
	t.Parallel()
	w := startWalls(t, 4)
	for i, test := range []struct {
		name string
		run  func(t *testing.T, w *displayFixture, f *faultProxy)
	}{
		{"nightly reload", testNightlyReload},
		{"new host script", testNewHostScript},
		{"wake lock", testWakeLock},
		{"dimming", testDimming},
	} { // not in parallel, because each publishes to the channel of all
		t.Run(test.name, func(t *testing.T) { test.run(t, w, w.fronts[i]) })
	}
}

// testNightlyReload: a page is reloaded if it is 20 hours old, had no update for half an hour, and the time
// is between 3 and 5 o'clock.
func testNightlyReload(t *testing.T, w *displayFixture, f *faultProxy) {
	p, _ := w.openPairedScreen(t, f, "wall")
	p.waitForText("(1.0.0)")
	assertStays := func(why string) {
		t.Helper()
		p.waitForTicks(30_000, 3)
		if !eval[bool](p, "window.marked === true") {
			t.Fatalf("the page was loaded again although %s", why)
		}
	}
	p.runScript(`window.marked = true`)
	w.setHour(p, 12)
	p.passTime(24 * time.Hour)
	assertStays("it is noon")
	w.publishText("news")
	p.waitForText("news (1.0.0)")
	w.setHour(p, 3)
	assertStays("there was an update just now")
	p.runScript(`later(31 * 60_000)`)
	p.waitFor(`window.marked === undefined && window.painted?.value === "news"`)
	p.runScript(`window.marked = true`)
	p.passTime(19 * time.Hour)
	assertStays("it is 19 hours old")
}

// testNewHostScript: a page of an old build is reloaded after a minute without an update, and only once.
func testNewHostScript(t *testing.T, w *displayFixture, f *faultProxy) {
	p, _ := w.openPairedScreen(t, f, "wall")
	p.waitForText("(1.0.0)")
	p.waitForWorker()
	const named = `document.querySelector("meta[name=narthex-display]").content`
	next := f.setHostScript(t)
	p.runScript(`window.marked = true`)
	w.publishText("latest news")
	p.waitForText("latest news (1.0.0)")
	p.runScript(`window.since = performance.now()`)
	f.setFault(refuses) // after an outage the platform may have another build
	f.setFault(passes)
	p.waitForSnapshot()
	p.waitUntil("the page has looked", func() bool { return next.pages.Load() > 0 })
	p.waitForTicks(30_000, 2)
	if !eval[bool](p, "window.marked === true") {
		t.Fatal("the page was loaded again although there was an update just now")
	}
	p.runScript(`later(61_000)`)
	p.waitFor(named + ` === "` + next.hash + `" && window.marked === undefined && window.painted`)
	p.waitForText("latest news (1.0.0)")

	p.runScript(`window.marked = true`)
	looked := next.pages.Load()
	p.passTime(601 * time.Second)
	p.waitUntil("the page has looked again", func() bool { return next.pages.Load() > looked })
	p.waitForTicks(30_000, 2)
	if !eval[bool](p, "window.marked === true") {
		t.Error("the page was loaded again although it is of that build")
	}
}

// testWakeLock: the page requests a wake lock while a module is shown and the page is visible, and again
// after the browser has released it.
func testWakeLock(t *testing.T, w *displayFixture, f *faultProxy) {
	p := w.newTab(t)
	p.onNewDocument(`
		window.locks = [];
		Object.defineProperty(navigator, "wakeLock", { value: { request: async (type) => {
			const lock = { type, released: false };
			locks.push(lock);
			if (window.refusing) throw new DOMException("refused", "NotAllowedError");
			return lock;
		} } });
		window.seen = "visible";
		Object.defineProperty(document, "visibilityState", { get: () => seen });`)
	p.do(chromedp.Navigate(f.origin + "/display/wall"))
	code := p.pairingCode()
	assertAsked := func(want int, when string) {
		t.Helper()
		p.runScript(`document.dispatchEvent(new Event("visibilitychange"))`)
		if got := eval[int](p, "locks.length"); got != want {
			t.Errorf("%s the page has asked for %d wake locks, want %d", when, got, want)
		}
	}
	assertAsked(0, "while it is paired")
	w.approveCode(code)
	p.waitForText("(1.0.0)")
	p.waitFor(`locks.length === 1 && locks[0].type === "screen"`)
	assertAsked(1, "while it has one")
	p.runScript(`locks[0].released = true; seen = "hidden"`)
	assertAsked(1, "while it is hidden")
	p.runScript(`seen = "visible"; window.refusing = true`)
	assertAsked(2, "seen again")
	assertAsked(3, "after a refusal")
	p.runScript(`refusing = false`)
	assertAsked(4, "after another refusal")
	assertAsked(4, "with the new one")
}

// testDimming: content that has not changed for 20 minutes is dimmed, although streams reconnect and
// everything is shifted by some pixels. The next change restores the brightness.
func testDimming(t *testing.T, w *displayFixture, f *faultProxy) {
	p, _ := w.openPairedScreen(t, f, "wall")
	p.waitForText("(1.0.0)")
	const dimmed = `getComputedStyle(document.getElementById("root")).filter === "brightness(0.6)"`
	p.waitForTicks(10_000, 2)
	if eval[bool](p, dimmed) {
		t.Error("what was painted just now is dimmed")
	}
	p.passTime(time.Minute)
	p.waitFor(`!document.querySelector(".host-indicator")`) // else it asks people to leave the screen on
	p.passTime(19 * time.Minute)
	p.waitForTicks(60_000, 1) // everything is shifted
	p.passTime(2 * time.Minute)
	p.waitFor(dimmed)
	p.runScript(`painted = undefined`)
	p.passTime(time.Minute)
	p.waitForTicks(10_000, 2)
	if !eval[bool](p, dimmed) {
		t.Error("the same snapshot once more has given the brightness back")
	}
	p.saveBothOrientations("dimmed")
	w.publishText("good news")
	p.waitForText("good news (1.0.0)")
	p.waitFor(`!document.documentElement.hasAttribute("data-dimmed")`)
}

// passTime advances a page's clock, and waits until its stream has reconnected and the page has the server's
// time again.
func (p *tab) passTime(duration time.Duration) {
	p.t.Helper()
	p.runScript(fmt.Sprintf(`later(%d); window.since = performance.now()`, duration.Milliseconds()))
	p.waitForSnapshot()
	p.waitFor(`Math.abs(context.serverNow() - Date.now()) < 600_000`)
}

// waitForSnapshot waits until the wall has painted something after the time in window.since.
func (p *tab) waitForSnapshot() {
	p.t.Helper()
	p.waitFor(`painted.at - performance.timeOrigin >= since`)
}

// waitForTicks waits until the page's interval of that many milliseconds has fired that many times.
func (p *tab) waitForTicks(milliseconds, times int) {
	p.t.Helper()
	ticks := fmt.Sprintf("(window.intervals[%d] ?? 0)", milliseconds)
	p.waitFor(fmt.Sprintf("%s >= %d", ticks, eval[int](p, ticks)+times))
}

// setHour gives the house a time zone in which it is that hour now, and waits until the screen has it.
func (w *displayFixture) setHour(p *tab, hour int) {
	w.t.Helper()
	ahead := (hour-time.Now().UTC().Hour()+36)%24 - 12
	zone := fmt.Sprintf("Etc/GMT%+d", -ahead)
	w.send("PUT", "/api/v1/house", `{"name":null,"accent":"blue","language":"en","timeZone":"`+zone+`"`+
		`,"secondFactor":"optional"}`)
	p.waitFor(fmt.Sprintf(`localStorage.getItem("narthex.display.zone") === %q`, zone))
}
