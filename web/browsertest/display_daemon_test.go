package browsertest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestDisplayDaemon is what becomes of a screen when the platform itself is frozen, killed, upgraded, or runs
// without the module.
func TestDisplayDaemon(t *testing.T) {
	t.Parallel()
	w := startWalls(t, 3)
	w.say("welcome")
	p, _ := w.paired(t, w.fronts[0], "wall")
	needy, _ := w.paired(t, w.fronts[1], "needy")
	p.says("welcome (1.0.0)")
	needy.says("Here is the needy one.")
	p.keeps()
	restarted := w.browserThatRestarts(t, w.fronts[2])

	w.say("throw in update")
	p.wait(`later(11000) && document.body.innerText.includes("Starting again, last update")`)
	p.says("welcome (1.0.0)")    // also while every new mount throws at its first snapshot
	p.wait(`window.mounts >= 5`) // the second mount may still share a snapshot from before
	p.says("welcome (1.0.0)")
	p.onWalls("starting-again")
	w.say("sound again")
	p.wait(`document.querySelectorAll(".layer").length === 1 &&
		document.body.innerText.includes("sound again (1.0.0)") &&
		!document.body.innerText.includes("Starting again")`)
	w.say("welcome")
	p.says("welcome (1.0.0)")

	frozen := func(signal os.Signal) {
		t.Helper()
		if err := w.daemon.process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	frozen(syscall.SIGSTOP)
	p.wait(`later(46000) && document.body.innerText.includes("Reconnecting, last update")`)
	p.says("welcome (1.0.0)")
	p.onWalls("reconnecting")
	frozen(syscall.SIGCONT)
	p.wait(`!document.body.innerText.includes("Reconnecting") && !document.querySelector("[data-stale]")`)

	frozen(os.Kill)
	<-w.daemon.ended
	w.daemon.failure = nil
	p.wait(`later(11000) && document.body.innerText.includes("Reconnecting, last update")`)
	p.says("welcome (1.0.0)")
	p.do(chromedp.Reload())
	p.says("Waiting for the network")
	p.onWalls("offline")
	p.silent("welcome")
	again := restarted()
	again.says("Waiting for the network")
	again.silent("welcome")
	w.run()
	p.says("nothing said yet (1.0.0)")
	again.says("nothing said yet (1.0.0)")
	_ = chromedp.Cancel(again.ctx)

	w.upgrade("2.0.0")
	shown := p.films(20)
	w.daemon.stop(t)
	w.run()
	p.says("nothing said yet (2.0.0)")
	p.wait(`document.querySelectorAll(".layer").length === 1`)
	shown.end()
	shown.assertNoBlank(t, "the upgrade")
	p.until("the old generation is gone", func() bool {
		paths := p.cached()
		return len(paths) == 3 && !strings.Contains(strings.Join(paths, " "), "1.0.0")
	})

	w.send("PUT", "/api/v1/module-lifecycle/wall/enabled", `{"enabled":false}`)
	w.daemon.stop(t)
	w.run()
	p.says("Foyer wall is switched off here.")
	needy.says("needy is switched off here.")
	p.onWalls("switched-off")
	w.send("PUT", "/api/v1/module-lifecycle/wall/enabled", `{"enabled":true}`)
	w.daemon.stop(t)
	w.run()
	p.says("nothing said yet (2.0.0)")
	needy.says("Here is the needy one.")
}

// upgrade puts another version of the wall module in the place of the one that runs, for the next start.
func (w *walls) upgrade(version string) {
	w.t.Helper()
	path := filepath.Join(w.folder, "modules", "wall", "module.json")
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	w.put("wall", map[string]string{
		"module.json": strings.Replace(string(text), `"version": "1.0.0"`, `"version": "`+version+`"`, 1),
	})
}

// browserThatRestarts pairs a screen in a browser with a profile of its own and ends that browser. What it
// returns starts it again.
func (w *walls) browserThatRestarts(t *testing.T, f *front) (restart func() *tab) {
	t.Helper()
	profile, err := os.MkdirTemp("", "profile-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(profile) })
	begin := func() *tab {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.UserDataDir(profile),
			chromedp.Flag("lang", "en-GB"))
		if os.Geteuid() == 0 {
			options = append(options, chromedp.NoSandbox)
		}
		allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
		t.Cleanup(stop)
		ctx, cancel := chromedp.NewContext(allocator)
		t.Cleanup(cancel)
		p := &tab{t, ctx}
		p.look(tv)
		p.first(hurried)
		p.do(chromedp.Navigate(f.origin + "/display/wall"))
		return p
	}
	p := begin()
	w.approve(p.code())
	p.says("(1.0.0)")
	p.keeps()
	if err := chromedp.Cancel(p.ctx); err != nil { // waits for the end, and with it for the cookies on the disk
		t.Fatal(err)
	}
	return begin
}
