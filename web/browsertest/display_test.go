package browsertest

import (
	"regexp"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestDisplays runs several screens against one platform, each behind a proxy of its own.
func TestDisplays(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		run  func(t *testing.T, w *displayFixture, f *faultProxy)
	}{
		{"pairing", testPairing},
		{"faults", testFaults},
		{"revoked", testRevoked},
		{"two tabs", testTwoTabs},
		{"clock ahead", func(t *testing.T, w *displayFixture, f *faultProxy) { testClock(t, w, f, 3_600_000) }},
		{"clock behind", func(t *testing.T, w *displayFixture, f *faultProxy) { testClock(t, w, f, -3_600_000) }},
		{"refused", testRefused},
		{"QR code", testQRCode},
		{"addresses", testAddresses},
		{"silent script", testSilentScript},
	}
	w := startWalls(t, len(tests))
	w.publishText("welcome")
	t.Run("all", func(t *testing.T) {
		for i, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				switch test.name {
				case "addresses", "clock behind", "silent script":
					leaveToProof(t, "it opens many addresses, does what another case does, or waits for a limit")
				}
				t.Parallel()
				test.run(t, w, w.fronts[i])
			})
		}
	})
}

// testPairing follows a screen from its six digits to live content, and checks what its browser stores.
func testPairing(t *testing.T, w *displayFixture, f *faultProxy) {
	p := w.openScreen(t, f, "wall")
	code := p.pairingCode()
	p.find("image", "QR code that opens this screen in the Dashboard")
	p.assertAccessible("pairing")
	p.saveBothOrientations("pairing")
	w.approveCode(code)
	p.waitForText(`Paired as "Back wall"`)
	p.saveBothOrientations("paired")
	p.waitForText("Leave this screen on for a minute.")
	p.waitForText("welcome (1.0.0)")
	const kit = `globalThis[Symbol.for("narthex.kit.1")]`
	p.waitFor(kit + `.Button && Object.isFrozen(` + kit + `)`)
	p.waitFor(`document.cookie === ""`)

	p.waitForWorker()
	forbidden := regexp.MustCompile(
		`worker\.js|module-displays|module-realtime|device-pairing|/modules/|principal`)
	expected := regexp.MustCompile(
		`^/display/wall$|^/display/host-[0-9a-f]{16}\.js$|^/api/v1/module-ui/wall/1\.0\.0/display$`)
	paths := p.cachedURLs()
	if len(paths) != 3 || slices.ContainsFunc(paths, forbidden.MatchString) ||
		!slices.ContainsFunc(paths, expected.MatchString) {
		t.Errorf("kept: %q, want page, host script and artifact", paths)
	}
}

