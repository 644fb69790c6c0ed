package browsertest

import (
	"testing"
)

// TestDisplaySwap: another version of a display is loaded, mounted and painted behind the visible one,
// however long that takes, and only then replaces it.
func TestDisplaySwap(t *testing.T) {
	t.Parallel()
	w := startWalls(t, 1)
	f := w.fronts[0]
	w.publishText("welcome")
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
