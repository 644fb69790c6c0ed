package browsertest

import (
	"slices"
	"strings"
	"testing"
)

// partOf returns a module that contributes a text to the module hall.
func partOf(version, text string) map[string]string {
	return map[string]string{
		"module.json": `{ "manifestVersion": 7, "id": "part", "name": "Part", "version": "` + version + `",
			"compatibility": { "platform": "^0.1.0", "moduleSdk": "^0.1.0" },
			"contributions": [{ "id": "part.text", "version": "1.0.0", "capability": "hall.texts",
				"range": "^1.0.0", "artifact": "part.js" }] }`,
		"part.js": `export default { narthex: "contribution", abi: 1, definition: "` + text + `" };`,
	}
}

// TestDisplayContributions: the service worker keeps only the contributions that a display has loaded, and
// only in the version that runs.
func TestDisplayContributions(t *testing.T) {
	leaveToProof(t, "it looks at what a service worker has stored")
	t.Parallel()
	w := startWalls(t, 1)
	f := w.fronts[0]
	w.writeModule("hall", displayOnly("hall", "1.0.0",
		`"provides": [{ "capability": "hall.texts", "version": "1.0.0" }],`, throwing(`
		window.load = async () => {
			for (const { load } of context.contributions) container.append(await load());
		};
		window.ask = () => context.contributions[0].api("/x").catch((error) => error.name);
		container.textContent = "This is the hall. ";`)))
	w.writeModule("part", partOf("1.0.0", "The first part."))
	w.daemon.stop(t)
	w.start()
	p, _ := w.openPairedScreen(t, f, "hall")
	p.waitForText("This is the hall.")
	p.waitForWorker()
	contributions := func() []string {
		return slices.DeleteFunc(p.cachedURLs(), func(path string) bool {
			return !strings.Contains(path, "/contributions/")
		})
	}
	if kept := contributions(); len(kept) > 0 {
		t.Errorf("kept before they were loaded: %q", kept)
	}
	p.runScript(`await load(); window.asked = await ask()`)
	p.waitForText("This is the hall. The first part.")
	if asked := eval[string](p, `String(asked)`); asked != "TypeError" {
		t.Errorf("a request of a contribution on a screen: %s, want a TypeError", asked)
	}
	assertKept := func(want string) {
		t.Helper()
		p.waitUntil("only "+want+" is kept", func() bool { return slices.Equal(contributions(), []string{want}) })
	}
	assertKept("/api/v1/module-ui/part/1.0.0/contributions/part.text")

	w.writeModule("part", partOf("1.1.0", "The second part."))
	w.daemon.stop(t)
	w.start()
	p.runScript(`dispatchEvent(new Event("online"))`)
	p.waitFor(`document.querySelectorAll(".host-layer").length === 1 &&
		!document.body.innerText.includes("first")`)
	p.runScript(`await load()`)
	p.waitForText("This is the hall. The second part.")
	assertKept("/api/v1/module-ui/part/1.1.0/contributions/part.text")
	p.reload()
	p.waitForText("This is the hall.")
}