// testFaults: whatever fails between screen and platform, the last content stays, the page can be reloaded,
// and everything recovers by itself.
func testFaults(t *testing.T, w *displayFixture, f *faultProxy) {
	p, _ := w.openPairedScreen(t, f, "wall")
	p.waitForText("(1.0.0)")
	p.waitForWorker()
	for name, how := range map[string]fault{
		"refused": refuses, "502": badGateway, "200 with HTML": portal, "bodies cut": cutsBodies,
		"404 of a proxy": unknownStream, "403 with HTML": forbiddenStream,
	} {
		p.runScript("window.samePage = true")
		f.setFault(how)
		p.waitUntil("a request meets the fault", func() bool { return how == cutsBodies || f.asked.Load() > 0 })
		p.waitFor(`later(5000) && document.body.innerText.includes("Reconnecting, last update")`)
		p.waitForText("(1.0.0)")
		p.assertNoText("guest network")
		if how == portal || how == badGateway {
			p.waitFor(`later(5000) && document.querySelector(".host-stage[data-stale]")`)
			p.reload()
			p.waitForText("Waiting for the network")
			p.assertNoText("(1.0.0)")
			p.assertNoText("guest network")
		}
		f.setFault(passes)
		p.waitForText("(1.0.0)")
		p.waitFor(`!document.body.innerText.includes("Reconnecting") && !document.querySelector("[data-stale]")`)
		if how == unknownStream || how == forbiddenStream {
			p.waitFor("window.samePage")
		}
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// testRevoked: a removed screen says so and shows the code of a new pairing.
func testRevoked(t *testing.T, w *displayFixture, f *faultProxy) {
	p, deviceID := w.openPairedScreen(t, f, "wall")
	p.waitForText("(1.0.0)")
	w.send("POST", "/api/v1/devices/"+deviceID+"/revoke", `{}`)
	p.runScript(`dispatchEvent(new Event("online"))`) // makes it resolve again
	p.waitForText("This screen was removed.")
	p.saveBothOrientations("removed")
	p.assertNoText("(1.0.0)")
	second := w.approveCode(p.pairingCode())
	p.waitForText("(1.0.0)")
	if second == deviceID {
		t.Errorf("paired again as %s, want a new identity", second)
	}
}

// testTwoTabs: two tabs of one browser wait for the same approval. Both show the display, with one
// credential.
func testTwoTabs(t *testing.T, w *displayFixture, f *faultProxy) {
	p := w.openScreen(t, f, "wall")
	code := p.pairingCode()
	ctx, cancel := chromedp.NewContext(p.ctx)
	t.Cleanup(cancel)
	second := &tab{t: t, ctx: ctx}
	second.onNewDocument(hurried)
	second.do(chromedp.Navigate(f.origin + "/display/wall"))
	if other := second.pairingCode(); other != code {
		t.Errorf("the second tab shows %s, want the same code: %s", other, code)
	}
	w.approveCode(code)
	p.waitForText("(1.0.0)")
	second.waitForText("(1.0.0)")
}

// testClock: the wall's own clock is wrong, and the display uses the server's.
func testClock(t *testing.T, w *displayFixture, f *faultProxy, ahead int) {
	p := w.openScreen(t, f, "wall")
	w.approveCode(p.pairingCode())
	p.waitForText("(1.0.0)")
	p.onNewDocument(`(() => {
		const real = Date.now;
		window.realNow = real;
		Date.now = () => real() + ` + itoa(ahead) + `;
	})();`)
	p.reload()
	p.waitForText("(1.0.0)")
	p.waitFor(`Math.abs(context.serverNow() - realNow()) < 5000 && Math.abs(Date.now() - realNow()) > 3500000`)
}

// testRefused: a display that cannot start shows the reason. One that throws later keeps its last content and
// is mounted again.
func testRefused(t *testing.T, w *displayFixture, f *faultProxy) {
	for module, code := range map[string]string{
		"throws": "MODULE_UI_FAILED", "older": "MODULE_UI_ABI_INCOMPATIBLE",
	} {
		p, _ := w.openPairedScreen(t, f, module)
		p.waitForText(module + " cannot start on this screen.")
		p.waitForText(code)
		p.saveBothOrientations("refused-" + module)
	}
	p := w.openScreen(t, f, "ghost")
	p.waitForText("Ghost is switched off here.")

	p, _ = w.openPairedScreen(t, f, "wall")
	p.waitForText("(1.0.0)")
	p.runScript(`dispatchEvent(new ErrorEvent("error", { message: "ResizeObserver loop limit exceeded" }))`)
	for n, place := range []string{
		`setTimeout(() => { throw new Error("thrown in a timer") })`, `void Promise.reject(new Error("thrown"))`,
	} {
		p.waitFor(`window.mounts === ` + itoa(n+1))
		p.runScript(place)
		p.waitFor(`window.mounts === ` + itoa(n+2) + ` && document.querySelectorAll(".host-layer").length === 1`)
		p.waitForText("(1.0.0)")
	}
	p.waitFor(`!document.body.innerText.includes("Starting again")`)
}

// testSilentScript: a request for the display's script that is never answered does not hold a screen without
// a worker, as on plain HTTP. It says that it waits for the network, and asks again.
func testSilentScript(t *testing.T, w *displayFixture, f *faultProxy) {
	p := w.newTab(t)
	p.onNewDocument(`Object.defineProperty(navigator, "serviceWorker", { value: undefined });
		const { setTimeout: hurried } = window;
		let limits = 0; // only the first is short: Chromium keeps later requests waiting for the lost one for 20 s
		window.setTimeout = (run, after, ...more) =>
			hurried(run, after === 50_000 && limits++ > 0 ? 10 * after : after, ...more);`)
	p.do(chromedp.Navigate(f.origin + "/display/wall"))
	f.setScriptFault("/api/v1/module-ui/wall/", "silent")
	w.approveCode(p.pairingCode())
	p.waitForText("Waiting for the network")
	f.clearScriptFault() // for later requests
	p.waitForText("welcome (1.0.0)")
}
