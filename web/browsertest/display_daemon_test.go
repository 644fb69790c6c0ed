package browsertest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestDisplayDaemon: what a screen shows while the platform is frozen, killed, upgraded, or runs without the
// module.
func TestDisplayDaemon(t *testing.T) {
	t.Parallel()
	w := startWalls(t, 3)
	w.publishText("welcome")
	p, _ := w.openPairedScreen(t, w.fronts[0], "wall")
	needy, _ := w.openPairedScreen(t, w.fronts[1], "needy")
	p.waitForText("welcome (1.0.0)")
	needy.waitForText("Here is the needy one.")
	p.waitForWorker()
	restarted := w.browserThatRestarts(t, w.fronts[2])

	w.publishText("throw in update")
	p.waitFor(`later(11000) && document.body.innerText.includes("Starting again, last update")`)
	p.waitForText("welcome (1.0.0)") // still shown, although every new mount throws at its first snapshot
	p.waitFor(`window.mounts >= 5`)  // the second mount may still share a snapshot from before
	p.waitForText("welcome (1.0.0)")
	p.saveBothOrientations("starting-again")
	w.publishText("sound again")
	p.waitFor(`document.querySelectorAll(".host-layer").length === 1 &&
		document.body.innerText.includes("sound again (1.0.0)") &&
		!document.body.innerText.includes("Starting again")`)
	w.publishText("welcome")
	p.waitForText("welcome (1.0.0)")

	frozen := func(signal os.Signal) {
		t.Helper()
		if err := w.daemon.process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	frozen(syscall.SIGSTOP)
	p.waitFor(`later(46000) && document.body.innerText.includes("Reconnecting, last update")`)
	p.waitForText("welcome (1.0.0)")
	p.saveBothOrientations("reconnecting")
	frozen(syscall.SIGCONT)
	p.waitFor(`!document.body.innerText.includes("Reconnecting") && !document.querySelector("[data-stale]")`)

	frozen(os.Kill)
	<-w.daemon.ended
	w.daemon.failure = nil
	p.waitFor(`later(11000) && document.body.innerText.includes("Reconnecting, last update")`)
	p.waitForText("welcome (1.0.0)")
	p.reload()
	p.waitForText("Waiting for the network")
	p.saveBothOrientations("offline")
	p.assertNoText("welcome")
	again := restarted()
	again.waitForText("Waiting for the network")
	again.assertNoText("welcome")
	w.start()
	p.waitForText("nothing said yet (1.0.0)")
	again.waitForText("nothing said yet (1.0.0)")
	_ = chromedp.Cancel(again.ctx)

	w.upgrade("2.0.0")
	shown := p.record(20)
	w.daemon.stop(t)
	w.start()
	p.waitForText("nothing said yet (2.0.0)")
	p.waitFor(`document.querySelectorAll(".host-layer").length === 1`)
	shown.finish()
	shown.assertNoBlank(t, "the upgrade")
	p.waitUntil("the old generation is gone", func() bool {
		paths := p.cachedURLs()
		return len(paths) == 3 && !strings.Contains(strings.Join(paths, " "), "1.0.0")
	})

	w.send("PUT", "/api/v1/module-lifecycle/wall/enabled", `{"enabled":false}`)
	w.daemon.stop(t)
	w.start()
	p.waitForText("Foyer wall is switched off here.")
	needy.waitForText("needy is switched off here.")
	p.saveBothOrientations("switched-off")
	w.send("PUT", "/api/v1/module-lifecycle/wall/enabled", `{"enabled":true}`)
	w.daemon.stop(t)
	w.start()
	p.waitForText("nothing said yet (2.0.0)")
	needy.waitForText("Here is the needy one.")
}

// upgrade replaces the version of the wall module, for the next start.
func (w *displayFixture) upgrade(version string) {
	w.t.Helper()
	path := filepath.Join(w.folder, "modules", "wall", "module.json")
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	w.writeModule("wall", map[string]string{
		"module.json": strings.Replace(string(text), `"version": "1.0.0"`, `"version": "`+version+`"`, 1),
	})
}

// browserThatRestarts pairs a screen in a browser with a profile of its own and ends that browser. restart
// starts it again.
func (w *displayFixture) browserThatRestarts(t *testing.T, f *faultProxy) (restart func() *tab) {
	t.Helper()
	begin := keptProfile(t, f.origin+"/display/wall")
	p := begin()
	w.approveCode(p.pairingCode())
	p.waitForText("(1.0.0)")
	p.waitForWorker()
	p.endBrowser()
	return begin
}

// keptProfile returns a function that starts a browser with a persistent profile at an address.
func keptProfile(t *testing.T, address string) (begin func() *tab) {
	t.Helper()
	profile, err := os.MkdirTemp("", "profile-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(profile) })
	return func() *tab {
		options := slices.Concat(chromedp.DefaultExecAllocatorOptions[:], program())
		options = append(options, chromedp.UserDataDir(profile), chromedp.Flag("lang", "en-GB"))
		if os.Geteuid() == 0 {
			options = append(options, chromedp.NoSandbox)
		}
		allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
		t.Cleanup(stop)
		ctx, cancel := chromedp.NewContext(allocator)
		t.Cleanup(cancel)
		p := &tab{t: t, ctx: ctx}
		p.setView(tv)
		p.onNewDocument(hurried)
		p.do(chromedp.Navigate(address))
		return p
	}
}

// endBrowser waits for the end of the browser, because then its cookies are on the disk.
func (p *tab) endBrowser() {
	p.t.Helper()
	if err := chromedp.Cancel(p.ctx); err != nil {
		p.t.Fatal(err)
	}
}
