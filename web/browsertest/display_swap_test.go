package browsertest

import (
	"os"
	"strconv"
	"testing"

	"github.com/narthex-platform/narthex/services/porttest"
)

// TestDisplaySwap checks what screens show while a new version of their display comes.
func TestDisplaySwap(t *testing.T) {
	t.Parallel()
	w := startWalls(t, 3)
	w.publishText("welcome")
	t.Run("one process", func(t *testing.T) { testSwap(t, w, w.fronts[0]) })
	t.Run("two processes", func(t *testing.T) { testBetweenVersions(t, w, w.fronts[1:]) })
}

// testSwap: another version is loaded, mounted and painted behind the visible one, however long that takes,
// and only then replaces it.
func testSwap(t *testing.T, w *displayFixture, f *faultProxy) {
	p, _ := w.openPairedScreen(t, f, "wall")
	p.waitForText("welcome (1.0.0)")
	p.runScript(`
		window.frames = 0;
		window.bare = 0; // frames in which nothing was on top
		const look = () => {
			const top = [...document.querySelectorAll(".host-layer")].at(-1);
			if (!top?.querySelector(".wall p")?.textContent) bare++;
			frames++;
			requestAnimationFrame(look);
		};
		look();`)
	assertShown := func(when, text string, layers int) {
		t.Helper()
		p.waitFor(`(window.frames = 0, true)`)
		p.waitFor(`frames > 3`)
		p.waitForText(text)
		bare, got := eval[int](p, "bare"), eval[int](p, `document.querySelectorAll(".host-layer").length`)
		if bare > 0 || got != layers {
			t.Fatalf("%s: %d layers and %d frames without content, want %d and none", when, got, bare, layers)
		}
	}
	w.upgrade("2.0.0")
	artifact := f.closeGate("/api/v1/module-ui/wall/2.0.0/")
	w.daemon.stop(t)
	w.start()
	p.waitUntil("the new artifact is asked for", func() bool { return artifact.waiting.Load() > 0 })
	assertShown("while the new version is loaded", "(1.0.0)", 1)
	stream := f.closeGate("/api/v1/module-realtime/")
	artifact.open()
	p.waitFor(`window.mounts === 2`)
	p.waitUntil("the new stream is asked for", func() bool { return stream.waiting.Load() > 0 })
	assertShown("while the new version waits for its snapshot", "(1.0.0)", 2)
	stream.open()
	p.waitForText("nothing said yet (2.0.0)")
	assertShown("after the swap", "(2.0.0)", 1)
}

// testBetweenVersions: while processes of two versions run behind one proxy, a descriptor may name a script
// that the next process does not have. A screen says nothing of that, and shows the new version as soon as it
// gets it.
func testBetweenVersions(t *testing.T, w *displayFixture, fronts []*faultProxy) {
	mounted, _ := w.openPairedScreen(t, fronts[0], "wall")
	mounted.waitForText("(2.0.0)")
	begun := w.openScreen(t, fronts[1], "wall")
	code := begun.pairingCode()
	newer := w.beside("3.0.0")
	for n, p := range []*tab{mounted, begun} {
		f := fronts[n]
		asked := f.closeGate("/api/v1/module-ui/wall/3.0.0/")
		asked.open()
		f.beats.Store(true)
		f.beginUpdate(newer, "/api/v1/module-ui/", "/api/v1/module-realtime/")
		if p == begun {
			w.approveCode(code)
		}
		said := ""
		p.waitUntil("the script was asked for again and again, or the screen says something", func() bool {
			p.runScript(`later(11000); dispatchEvent(new Event("online"))`) // it looks again at once
			said = eval[string](p, `/Starting again|cannot start/.exec(document.body?.innerText ?? "")?.[0] ?? ""`)
			return asked.waiting.Load() > 6 || said != ""
		})
		if said != "" {
			t.Errorf("a screen between two versions says %q, want no word of that", said)
		}
		f.beginUpdate(newer)
		p.waitForText("(3.0.0)")
	}
}

// beside starts a process with another version of the wall module beside the running one.
func (w *displayFixture) beside(version string) *displayFixture {
	t := w.t
	t.Helper()
	other := *w
	other.folder, other.port = newFolder(t, "beside-"), strconv.Itoa(porttest.Free(t))
	t.Cleanup(func() { _ = os.RemoveAll(other.folder) })
	installInto(t, other.folder, "./testdata/wall")
	other.upgrade(version)
	other.start()
	return &other
}
