package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
)

const notLoaded = "This page did not load completely. It tries again by itself."

// TestPageWithoutItsScript: the page has arrived, but its script has not. Both pages say so, and begin
// again by themselves.
func TestPageWithoutItsScript(t *testing.T) {
	leaveToProof(t, "it loads the page with each part missing")
	t.Parallel()
	w := startWalls(t, len(scriptFaults)+2)
	w.publishText("welcome")
	t.Run("all", func(t *testing.T) {
		t.Run("after an upgrade", func(t *testing.T) {
			t.Parallel()
			w.testScriptOfNextBuild(t, w.fronts[0])
		})
		t.Run("later scripts", func(t *testing.T) {
			t.Parallel()
			w.testLaterScripts(t, w.fronts[1])
		})
		fronts := w.fronts[2:]
		for name := range scriptFaults {
			f := fronts[0]
			fronts = fronts[1:]
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w.testLostScript(t, f, name)
			})
		}
	})
}

// heldRetries holds back what the page does to try again until goOn is called, because it would end the looks
// at the page in between.
const heldRetries = `(() => {
	const { fetch } = window;
	const goingOn = new Promise((go) => (window.goOn = go));
	window.fetch = async (...sent) => {
		if (document.getElementById("not-loaded")) await goingOn;
		return fetch(...sent);
	};
})();`

// testLostScript opens both pages for the first time, while their scripts have a fault.
func (w *displayFixture) testLostScript(t *testing.T, f *faultProxy, name string) {
	f.setScriptFault("/display/host-", name)
	p := w.newTab(t)
	p.onNewDocument(heldRetries)
	begin(p, f.origin+"/display/wall")
	if name == "502" {
		p.waitFor(`document.readyState !== "loading"`)
		p.screenshot("display-not-loaded-" + name)
	}
	p.waitForText(notLoaded)
	p.saveBothOrientations("not-loaded")
	p.assertAccessible("a display without its script")
	f.clearScriptFault()
	p.runScript(`goOn()`)
	p.pairingCode()
	p.assertNoText(notLoaded)

	f.setScriptFault("/assets/service-dashboard/app.js", name)
	begin(p, f.origin)
	p.waitForText(notLoaded)
	p.assertFits()
	p.screenshot("dashboard-not-loaded")
	f.clearScriptFault()
	p.runScript(`goOn()`)
	p.find("textbox", "E-mail")
	p.assertNoText(notLoaded)
}

// begin begins to load a page and does not wait for its scripts.
func begin(p *tab, address string) {
	p.t.Helper()
	p.runScript(`setTimeout(() => location.assign("` + address + `"))`)
	p.waitFor(`location.href.startsWith("` + address + `") && document.body`)
}

// testScriptOfNextBuild: a screen that has a page and its script in its cache shows the display with them,
// while the script of the next build has a fault.
func (w *displayFixture) testScriptOfNextBuild(t *testing.T, f *faultProxy) {
	p, _ := w.openPairedScreen(t, f, "wall")
	p.waitForText("welcome (1.0.0)")
	p.waitForWorker()
	next := f.setHostScript(t)
	const named = `document.querySelector("meta[name=narthex-display]").content`
	for name := range scriptFaults {
		if name == "silent" {
			continue // it only lasts longer
		}
		f.setScriptFault("/display/host-"+next.hash, name)
		p.reload()
		p.waitForText("welcome (1.0.0)")
		if got := eval[string](p, named); got != next.real {
			t.Errorf("%s: the page is of build %s, want the cached one, %s", name, got, next.real)
		}
	}
	p.screenshot("display-cached-pair")
	f.clearScriptFault()
	p.reload()
	p.waitFor(named + ` === "` + next.hash + `"`)
	p.waitForText("welcome (1.0.0)")
}

// testLaterScripts: a proxy's page in place of a script that is loaded later, and a proxy's 404, are told
// as a network that fails, and not as a new version, or as a module that cannot start.
func (w *displayFixture) testLaterScripts(t *testing.T, f *faultProxy) {
	p := w.newTab(t)
	p.do(chromedp.Navigate(f.origin + "/#/admin/modules"))
	p.find("textbox", "E-mail")
	f.setScriptFault("/assets/service-dashboard/administration.js", "200 with HTML")
	p.fill("E-mail", "owner@example.org")
	p.fill("Password", wallPassword)
	p.click("button", "Sign in")
	p.waitForText("This page tries again by itself.")
	p.assertNoText("A new version is here.")
	f.clearScriptFault()
	p.find("heading", "Modules")

	for _, name := range []string{"200 with HTML", "404 with HTML"} {
		f.setScriptFault("/api/v1/module-ui/wall/1.0.0/display", name)
		screen, _ := w.openPairedScreen(t, f, "wall")
		screen.waitForText("Waiting for the network")
		screen.assertNoText("cannot start")
		f.clearScriptFault()
		screen.waitForText("welcome (1.0.0)")
	}
}
