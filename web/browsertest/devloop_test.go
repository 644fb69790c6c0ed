package browsertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// checkout returns a folder with links to this checkout's files and a modules folder of its own.
func checkout(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := install(t)
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		switch name := entry.Name(); {
		case name == "go.mod", name == "go.sum":
			text, err := os.ReadFile(filepath.Join(root, name))
			if err == nil {
				err = os.WriteFile(filepath.Join(folder, name), text, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		case name == "modules", name == "bin", strings.HasPrefix(name, ".") && name != ".tools":
		default:
			if err := os.Symlink(filepath.Join(root, name), filepath.Join(folder, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	announcements := filepath.Join(folder, "modules", "announcements")
	if err := os.CopyFS(announcements, os.DirFS(filepath.Join(root, "modules", "announcements"))); err != nil {
		t.Fatal(err)
	}
	build(t, filepath.Join(announcements, "bin", runtime.GOOS+"-"+runtime.GOARCH, "announcements"),
		"../../modules/announcements")
	return folder
}

// author works on a module outside the checkout while dev runs.
type author struct {
	t      *testing.T
	dev    *devServer
	folder string // of the module
}

func newAuthor(t *testing.T) *author {
	t.Helper()
	folder := checkout(t)
	elsewhere := filepath.Join(install(t), "own")
	narthex := filepath.Join(folder, "narthex")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	scaffold := exec.CommandContext(t.Context(), narthex, "modules:new", "--module", "prayer-list", "--dir",
		elsewhere)
	scaffold.Dir = root
	if said, err := scaffold.CombinedOutput(); err != nil {
		t.Fatalf("modules:new: %v\n%s", err, said)
	}
	a := &author{t: t, folder: filepath.Join(elsewhere, "prayer-list")}
	command := exec.Command(narthex, "dev", "--port", "4300", "--module-dir", a.folder)
	command.Dir = folder
	a.dev = &devServer{daemon: launch(t, command), folder: folder}
	a.dev.address = strings.TrimSpace(a.dev.waitForLine(t, "Narthex runs at"))
	a.dev.password, _, _ = strings.Cut(strings.TrimSpace(a.dev.waitForLine(t, "Password")), " ")
	return a
}

// save writes a file as editors do: to a temporary name, and then renames it.
func (a *author) save(path, text string) {
	a.t.Helper()
	path = filepath.Join(a.folder, path)
	if err := os.WriteFile(path+"~", []byte(text), 0o644); err != nil {
		a.t.Fatal(err)
	}
	if err := os.Rename(path+"~", path); err != nil {
		a.t.Fatal(err)
	}
}

func (a *author) read(path string) string {
	a.t.Helper()
	text, err := os.ReadFile(filepath.Join(a.folder, path))
	if err != nil {
		a.t.Fatal(err)
	}
	return string(text)
}

// saveEdited saves a file in which old is replaced by words.
func (a *author) saveEdited(path, old, words string) {
	a.t.Helper()
	text := a.read(path)
	if !strings.Contains(text, old) {
		a.t.Fatalf("%s does not have %q", path, old)
	}
	a.save(path, strings.ReplaceAll(text, old, words))
}

// greeting returns a server file with a route that responds with words, or with the result of a statement.
func greeting(words, statement string) string {
	body := fmt.Sprintf("_, _ = w.Write([]byte(%q))", words)
	if statement != "" {
		body = fmt.Sprintf(`var found string
		if err := m.host.DB.QueryRow(r.Context(), %q).Scan(&found); err != nil {
			panic(err)
		}
		_, _ = w.Write([]byte(found))`, statement)
	}
	return fmt.Sprintf(`package main

import (
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

func (m *module) greet(r *sdk.Registry) {
	r.Handle("GET /greeting", mayRead, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		%s
	})
}
`, body)
}

// banner is an expression that is true if dev's banner on the page contains the words.
func banner(words string) string {
	return fmt.Sprintf(`document.querySelector("narthex-dev")?.shadowRoot.textContent.includes(%q)`, words)
}

const noBanner = `document.querySelector("narthex-dev") === null`

// TestDevLoop: saved changes appear on the open page without a reload. Failures are shown there, while the
// previous version continues to run.
func TestDevLoop(t *testing.T) {
	leaveToProof(t, "it builds programs from sources")
	a := newAuthor(t)
	p := openPage(t, a.dev.address+"/#/m/prayer-list", desktop)
	p.submit("owner@example.org", a.dev.password)
	p.find("button", "Add")
	p.runScript(`window.stayed = true; window.greeting = ""; window.refused = 0;
		setInterval(async () => {
			try {
				const response = await fetch("/api/v1/modules/prayer-list/greeting");
				window.greeting = response.status + " " + await response.text();
			} catch { window.refused++; }
		}, 50);`)

	a.saveEdited("ui-src/index.tsx", `"New note"`, `"Write down"`)
	p.find("textbox", "Write down")

	a.save("greeting.go", greeting("first", ""))
	a.saveEdited("main.go", "	return nil\n}\n\n// Start", "	m.greet(r)\n	return nil\n}\n\n// Start")
	p.waitFor(`greeting === "200 first"`)

	a.save("greeting.go", strings.Replace(greeting("broken", ""), "w.Write", "w.Wriet", 1))
	p.waitFor(banner("greeting.go:11:"))
	a.dev.waitForLine(t, "greeting.go:11:")
	p.waitFor(`greeting === "200 first"`)
	p.screenshot("dev-banner")
	a.save("greeting.go", greeting("second", ""))
	p.waitFor(`greeting === "200 second"`)
	p.waitFor(noBanner)

	a.save("migrations/0002_guests.sql",
		"CREATE TABLE guest (name text NOT NULL);\nINSERT INTO guest VALUES ('Ruth');\n")
	a.save("greeting.go", greeting("", "SELECT name FROM guest"))
	p.waitFor(`greeting === "200 Ruth"`)

	a.save("migrations/0003_wrong.sql", "CREATE TABLE other (id int);\nALTER TABLE nowhere ADD COLUMN x int;\n")
	p.waitFor(banner("0003_wrong"))
	if err := os.Remove(filepath.Join(a.folder, "migrations", "0003_wrong.sql")); err != nil {
		t.Fatal(err)
	}
	p.waitFor(noBanner)

	applied := a.read("migrations/0002_guests.sql")
	a.save("migrations/0002_guests.sql", strings.Replace(applied, "Ruth", "Esther", 1))
	p.waitFor(banner("MIGRATION_HISTORY_CHANGED"))
	p.waitFor(banner("narthex-dev dev --reset-module prayer-list"))
	p.waitFor(`greeting === "200 Ruth"`)
	a.save("migrations/0002_guests.sql", applied)
	p.waitFor(noBanner)

	a.saveEdited("main.go", `"prayer-list.read"`, `"prayer-list.raed"`)
	p.waitFor(banner(`the permission "prayer-list.raed" is not declared in the manifest`))
	a.saveEdited("main.go", `"prayer-list.raed"`, `"prayer-list.read"`)
	p.waitFor(noBanner)

	a.saveEdited("module.json", `"prayer-list.write"`, `"write"`)
	p.waitFor(banner("/permissions/1/id"))
	a.saveEdited("module.json", `"write"`, `"prayer-list.write"`)
	p.waitFor(noBanner)

	a.saveEdited("ui-src/index.tsx", `"Write down"`, `"Note it"`)
	p.find("textbox", "Note it")
	if !eval[bool](p, "window.stayed === true") {
		t.Error("the page was loaded again")
	}
	if refused := eval[int](p, "window.refused"); refused != 0 {
		t.Errorf("%d requests found nobody, want none", refused)
	}
}

// TestDevLoopOnADisplay: a screen that shows a module mounts the saved version without a reload.
func TestDevLoopOnADisplay(t *testing.T) {
	leaveToProof(t, "it builds programs from sources")
	folder := checkout(t)
	d := startIn(t, folder)
	a := &author{t: t, dev: d, folder: filepath.Join(folder, "modules", "announcements")}
	p := openPage(t, d.address, desktop)
	p.submit("owner@example.org", d.password)
	p.waitForHome()
	p.do(chromedp.Navigate(d.address + "/display/announcements"))
	p.waitFor(`document.querySelector(".stage .slide")`)
	p.runScript(`window.stayed = true`)
	a.save("display-src/stage.css", a.read("display-src/stage.css")+"\n.saved-just-now { color: red; }\n")
	p.waitFor(`[...document.adoptedStyleSheets].some((sheet) =>
		[...sheet.cssRules].some((rule) => rule.cssText.includes("saved-just-now")))`)
	if !eval[bool](p, "window.stayed === true") {
		t.Error("the screen's page was loaded again")
	}
}
