package browsertest

import (
	"regexp"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestDisplays runs screens against one platform, each behind a proxy of its own.
func TestDisplays(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		run  func(t *testing.T, w *walls, f *front)
	}{
		{"pairing", testPairing},
		{"faults", testFaults},
		{"revoked", testRevoked},
		{"two tabs", testTwoTabs},
		{"clock ahead", func(t *testing.T, w *walls, f *front) { testClock(t, w, f, 3_600_000) }},
		{"clock behind", func(t *testing.T, w *walls, f *front) { testClock(t, w, f, -3_600_000) }},
		{"refused", testRefused},
	}
	w := startWalls(t, len(tests))
	w.say("welcome")
	t.Run("all", func(t *testing.T) {
		for i, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				test.run(t, w, w.fronts[i])
			})
		}
	})
}

// testPairing is a screen's way from six digits to live content, and what its browser keeps then.
func testPairing(t *testing.T, w *walls, f *front) {
	p := w.screen(t, f, "wall")
	code := p.code()
	p.find("image", "QR code that opens this screen in the Dashboard")
	p.accessible("pairing")
	p.onWalls("pairing")
	w.approve(code)
	p.says(`Paired as "Back wall"`)
	p.onWalls("paired")
	p.says("Leave this screen on for a minute.")
	p.says("welcome (1.0.0)")
	const kit = `globalThis[Symbol.for("narthex.kit.1")]`
	p.wait(kit + `.Button && Object.isFrozen(` + kit + `)`)
	p.wait(`document.cookie === ""`)

	p.keeps()
	forbidden := regexp.MustCompile(
		`worker\.js|module-displays|module-realtime|device-pairing|/modules/|principal`)
	expected := regexp.MustCompile(
		`^/display/wall$|^/display/host-[0-9a-f]{16}\.js$|^/api/v1/module-ui/wall/1\.0\.0/display$`)
	paths := p.cached()
	if len(paths) != 3 || slices.ContainsFunc(paths, forbidden.MatchString) ||
		!slices.ContainsFunc(paths, expected.MatchString) {
		t.Errorf("kept: %q, want page, host script and artifact", paths)
	}
}

// testFaults: whatever stands between screen and platform, the last picture stays, the page survives being
// loaded anew, and everything comes back by itself.
func testFaults(t *testing.T, w *walls, f *front) {
	p, _ := w.paired(t, f, "wall")
	p.says("(1.0.0)")
	p.keeps()
	for name, how := range map[string]fault{
		"refused": refuses, "502": badGateway, "200 with HTML": portal, "bodies cut": cutsBodies,
	} {
		f.breaks(how)
		p.wait(`later(5000) && document.body.innerText.includes("Reconnecting, last update")`)
		p.says("(1.0.0)")
		p.silent("guest network")
		if how == portal || how == badGateway {
			p.wait(`later(5000) && document.querySelector(".stage[data-stale]")`)
			p.do(chromedp.Reload())
			p.says("Waiting for the network")
			p.silent("(1.0.0)")
			p.silent("guest network")
		}
		f.breaks(passes)
		p.says("(1.0.0)")
		p.wait(`!document.body.innerText.includes("Reconnecting") && !document.querySelector("[data-stale]")`)
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// testRevoked: a removed screen says so and shows the code of a new identity.
func testRevoked(t *testing.T, w *walls, f *front) {
	p, deviceID := w.paired(t, f, "wall")
	p.says("(1.0.0)")
	w.send("POST", "/api/v1/devices/"+deviceID+"/revoke", `{}`)
	p.run(`dispatchEvent(new Event("online"))`) // the next resolution
	p.says("This screen was removed.")
	p.onWalls("removed")
	p.silent("(1.0.0)")
	second := w.approve(p.code())
	p.says("(1.0.0)")
	if second == deviceID {
		t.Errorf("paired again as %s, want a new identity", second)
	}
}

// testTwoTabs: two tabs of one browser wait for the same approval. Both show the display, with one
// credential.
func testTwoTabs(t *testing.T, w *walls, f *front) {
	p := w.screen(t, f, "wall")
	code := p.code()
	ctx, cancel := chromedp.NewContext(p.ctx)
	t.Cleanup(cancel)
	second := &tab{t, ctx}
	second.first(hurried)
	second.do(chromedp.Navigate(f.origin + "/display/wall"))
	if other := second.code(); other != code {
		t.Errorf("the second tab shows %s, want the same code: %s", other, code)
	}
	w.approve(code)
	p.says("(1.0.0)")
	second.says("(1.0.0)")
}

// testClock: the wall's own clock is wrong, and the display goes by the server's.
func testClock(t *testing.T, w *walls, f *front, ahead int) {
	p := w.screen(t, f, "wall")
	w.approve(p.code())
	p.says("(1.0.0)")
	p.first(`(() => {
		const real = Date.now;
		window.realNow = real;
		Date.now = () => real() + ` + itoa(ahead) + `;
	})();`)
	p.do(chromedp.Reload())
	p.says("(1.0.0)")
	p.wait(`Math.abs(context.serverNow() - realNow()) < 5000 && Math.abs(Date.now() - realNow()) > 3500000`)
}

// testRefused: displays that cannot start say so, and one that throws later keeps its last picture and is
// mounted anew.
func testRefused(t *testing.T, w *walls, f *front) {
	for module, code := range map[string]string{
		"throws": "MODULE_UI_FAILED", "older": "MODULE_UI_ABI_INCOMPATIBLE",
	} {
		p, _ := w.paired(t, f, module)
		p.says(module + " cannot start on this screen.")
		p.says(code)
		p.onWalls("refused-" + module)
	}
	p := w.screen(t, f, "ghost")
	p.says("Ghost is switched off here.")

	p, _ = w.paired(t, f, "wall")
	p.says("(1.0.0)")
	p.run(`dispatchEvent(new ErrorEvent("error", { message: "ResizeObserver loop limit exceeded" }))`)
	for n, place := range []string{
		`setTimeout(() => { throw new Error("thrown in a timer") })`, `void Promise.reject(new Error("thrown"))`,
	} {
		p.wait(`window.mounts === ` + itoa(n+1))
		p.run(place)
		p.wait(`window.mounts === ` + itoa(n+2) + ` && document.querySelectorAll(".layer").length === 1`)
		p.says("(1.0.0)")
	}
	p.wait(`!document.body.innerText.includes("Starting again")`)
}
