package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// run runs a command of the installation.
func (w *displayFixture) run(arguments ...string) {
	w.t.Helper()
	if report, err := w.command(arguments...).CombinedOutput(); err != nil {
		w.t.Fatalf("%q: %v\n%s", arguments, err, report)
	}
}

// restart starts the platform again, as an operator does to make a change of its modules effective.
func (w *displayFixture) restart() {
	w.t.Helper()
	w.daemon.stop(w.t)
	w.start()
}

// installVersion installs another version of a module: with a line in the script of its UI, and one migration
// more. It runs after the next start.
func (w *displayFixture) installVersion(id, version, line string) {
	w.t.Helper()
	folder := filepath.Join(w.folder, "next", id)
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(w.folder, "modules", id))); err != nil {
		w.t.Fatal(err)
	}
	edit := func(name string, change func(text string) string) {
		path := filepath.Join(folder, name)
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, []byte(change(string(text))), 0o644)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
	edit("module.json", func(text string) string {
		return strings.Replace(text, `"version": "1.0.0"`, `"version": "`+version+`"`, 1)
	})
	edit("ui/index.js", func(text string) string { return line + "\n" + text })
	migrations, err := os.ReadDir(filepath.Join(folder, "migrations"))
	if err == nil {
		path := filepath.Join(folder, "migrations", fmt.Sprintf("%04d_next.sql", len(migrations)+1))
		err = os.WriteFile(path, []byte("SELECT 1;\n"), 0o644)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.run("modules:package", "--dir", folder, "--out", w.folder)
	w.run("modules:install", filepath.Join(w.folder, id+"-"+version+".tar.gz"))
	w.run("migrations:apply")
}

// TestModuleChangesUnderAnOpenForm: an operator switches a module off and on again, and installs its next
// version, while somebody types into a dialog of it. The page, which is never loaded again, says what
// happened; what was typed is there when the module is, and the new version saves it.
func TestModuleChangesUnderAnOpenForm(t *testing.T) {
	t.Parallel()
	s := startStage(t)
	s.variables = []string{"SERVICE_MODULES_DIR=" + filepath.Join(s.folder, "modules")}
	p := s.openOwner("", desktop)
	p.click("button", "New service")
	p.fill("Title", "Half a service")
	p.runScript(`window.loaded = "once"`)
	const typed = `document.querySelector("dialog [required]")?.value === "Half a service"`

	s.send("PUT", "/api/v1/module-lifecycle/stage/enabled", `{"enabled":false}`)
	s.restart()
	p.waitForHeading("Stage was switched off, or you have no access to it.")
	p.waitForAnnouncement("Your draft is kept.")
	p.screenshot("module-switched-off")
	s.send("PUT", "/api/v1/module-lifecycle/stage/enabled", `{"enabled":true}`)
	s.restart()
	p.runScript(`dispatchEvent(new Event("online"))`) // as when the person returns: nothing else is read now
	p.waitFor(typed)

	s.installVersion("stage", "1.1.0", `globalThis.newStage = true;`)
	s.restart()
	p.waitForAnnouncement("Stage: A new version is here.")
	p.waitFor(`newStage && ` + typed)
	p.waitFor(draftNote)
	p.screenshot("module-upgraded")
	p.click("button", "Save")
	p.waitForHeading("Half a service")
	if saved, _ := s.send("GET", stageRoot+"/services", ""); !strings.Contains(string(saved), "Half a service") {
		t.Errorf("the services are %s, want the one that was typed before the upgrade", saved)
	}
	if loaded := eval[string](p, `window.loaded`); loaded != "once" {
		t.Error("the page was loaded again")
	}
}

// TestNoticesMoveNothing: once somebody has begun with a screen, the notice of a restart waits for the next
// one, because it would move what is under the pointer.
func TestNoticesMoveNothing(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	p := d.openAs(t, d.member(t, "Ada", "core.modules.lifecycle.manage"), "/#/admin/modules", desktop)
	p.waitForHeading("Modules") // it has the notice's script
	p.runScript(`location.hash = "#/m/announcements"`)
	p.waitForText("Shared lunch")
	const reads = `performance.getEntriesByType("resource").filter(({ name }) =>
		name.endsWith("/api/v1/module-lifecycle")).length`
	const place = `document.querySelector("[data-module]").getBoundingClientRect().top`
	p.waitFor(reads + ` > 0`)
	before, known := eval[float64](p, place), eval[int](p, reads)
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, 600, 300))
	d.call(t, "PUT", "/api/v1/module-lifecycle/rota/enabled", object{"enabled": false})
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitFor(fmt.Sprintf(`%s > %d`, reads, known))
	p.runScript(`for (let i = 0; i < 3; i++)
		await new Promise((go) => requestAnimationFrame(() => setTimeout(go)))`)
	if now := eval[float64](p, place); now != before {
		t.Errorf("the module is at %v instead of %v after a notice has come", now, before)
	}
	p.runScript(`location.hash = "#/m/stage"`)
	p.waitForText("1 change waits for a restart.")
}
