package browsertest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

const testManifest = `{ "manifestVersion": 7, "id": %q, "name": %q, "version": "1.0.0",
	"compatibility": { "platform": "^0.1.0", "moduleSdk": "^0.1.0" }, %s }`

// writeModules writes files below the folder of modules.
func writeModules(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for path, text := range files {
		file := filepath.Join(folder, "modules", path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
			os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// startNotes starts "narthex dev" with modules of the tests alone: Notes, whose server is in testdata and
// whose UI each test supplies, Clock, which contributes to it, and three that have only a UI.
func startNotes(t *testing.T) *devServer {
	t.Helper()
	folder := install(t, "./testdata/notes")
	const uiOnly = `"entrypoints": { "ui": "ui/index.js" }`
	contribution := func(abi string) string {
		return `export default { narthex: "contribution", abi: ` + abi + `, definition: { label: "Clock" } };`
	}
	const contributes = `"contributions": [
		{ "id": "clock.slide", "version": "1.1.0", "capability": "notes.slides", "range": "^1.0.0",
			"artifact": "contributions/slide.js" },
		{ "id": "clock.old", "version": "1.0.0", "capability": "notes.slides", "range": "^1.0.0",
			"artifact": "contributions/old.js" }]`
	writeModules(t, folder, map[string]string{
		"notes/ui/index.js":            mounting(kept),
		"clock/module.json":            fmt.Sprintf(testManifest, "clock", "Clock", contributes),
		"clock/contributions/slide.js": contribution("1"),
		"clock/contributions/old.js":   contribution("0"),
		"stage/module.json":            fmt.Sprintf(testManifest, "stage", "Stage", uiOnly),
		"stage/ui/index.js":            mounting(`container.textContent = "On stage.";`),
		"rota/module.json":             fmt.Sprintf(testManifest, "rota", "Rota", uiOnly),
		"rota/ui/index.js":             mounting(`container.textContent = "Everybody's turn.";`),
		"home/module.json":             fmt.Sprintf(testManifest, "home", "Cards", uiOnly),
		"home/ui/index.js":             mounting(`throw new Error("no");`),
	})
	return startIn(t, folder)
}

// notes is a front for a member, in which the UI of Notes has this mount function.
func (d *devServer) notes(t *testing.T, mount string) *fixture {
	t.Helper()
	h := d.front(t)
	h.email = d.member(t, "Ada")
	h.session = d.signIn(t, h.email)
	h.setModuleScript("notes", mount)
	return h
}

// open opens a page with the session of the fixture.
func (h *fixture) open(path string, v view) *tab {
	h.t.Helper()
	p := openPage(h.t, "about:blank", v)
	h.load(p, path)
	return p
}

// load opens a page with the session of the fixture in an open tab.
func (h *fixture) load(p *tab, path string) {
	h.t.Helper()
	p.setSession(h)
	p.do(chromedp.Navigate(h.URL + path))
}

// endSession ends the sessions of the person of the fixture, as if they had expired.
func (h *fixture) endSession() {
	h.t.Helper()
	h.house.query(h.t, `
		WITH ended AS (DELETE FROM core.session s USING core.person p WHERE s.person_id = p.id AND p.email = $1)
		SELECT $1::text`, h.email)
}
